// A text in English and Persian, and how its placeholders are filled. Pure.

export type AnswerLanguage = "en" | "fa";

/** `{name}` in a text stands for the value of that name. */
export interface LocalizedText {
  readonly en: string;
  readonly fa: string;
}

/**
 * A value that is itself localized is taken in the language of the whole. Numbers are what people
 * read: in Persian they have Persian digits, as those of the texts. What is copied (an id, a
 * status, a port) is text, which stays as it is.
 */
export type TextValues = Readonly<Record<string, string | number | LocalizedText>>;

const placeholder = /\{([a-zA-Z]+)\}/g;

/**
 * The text in one language with its placeholders filled. A placeholder without a value becomes
 * empty.
 */
export function localize(given: LocalizedText, language: AnswerLanguage, values?: TextValues): string {
  const text = given[language];
  if (!text.includes("{")) return text;
  return text.replace(placeholder, (_, name: string) => {
    const value = values?.[name] ?? "";
    if (typeof value === "object") return value[language];
    return typeof value === "number" && language === "fa" ? persianDigits(value) : String(value);
  });
}

function persianDigits(number: number): string {
  return String(number).replace(/[0-9]/g, (digit) => "۰۱۲۳۴۵۶۷۸۹"[Number(digit)] ?? digit);
}
