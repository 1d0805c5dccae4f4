// Figures for people to read. What they copy (phone numbers, ids, keys) stays in ASCII and is not
// formatted here.
export type Language = "en" | "fa";

const locales: Readonly<Record<Language, string>> = { en: "en-GB", fa: "fa-IR" };

const formats = {
  en: new Intl.NumberFormat(locales.en, { maximumFractionDigits: 1 }),
  fa: new Intl.NumberFormat(locales.fa, { maximumFractionDigits: 1 }),
};

export function formatNumber(language: Language, value: number | bigint): string {
  return formats[language].format(value);
}

const wordFormats = {
  en: new Intl.NumberFormat(locales.en, { notation: "compact", compactDisplay: "long", maximumFractionDigits: 15 }),
  fa: new Intl.NumberFormat(locales.fa, { notation: "compact", compactDisplay: "long", maximumFractionDigits: 15 }),
};

/** `2.5 million`, exactly, so that a wrong zero is seen before it is booked. */
export function inWords(language: Language, value: number): string {
  return wordFormats[language].format(value);
}

/** ASCII digits within a text, as the language writes them: for versions, clocks and the like. */
export function localDigits(language: Language, text: string): string {
  return language === "fa" ? text.replace(/\d/g, (digit) => String.fromCharCode(0x06f0 + Number(digit))) : text;
}

/** What a person typed, with Persian and Arabic digits as ASCII ones. */
export function asciiDigits(text: string): string {
  return text
    .replace(/[\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) - 0x06f0))
    .replace(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - 0x0660));
}

// Phone numbers as one dials them in Iran. Pure.

/** `989121234567` as `09121234567`; anything else as it is. */
export function dialled(number: string): string {
  return /^989\d{9}$/.test(number) ? `0${number.slice(2)}` : number;
}
