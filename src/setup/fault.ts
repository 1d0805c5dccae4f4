// Faults of a setup, each with its place, the key of its text and, where possible, a hint. All
// faults are collected and reported together; a single one throws nothing.
import { type AnswerLanguage, localize, type LocalizedText, type TextValues } from "../texts/localize.ts";
import {
  type KindOfObject,
  kindTexts,
  type SetupHintKey,
  setupHints,
  type SetupTextKey,
  setupTexts,
} from "../texts/setup-texts.ts";

export type SetupPath = readonly (string | number)[];

export interface Hint {
  readonly key: SetupHintKey;
  readonly values?: TextValues;
}

/** What is wrong with one value. */
export class ValueFault {
  readonly key: SetupTextKey;
  readonly values: TextValues | undefined;
  readonly hint: Hint | undefined;

  constructor(key: SetupTextKey, values?: TextValues, hint?: Hint) {
    this.key = key;
    this.values = values;
    this.hint = hint;
  }
}

export interface SetupFault {
  readonly path: SetupPath;
  readonly key: SetupTextKey;
  readonly values?: TextValues | undefined;
  readonly hint?: Hint | undefined;
}

/** A fault with its line in the file, if it has one. */
export interface LocatedFault extends SetupFault {
  readonly line?: number;
}

/** The file has faults. Nothing was changed. */
export class SetupFaults extends Error {
  override readonly name = "SetupFaults";
  readonly faults: readonly LocatedFault[];

  constructor(faults: readonly LocatedFault[]) {
    super(`the setup has ${faults.length === 1 ? "a fault" : `${faults.length} faults`}`);
    this.faults = faults;
  }
}

/**
 * Keeps the first fault at each place, so that a key with a wrong value is not also reported as
 * missing.
 */
export function withoutEchoes(faults: readonly SetupFault[]): readonly SetupFault[] {
  const seen = new Set<string>();
  return faults.filter(({ path: place }) => {
    const key = JSON.stringify(place);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** The name of a kind of object, for the text of a fault. */
export function kindText(kind: KindOfObject): LocalizedText {
  return kindTexts[kind];
}

/** `accounts[0].apiKeys[1].key` */
export function formatPath(path: SetupPath): string {
  let text = "";
  for (const step of path) text += typeof step === "number" ? `[${step}]` : `${text === "" ? "" : "."}${step}`;
  return text;
}

export function faultMessage({ key, values }: Pick<SetupFault, "key" | "values">, language: AnswerLanguage): string {
  return localize(setupTexts[key], language, values);
}

export function hintText({ key, values }: Hint, language: AnswerLanguage): string {
  return localize(setupHints[key], language, values);
}

/** The fault with its hint and its line, without its path. */
export function localizedFault({ hint, line, ...fault }: Omit<LocatedFault, "path">): LocalizedText {
  const inLanguage = (language: AnswerLanguage): string =>
    `${faultMessage(fault, language)}${hint === undefined ? "" : ` (${hintText(hint, language)})`}`;
  const place = (word: string): string => (line === undefined ? "" : `${word} ${line}: `);
  return { en: place("line") + inLanguage("en"), fa: place("سطر") + inLanguage("fa") };
}

/** For terminals. */
export function formatFault({ path, line, ...fault }: LocatedFault): string {
  const place = [line === undefined ? "" : `line ${line}`, formatPath(path)].filter((part) => part !== "").join(", ");
  return `${place === "" ? "" : `${place}: `}${localizedFault(fault).en}`;
}

/** "did you mean prefixes?" for a word close to a known one. */
export function hintFor(word: string, known: Iterable<string>): Hint | undefined {
  const wanted = closestTo(word, known);
  return wanted === undefined ? undefined : { key: "didYouMean", values: { word: wanted } };
}

/** The same as text, for commands. */
export function didYouMean(word: string, known: Iterable<string>): string | undefined {
  const hint = hintFor(word, known);
  return hint && hintText(hint, "en");
}

/** The known word that is most like it. */
function closestTo(word: string, known: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Number of letters to insert, remove or replace, capped at `limit`. */
function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) >= limit) return limit;
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return Math.min(limit, previous[right.length] ?? limit);
}
