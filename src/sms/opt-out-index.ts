// The opted-out numbers of all lines, in memory: a call looks up one number in a microsecond. Some 25 octets
// a number, also where many lists have few: packed as those of block lists, each list would have its own blocks.
import { plainForm } from "./segmentation.ts";
import { type Msisdn, cleanNumber, parseRecipient } from "./msisdn.ts";
import { placeOf } from "./number-blocks.ts";
import { foldText, foldWithoutBlanks } from "./folding.ts";
import type { OptOutMode, SenderLine } from "./sender-line.ts";

/** Stands for an account where an entry concerns all. */
export const allAccounts = 0;

/** A line's and an account's numbers. */
export interface OptOutList {
  readonly line: string;
  /** `allAccounts`, or the only one that is concerned. */
  readonly accountId: number;
}

/** Answers whether an account must not send to a number from a line. */
export interface OptOuts {
  has(line: string, accountId: number, recipient: Msisdn): boolean;
}

export const noOptOuts: OptOuts = { has: () => false };

export class OptOutIndex implements OptOuts {
  /** Their places (number-blocks.ts) by line and account. */
  #lines = new Map<string, Map<number, Set<number>>>();

  has(line: string, accountId: number, recipient: Msisdn): boolean {
    const lists = this.#lines.get(line);
    if (lists === undefined) return false;
    const place = placeOf(recipient);
    return (lists.get(allAccounts)?.has(place) ?? false) || (lists.get(accountId)?.has(place) ?? false);
  }

  add({ line, accountId }: OptOutList, place: number): void {
    let lists = this.#lines.get(line);
    if (lists === undefined) this.#lines.set(line, (lists = new Map<number, Set<number>>()));
    const places = lists.get(accountId);
    if (places === undefined) lists.set(accountId, new Set([place]));
    else places.add(place);
  }

  /** The number is now concerned by exactly these lists of the line. */
  set(line: string, place: number, accountIds: readonly number[]): void {
    for (const places of this.#lines.get(line)?.values() ?? []) places.delete(place);
    for (const accountId of accountIds) this.add({ line, accountId }, place);
  }

  /** Takes over everything of another index, which must not be used afterwards. */
  become(other: OptOutIndex): void {
    this.#lines = other.#lines;
  }
}

// The words by which people say that they want nothing more from a line, or that they do again; and
// the notice that tells them how. Compared folded (folding.ts). Pure.

export function optOutModeOf({ kind, optOut }: SenderLine): OptOutMode {
  return optOut ?? (kind === "dedicated" ? "off" : "honour");
}

export const defaultOptOutWords = {
  stop: ["11", "لغو", "لغو11", "لغو 11", "stop", "unsubscribe", "cancel", "end", "quit", "stopall", "stop all"],
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

/** Dashes, other punctuation and signs such as − and + within are blanks: a word may come as لغو-۱۱. */
function foldWord(text: string): string {
  return foldText(text)
    .replace(/[\p{P}\p{Sm}\s]+/gu, " ")
    .trim();
}

/** Whether the sender of a message can be on a list: short codes and names cannot. */
export function mobileNumberOf(sender: string): Msisdn | undefined {
  return parseRecipient(cleanNumber(sender, "json"));
}

/** Whether a text ends in the notice, or in its plain form, as `tidyTexts` makes it. */
export function endsInNotice(text: string, notice: string): boolean {
  const folded = foldWithoutBlanks(text);
  return [notice, plainForm(notice)].some((ending) => folded.endsWith(foldWithoutBlanks(ending)));
}

export function withNotice(text: string, notice: string): string {
  return endsInNotice(text, notice) ? text : `${text}\n${notice}`;
}
