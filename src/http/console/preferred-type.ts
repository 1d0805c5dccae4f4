// Which type of an answer a call prefers (RFC 9110 §12.5.1). Pure.

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
  const ranges = header.split(",").map((range) => readRange(range.toLowerCase()));
  let best: Type = offered[0];
  for (const type of offered.slice(1)) {
    if (isBetter(preferenceOf(ranges, type), preferenceOf(ranges, best))) best = type;
  }
  return best;
}

interface MediaRange {
  readonly range: string;
  readonly quality: number;
}

function readRange(text: string): MediaRange {
  const [range = "", ...parameters] = text.split(";").map((part) => part.trim());
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter));
  const quality = weight === undefined ? 1 : Number(weight.replace(/^q\s*=\s*/, ""));
  return { range, quality: quality >= 0 && quality <= 1 ? quality : 0 };
}

/** By the most precise range that matches, whatever the others say. */
function preferenceOf(ranges: readonly MediaRange[], type: string): Preference {
  const named = ["*/*", type.replace(/\/.*/, "/*"), type];
  for (const precision of [2, 1, 0]) {
    const found = ranges.find(({ range }) => range === named[precision]);
    if (found !== undefined) return { quality: found.quality, precision };
  }
  return { quality: 0, precision: 0 };
}

function isBetter(one: Preference, other: Preference): boolean {
  if (one.quality !== other.quality) return one.quality > other.quality;
  return one.quality > 0 && one.precision > other.precision;
}
