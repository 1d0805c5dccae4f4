// The texts of the pages in the language of the moment. Each language has one catalogue; `{name}`
// in a text stands for a value: a number is written as the language writes it.
import { formatNumber, type Language } from "../format/numbers.ts";
import { useLanguage } from "../preferences.ts";
import { en } from "./en.ts";
import { fa } from "./fa.ts";

export type TextKey = keyof typeof en;
export type TextValues = Readonly<Record<string, string | number>>;
export type Translate = (key: TextKey, values?: TextValues) => string;

const catalogues: Readonly<Record<Language, Readonly<Record<TextKey, string>>>> = { en, fa };

export function translate(language: Language, key: TextKey, values: TextValues = {}): string {
  return catalogues[language][key].replace(/\{(\w+)\}/g, (mark, name: string) => {
    const value = values[name] ?? mark;
    return typeof value === "number" ? formatNumber(language, value) : value;
  });
}

export function useTexts(): Translate {
  const language = useLanguage();
  return (key, values) => translate(language, key, values);
}

/** Whether the catalogue has such a text: for words that the server chooses. */
export function isTextKey(key: string): key is TextKey {
  return Object.hasOwn(en, key);
}
