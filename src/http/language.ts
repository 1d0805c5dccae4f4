// Chooses the language of errorMessage: Persian if Accept-Language prefers it to English, else
// English. Pure.
import type { AnswerLanguage } from "../texts/localize.ts";
import { readWeightedList } from "./weighted-list.ts";

const maximumHeaderCharacters = 500;

/** `header` is Accept-Language (RFC 9110 §12.5.4). With equal weights the first language wins. */
export function languageOf(header: string | undefined): AnswerLanguage {
  if (header === undefined || header.length > maximumHeaderCharacters || !/fa/i.test(header)) return "en";
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
