// A whole number in words, so that a wrong zero is seen before it is booked. Pure.
import type { Language } from "./numbers.ts";

interface Words {
  readonly small: readonly string[];
  readonly tens: readonly string[];
  readonly hundred: (count: number) => string;
  /** Between hundreds and what is below, and between tens and ones. */
  readonly joint: readonly [string, string];
  readonly scales: readonly string[];
  readonly between: string;
  readonly below: string;
  readonly one: string;
}

const words: Readonly<Record<Language, Words>> = {
  en: {
    small:
      "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
        " ",
      ),
    tens: ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"],
    hundred: (count) => `${words.en.small[count] ?? ""} hundred`,
    joint: [" ", "-"],
    scales: ["", "thousand", "million", "billion", "trillion", "quadrillion"],
    between: " ",
    below: "minus ",
    one: "one ",
  },
  fa: {
    small: "صفر یک دو سه چهار پنج شش هفت هشت نه ده یازده دوازده سیزده چهارده پانزده شانزده هفده هجده نوزده".split(" "),
    tens: ["", "", "بیست", "سی", "چهل", "پنجاه", "شصت", "هفتاد", "هشتاد", "نود"],
    hundred: (count) => ["", "صد", "دویست", "سیصد", "چهارصد", "پانصد", "ششصد", "هفتصد", "هشتصد", "نهصد"][count] ?? "",
    joint: [" و ", " و "],
    scales: ["", "هزار", "میلیون", "میلیارد", "تریلیون", "کوادریلیون"],
    between: " و ",
    below: "منفی ",
    one: "",
  },
};

/**
 * `five hundred thousand`; undefined for what is no whole number, or beyond what a number holds
 * exactly.
 */
export function numberInWords(language: Language, value: number): string | undefined {
  if (!Number.isSafeInteger(value)) return undefined;
  const { small, scales, between, below, one } = words[language];
  if (value === 0) return small[0];
  const groups: string[] = [];
  for (let [rest, scale] = [Math.abs(value), 0]; rest > 0; rest = Math.floor(rest / 1000), scale += 1) {
    const group = rest % 1000;
    if (group === 0) continue;
    const name = scales[scale] ?? "";
    // In Persian a thousand is not "one thousand", but a million is "one million".
    const count = group === 1 && scale === 1 ? one : `${belowThousand(language, group)} `;
    groups.unshift(`${count}${name}`.trim());
  }
  return (value < 0 ? below : "") + groups.join(between);
}

function belowThousand(language: Language, value: number): string {
  const { small, tens, hundred, joint } = words[language];
  const rest = value % 100;
  const hundreds = value >= 100 ? hundred(Math.floor(value / 100)) : "";
  const ones = rest % 10;
  const low =
    rest < 20
      ? rest === 0
        ? ""
        : (small[rest] ?? "")
      : [tens[Math.floor(rest / 10)], ones === 0 ? undefined : small[ones]]
          .filter((word) => word !== undefined)
          .join(joint[1]);
  return [hundreds, low].filter((word) => word !== "").join(joint[0]);
}
