// Which content type and which encoding a caller prefers.
import { type WeightedItem, readWeightedList } from "../language.ts";

const maximumHeaderCharacters = 1000;

/** 2 for the type itself, 1 for its class, 0 for all types. */
interface Preference {
  readonly quality: number;
  readonly precision: number;
}

/**
 * That of the highest quality, then the one that is named more precisely, then the first. The first
 * one, too, where none is accepted. Parameters of types are not told apart.
 */
export function preferredType<Type extends string>(header: string | undefined, offered: readonly [Type, ...Type[]]) {
  if (header === undefined || header.length > maximumHeaderCharacters) return offered[0];
  const ranges = readWeightedList(header);
  let best: Type = offered[0];
  for (const type of offered.slice(1)) {
    if (isBetter(preferenceOf(ranges, type), preferenceOf(ranges, best))) best = type;
  }
  return best;
}

/** By the most precise range that matches, whatever the others say. */
function preferenceOf(ranges: readonly WeightedItem[], type: string): Preference {
  const named = ["*/*", type.replace(/\/.*/, "/*"), type];
  for (const precision of [2, 1, 0]) {
    const found = ranges.find(({ name }) => name === named[precision]);
    if (found !== undefined) return { quality: qualityOf(found), precision };
  }
  return { quality: 0, precision: 0 };
}

function isBetter(one: Preference, other: Preference): boolean {
  if (one.quality !== other.quality) return one.quality > other.quality;
  return one.quality > 0 && one.precision > other.precision;
}

/** What is not a weight is taken for none of the type. */
function qualityOf({ weight }: WeightedItem): number {
  return weight >= 0 && weight <= 1 ? weight : 0;
}

// Which of the forms that an asset is kept in the browser takes (RFC 9110 §12.5.3).

export type ContentEncoding = "br" | "gzip" | "identity";

/** The smallest form that is accepted; as it is, where none is. */
export function acceptedEncoding(header: string | undefined, kept: readonly ContentEncoding[]): ContentEncoding {
  if (header === undefined || header.length > maximumHeaderCharacters) return "identity";
  const accepted = new Set<string>();
  for (const { name, weight } of readWeightedList(header)) if (weight !== 0) accepted.add(name);
  const preferred: readonly ContentEncoding[] = ["br", "gzip"];
  return preferred.find((encoding) => kept.includes(encoding) && accepted.has(encoding)) ?? "identity";
}
