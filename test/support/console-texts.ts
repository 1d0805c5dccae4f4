// The words of the console's pages as its catalogues have them, for browser tests in both
// languages.
import { formatNumber } from "../../console/src/format/numbers.ts";
import { en } from "../../console/src/texts/en.ts";
import { fa } from "../../console/src/texts/fa.ts";

/** As a browser of that language asks for it. */
export const bothLanguages = [
  { language: "en", locale: "en-GB" },
  { language: "fa", locale: "fa-IR" },
] as const;

export type Language = (typeof bothLanguages)[number]["language"];
export type TextOf = (key: keyof typeof en, values?: Readonly<Record<string, string | number>>) => string;

/** A number among the values is written as the language writes it. */
export function textsOf(language: Language): TextOf {
  const catalogue = { en, fa }[language];
  return (key, values = {}) =>
    catalogue[key].replace(/\{(\w+)\}/g, (mark: string, name: string) => {
      const value = values[name] ?? mark;
      return typeof value === "number" ? formatNumber(language, value) : value;
    });
}

export const english = { ...bothLanguages[0], t: textsOf("en") } as const;
export const persian = { ...bothLanguages[1], t: textsOf("fa") } as const;
