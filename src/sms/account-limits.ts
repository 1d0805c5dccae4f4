// Judges the messages of a call by what its account has left: duplicates (1207), ceilings of day
// and month (1208), and credit (1201), in list order. A later, cheaper
// message is still accepted if it fits. Pure.
import { type Fault, fault } from "./fault.ts";
import { formatRials } from "./money.ts";
import { type PreparedMessage, type RejectedMessage, storedPurpose } from "./prepare-message.ts";

/** 0: none. */
export interface AccountLimits {
  /** For this long the same text to the same number is a duplicate. */
  readonly duplicateSeconds: number;
  readonly dailyMessages: number;
  /** Rials, like `lowCredit`. */
  readonly monthlyCost: bigint;
  readonly lowCredit: bigint;
}

/** Whether anything must be counted for the account beyond its credit. */
export function hasLimits(limits: AccountLimits, unlimited = false): boolean {
  const { duplicateSeconds, dailyMessages, monthlyCost, lowCredit } = limits;
  return duplicateSeconds > 0 || dailyMessages > 0 || monthlyCost > 0n || (lowCredit > 0n && !unlimited);
}

/** Whether its day and month are counted. */
export function hasCeiling({ dailyMessages, monthlyCost }: AccountLimits): boolean {
  return dailyMessages > 0 || monthlyCost > 0n;
}

/** Codes and replies are asked for: each is free of the duplicate guard. */
export function isGuarded({ purpose, storedPurpose: stored }: PreparedMessage): boolean {
  return purpose !== "code" && stored !== storedPurpose.reply;
}

/** What was used and accepted before the call. */
export interface Used {
  readonly credit: bigint | "unlimited";
  /** Of the day. */
  readonly messages: bigint;
  /** Of the month, in rials. */
  readonly cost: bigint;
  /** Texts that a message of the call may not repeat, by their keys. */
  readonly recentTexts: ReadonlySet<string>;
}

export const nothingUsed: Used = { credit: "unlimited", messages: 0n, cost: 0n, recentTexts: new Set() };

/**
 * The faults of a call's messages, one for each, by its account's limits. `textKey` names sender,
 * recipient and text of a message; undefined for one that is free of the duplicate guard.
 */
export function checkLimits(
  messages: readonly { readonly cost: bigint; readonly textKey: string | undefined }[],
  limits: AccountLimits,
  used: Used,
): readonly (Fault | undefined)[] {
  const texts = new Set(used.recentTexts);
  let { credit, messages: count, cost } = used;
  return messages.map((message) => {
    const found = judgeOne(message, limits, { credit, messages: count, cost, recentTexts: texts });
    if (found !== undefined) return found;
    if (message.textKey !== undefined) texts.add(message.textKey);
    count += 1n;
    cost += message.cost;
    if (credit !== "unlimited") credit -= message.cost;
    return undefined;
  });
}

function judgeOne(
  { cost, textKey }: { readonly cost: bigint; readonly textKey: string | undefined },
  { duplicateSeconds, dailyMessages, monthlyCost }: AccountLimits,
  used: Used,
): Fault | undefined {
  if (textKey !== undefined && used.recentTexts.has(textKey))
    return fault("message.duplicate", undefined, { seconds: duplicateSeconds });
  if (dailyMessages > 0 && used.messages >= BigInt(dailyMessages))
    return fault("account.dailyMessages", undefined, { maximum: formatRials(BigInt(dailyMessages)) });
  if (monthlyCost > 0n && used.cost + cost > monthlyCost)
    return fault("account.monthlyCost", undefined, { maximum: formatRials(monthlyCost) });
  return used.credit !== "unlimited" && cost > used.credit ? fault("credit.insufficient") : undefined;
}

/** Turns prepared messages that have a fault into rejected ones. `faults`: of these, in order. */
export function rejectFaulty(
  verdicts: readonly (PreparedMessage | RejectedMessage)[],
  faults: readonly (Fault | undefined)[],
): (PreparedMessage | RejectedMessage)[] {
  let place = 0;
  return verdicts.map((verdict) => {
    const found = verdict.kind === "prepared" ? faults[place++] : undefined;
    if (found === undefined || verdict.kind === "rejected") return verdict;
    const { senderNumber, recipientNumber, content } = verdict;
    return { kind: "rejected", senderNumber, recipientNumber, content, faults: [found] };
  });
}

// The day and the month of an instant, in a time zone and a calendar. Pure:
// the instant is given, in milliseconds. A period is found by halving the time around the instant,
// so that days of 23 and 25 hours, and months of any length, need no rules of their own.

export type CalendarName = "jalali" | "gregorian";

/** From `from`, which is included, to `until`, which is not. */
export interface Period {
  readonly from: Date;
  readonly until: Date;
}

export interface DayAndMonth {
  readonly day: Period;
  readonly month: Period;
}

const hourMs = 3_600_000;
/** More than the longest day and month, with any change of the clock. */
const longestDayMs = 50 * hourMs;
const longestMonthMs = 33 * 24 * hourMs;

const intlCalendars = { jalali: "persian", gregorian: "gregory" } as const;

export class CalendarPeriods {
  readonly #format: Intl.DateTimeFormat;
  #last: DayAndMonth | undefined;

  constructor({ timeZone, calendar }: { readonly timeZone: string; readonly calendar: CalendarName }) {
    this.#format = new Intl.DateTimeFormat(`en-u-ca-${intlCalendars[calendar]}-nu-latn`, {
      timeZone,
      year: "numeric",
      month: "numeric",
      day: "numeric",
    });
  }

  /** The day and the month that contain the instant; the last answer is remembered. */
  at(instant: number): DayAndMonth {
    if (this.#last === undefined || !contains(this.#last.day, instant) || !contains(this.#last.month, instant))
      this.#last = {
        day: periodAround(instant, longestDayMs, (other) => this.#dayNumber(other)),
        month: periodAround(instant, longestMonthMs, (other) => Math.floor(this.#dayNumber(other) / 100)),
      };
    return this.#last;
  }

  /** Rises with the date on the wall: year, month, day as one number. */
  #dayNumber(instant: number): number {
    const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
    for (const { type, value } of this.#format.formatToParts(instant)) parts[type] = value;
    return Number.parseInt(parts.year ?? "0", 10) * 10_000 + Number(parts.month) * 100 + Number(parts.day);
  }
}

export function contains({ from, until }: Period, instant: number): boolean {
  return from.getTime() <= instant && instant < until.getTime();
}

function periodAround(instant: number, longestMs: number, numberOf: (instant: number) => number): Period {
  const own = numberOf(instant);
  return {
    from: new Date(firstThat((other) => numberOf(other) >= own, instant - longestMs, instant)),
    until: new Date(firstThat((other) => numberOf(other) > own, instant, instant + longestMs)),
  };
}

/** The first millisecond for which it holds: not at `before`, but at `at`. */
function firstThat(holds: (instant: number) => boolean, before: number, at: number): number {
  let [no, yes] = [before, at];
  while (yes - no > 1) {
    const middle = Math.floor((no + yes) / 2);
    if (holds(middle)) yes = middle;
    else no = middle;
  }
  return yes;
}
