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

function translate(language: Language, key: TextKey, values: TextValues = {}): string {
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

/** A word that the server chooses, such as a role; as the API writes it, where it is new to this page. */
export function wordFor(t: Translate, key: string, word: string): string {
  return isTextKey(key) ? t(key) : word;
}

/** A name from outside: it keeps its own direction within a sentence (Unicode's first strong isolate). */
export function isolated(name: string): string {
  return `\u2068${name}\u2069`;
}

/** A number or id from outside: from left to right within a sentence. */
export function leftToRight(text: string): string {
  return `\u2066${text}\u2069`;
}
