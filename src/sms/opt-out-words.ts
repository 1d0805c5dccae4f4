// The words by which people say that they want nothing more from a line, or that they do again; and
// the notice that tells them how. Compared folded (folding.ts). Pure.
import { foldText, foldWithoutBlanks } from "./folding.ts";
import { cleanNumber, parseRecipient, type Msisdn } from "./msisdn.ts";
import type { OptOutMode, SenderLine } from "./sender-line.ts";

export function optOutModeOf({ kind, optOut }: SenderLine): OptOutMode {
  return optOut ?? (kind === "dedicated" ? "off" : "honour");
}

export const defaultOptOutWords = {
  stop: ["11", "لغو", "لغو11", "لغو 11", "stop", "unsubscribe", "cancel", "end", "quit", "stopall"],
  resume: ["12", "start"],
} as const;

export const defaultOptOutNotice = "لغو۱۱";

/** As people write them; every form of a word stands for all that fold alike. */
export interface OptOutWords {
  readonly stop: readonly string[];
  readonly resume: readonly string[];
}

/** Made once for each configuration. */
export class WordReader {
  readonly #stop: ReadonlySet<string>;
  readonly #resume: ReadonlySet<string>;

  constructor({ stop, resume }: OptOutWords) {
    this.#stop = foldedSet(stop);
    this.#resume = foldedSet(resume);
  }

  read(text: string): "stop" | "resume" | undefined {
    if (text.length > longestText) return undefined;
    const folded = foldWord(text);
    if (this.#stop.has(folded)) return "stop";
    return this.#resume.has(folded) ? "resume" : undefined;
  }
}

/** Nobody writes a word with more; to fold a longer text takes long. */
const longestText = 1000;

function foldedSet(words: readonly string[]): ReadonlySet<string> {
  // A word of punctuation alone would be every text of punctuation.
  return new Set(words.map(foldWord).filter((word) => word !== ""));
}

/** Dashes and other punctuation within are blanks: a word may come as لغو-۱۱. */
function foldWord(text: string): string {
  return foldText(text).replace(/[\p{P}\s]+/gu, " ");
}

/** Whether the sender of a message can be on a list: short codes and names cannot. */
export function mobileNumberOf(sender: string): Msisdn | undefined {
  return parseRecipient(cleanNumber(sender, "json"));
}

/** Whether a text ends in the notice. */
export function endsInNotice(text: string, notice: string): boolean {
  return foldWithoutBlanks(text).endsWith(foldWithoutBlanks(notice));
}

export function withNotice(text: string, notice: string): string {
  return endsInNotice(text, notice) ? text : `${text}\n${notice}`;
}
