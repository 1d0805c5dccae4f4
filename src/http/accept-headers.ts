// Reads headers that list what a caller accepts (RFC 9110 §12.4.2), and chooses the language of
// errorMessage: Persian if Accept-Language prefers it to English, else English. Pure.
import type { AnswerLanguage } from "../texts/localize.ts";

const longestLanguages = 500;

/** `header` is Accept-Language (RFC 9110 §12.5.4). With equal weights the first language wins. */
export function languageOf(header: string | undefined): AnswerLanguage {
  if (header === undefined || header.length > longestLanguages || !/fa/i.test(header)) return "en";
  let best: { language: AnswerLanguage; weight: number } | undefined;
  for (const { name, weight } of readWeightedList(header)) {
    const language = languageOfTag(name);
    // One that cannot be read counts as none.
    const counted = Number.isNaN(weight) ? 1 : weight;
    if (language !== undefined && counted > (best?.weight ?? 0)) best = { language, weight: counted };
  }
  return best?.language ?? "en";
}

function languageOfTag(tag: string): AnswerLanguage | undefined {
  if (tag === "fa" || tag.startsWith("fa-")) return "fa";
  return tag === "en" || tag.startsWith("en-") ? "en" : undefined;
}

export interface WeightedItem {
  /** In lower case; empty where nothing is named. */
  readonly name: string;
  /** 1 where none is given; NaN where it is not a number. */
  readonly weight: number;
}

/** In the header's order. Other parameters are passed over. */
export function readWeightedList(header: string): readonly WeightedItem[] {
  return header.split(",").map((item) => {
    const [name = "", ...parameters] = item.split(";").map((text) => text.trim().toLowerCase());
    return { name, weight: weightOf(parameters) };
  });
}

function weightOf(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => /^q\s*=/.test(parameter));
  if (given === undefined) return 1;
  return Number(/^q\s*=\s*([0-9.]+)$/.exec(given)?.[1]);
}

// Which content type and which encoding a caller prefers.

const longestTypes = 1000;

/** Whether the caller names this type, and with a higher weight than JSON. */
export function prefersToJson(header: string | undefined, type: string): boolean {
  if (header === undefined || header.length > longestTypes) return false;
  const weights = new Map(readWeightedList(header).map(({ name, weight }) => [name, weight]));
  return (weights.get(type) ?? 0) > (weights.get("application/json") ?? 0);
}

// Which of the forms that an asset is kept in the browser takes (RFC 9110 §12.5.3).

export type ContentEncoding = "br" | "gzip" | "identity";

/** The smallest form that is accepted; as it is, where none is. */
export function acceptedEncoding(header: string | undefined, kept: readonly ContentEncoding[]): ContentEncoding {
  if (header === undefined || header.length > longestTypes) return "identity";
  const accepted = new Set<string>();
  for (const { name, weight } of readWeightedList(header)) if (weight !== 0) accepted.add(name);
  const preferred: readonly ContentEncoding[] = ["br", "gzip"];
  return preferred.find((encoding) => kept.includes(encoding) && accepted.has(encoding)) ?? "identity";
}
