// Characters that make a text dearer than it looks: those outside the GSM alphabet, for which all
// of it goes as UCS-2, and those that take two septets; and their replacements. Runs in browsers.
import { isGsm7, septetCost } from "./gsm7-alphabet.ts";
import { countParts } from "./segmentation.ts";
import { detectLanguage } from "./text-kind.ts";

export interface CostlyCharacter {
  readonly character: string;
  /** U+2019, because some cannot be seen. */
  readonly codePoint: string;
  /** Of its first occurrence, in characters from 1. */
  readonly position: number;
  readonly reason: "ucs2" | "twoSeptets";
}

const mostNamed = 20;

/** Each once, at most 20. A text in another script than Latin goes as UCS-2 anyway: none. */
export function costlyCharacters(text: string): readonly CostlyCharacter[] {
  const reason = isGsm7(text) ? "twoSeptets" : "ucs2";
  if (reason === "ucs2" && detectLanguage(text) !== "en") return [];
  const found = new Map<string, CostlyCharacter>();
  let position = 0;
  for (const character of text) {
    position += 1;
    const isCostly = reason === "ucs2" ? !isGsm7(character) : septetCost(character.charCodeAt(0)) === 2;
    if (!isCostly || found.has(character)) continue;
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    found.set(character, { character, codePoint: `U+${code}`, position, reason });
    if (found.size === mostNamed) break;
  }
  return [...found.values()];
}

const replacements: readonly (readonly [RegExp, string])[] = [
  // Blanks, and what is not seen at all.
  [/[\t\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " "],
  [/[\u00ad\u200b\u2060\ufeff]/g, ""],
  [/[\u0060\u00b4\u2018\u2019\u201a\u201b\u2032]/g, "'"],
  [/[\u201c-\u201f\u2033\u00ab\u00bb]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, "-"],
  [/\u2026/g, "..."],
];

/** The text with characters of a fixed list replaced. */
export function plainForm(text: string): string {
  return replacements.reduce((rest, [pattern, by]) => rest.replace(pattern, by), text.normalize("NFC"));
}

/** The plain form, where it fits the GSM alphabet and fewer parts so. */
export function tidyText(text: string): string {
  if (isGsm7(text)) return text;
  const tidied = plainForm(text);
  const isCheaper = isGsm7(tidied) && countParts(tidied, "gsm7") < countParts(text, "ucs2");
  return isCheaper ? tidied : text;
}
