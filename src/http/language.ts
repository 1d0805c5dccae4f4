// Chooses the language of errorMessage: Persian if Accept-Language prefers it to English, else
// English. Pure.
import type { Language } from "../errors.ts";

const maximumHeaderCharacters = 500;

/** `header` is Accept-Language (RFC 9110 §12.5.4). With equal weights the first language wins. */
export function languageOf(header: string | undefined): Language {
  if (header === undefined || header.length > maximumHeaderCharacters || !/fa/i.test(header)) return "en";
  let best: { language: Language; weight: number } | undefined;
  for (const range of header.split(",")) {
    const [tag = "", ...parameters] = range.split(";");
    const language = languageOfTag(tag.trim().toLowerCase());
    const weight = weightOf(parameters);
    if (language !== undefined && weight > (best?.weight ?? 0)) best = { language, weight };
  }
  return best?.language ?? "en";
}

function languageOfTag(tag: string): Language | undefined {
  if (tag === "fa" || tag.startsWith("fa-")) return "fa";
  return tag === "en" || tag.startsWith("en-") ? "en" : undefined;
}

function weightOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const match = /^\s*q\s*=\s*([0-9.]+)\s*$/i.exec(parameter);
    if (match !== null) return Number(match[1]) || 0;
  }
  return 1;
}
