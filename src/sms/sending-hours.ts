// When messages may go out: windows of a week in a time zone, except on some
// dates, by the clock on the wall. Pure; the instant is given, in milliseconds. The answers are computed
// for eight days at a time and remembered.
import type { RuleScope } from "./sender-line.ts";

export const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;

export type Weekday = (typeof weekdays)[number];

export interface SendingWindow {
  readonly days: readonly Weekday[];
  /** "HH:MM", like `to`, which may be "24:00". */
  readonly from: string;
  /** Not after `from`: it ends the next day. */
  readonly to: string;
}

/** As the setup file writes it, with its defaults. */
export interface SendingHoursRule extends RuleScope {
  readonly name: string;
  readonly timeZone: string;
  readonly windows: readonly SendingWindow[];
  /** Dates on which no window begins: Jalali in years 1300 to 1499, else Gregorian. */
  readonly except: readonly string[];
}

/** A range of time in which messages may go out. */
export interface OpenTime {
  /** The instant that was asked for, or the beginning of the next window. */
  readonly from: number;
  /** Until then messages may go out; what is true afterwards must be asked for again. */
  readonly until: number;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const chunkMs = 8 * dayMs;
const rememberedChunks = 64;

/** The longest time that a search for a window passes over, beyond the excepted dates. */
const searchedDays = 400;

interface LocalWindow {
  readonly days: ReadonlySet<number>;
  /** Minutes from the beginning of its day. */
  readonly from: number;
  readonly to: number;
}

/** Half-open, in milliseconds. */
type Interval = readonly [start: number, end: number];

export class SendingHours {
  readonly name: string;
  readonly scope: RuleScope;
  readonly #windows: readonly LocalWindow[];
  readonly #except: ReadonlySet<string>;
  readonly #exceptsJalali: boolean;
  readonly #wallClock: (instant: number) => number;
  readonly #chunks = new Map<number, readonly Interval[]>();

  constructor(rule: SendingHoursRule) {
    this.name = rule.name;
    this.scope = { lines: rule.lines, accounts: rule.accounts };
    this.#windows = rule.windows.map(readWindow);
    this.#except = new Set(rule.except);
    this.#exceptsJalali = rule.except.some(isJalali);
    this.#wallClock = wallClockOf(rule.timeZone);
  }

  isOpen(instant: number): boolean {
    return this.openTime(instant)?.from === instant;
  }

  /** Undefined if no window begins within a year after the excepted dates. */
  openTime(instant: number): OpenTime | undefined {
    const first = Math.floor(instant / chunkMs);
    const chunks = Math.ceil(((this.#except.size + searchedDays) * dayMs) / chunkMs);
    for (let chunk = first; chunk <= first + chunks; chunk += 1) {
      const found = this.#openIn(chunk).find(([, end]) => end > instant);
      if (found !== undefined) return { from: Math.max(instant, found[0]), until: this.#endOf(found, chunk) };
    }
    return undefined;
  }

  // A range that reaches the end of its chunk continues in the next one.
  #endOf([, end]: Interval, chunk: number): number {
    const next = (chunk + 1) * chunkMs;
    if (end < next) return end;
    const [following] = this.#openIn(chunk + 1);
    return following?.[0] === next ? following[1] : end;
  }

  #openIn(chunk: number): readonly Interval[] {
    let open = this.#chunks.get(chunk);
    if (open === undefined) {
      open = this.#compute(chunk * chunkMs, (chunk + 1) * chunkMs);
      if (this.#chunks.size >= rememberedChunks) this.#chunks.clear();
      this.#chunks.set(chunk, open);
    }
    return open;
  }

  #compute(start: number, end: number): readonly Interval[] {
    const found: Interval[] = [];
    // A window may end the day after it began, and the clock on the wall may be a day ahead or behind.
    for (let day = Math.floor(start / dayMs) - 2; (day - 1) * dayMs < end; day += 1) {
      const midnight = day * dayMs;
      const weekday = new Date(midnight).getUTCDay();
      const windows = this.#windows.filter(({ days }) => days.has(weekday));
      if (windows.length === 0 || this.#isExcepted(midnight)) continue;
      for (const { from, to } of windows) {
        const interval: Interval = [
          Math.max(start, this.#instantAt(midnight + from * minuteMs)),
          Math.min(end, this.#instantAt(midnight + to * minuteMs)),
        ];
        if (interval[0] < interval[1]) found.push(interval);
      }
    }
    return merged(found);
  }

  /** When the clock on the wall shows this, given as if it were UTC; of an hour that it skips or repeats, about then. */
  #instantAt(wall: number): number {
    const near = wall - this.#offsetAt(wall - dayMs);
    return wall - this.#offsetAt(near);
  }

  /** The clock on the wall less UTC. */
  #offsetAt(instant: number): number {
    return this.#wallClock(instant) - Math.floor(instant / 1000) * 1000;
  }

  #isExcepted(midnight: number): boolean {
    if (this.#except.size === 0) return false;
    if (this.#except.has(new Date(midnight).toISOString().slice(0, 10))) return true;
    return this.#exceptsJalali && this.#except.has(jalaliDate(midnight));
  }
}

/** When a validity ends that began at `from` and stands still while the hours are closed. */
export function endOfValidity(from: number, validMs: number, hours: SendingHours | undefined): number {
  let [at, leftMs] = [from, validMs];
  for (;;) {
    const open = hours?.openTime(at);
    if (open === undefined) return at + leftMs;
    if (open.from + leftMs <= open.until) return open.from + leftMs;
    leftMs -= open.until - open.from;
    at = open.until;
  }
}

/** When a message in the queue may go out. */
export interface QueuedTime {
  readonly dueAt: Date;
  /** When it would be due without sending hours; null: at `dueAt`. */
  readonly wantedAt: Date | null;
  /** Until then it may go out; null: at any time. */
  readonly windowEnd: Date | null;
}

export interface MovedTime extends QueuedTime {
  /** By how much its validity moves: it stands still while hours forbid the message. */
  readonly shiftMs: number;
}

/**
 * The time of a message that waits, by the hours that count now; undefined if it is right as it is.
 * Hours without a next window let it go, as they do when it is accepted and when it is written.
 */
export function movedTime(queued: QueuedTime, hours: SendingHours | undefined, now: Date): MovedTime | undefined {
  const wanted = queued.wantedAt ?? queued.dueAt;
  const earliest = Math.max(wanted.getTime(), now.getTime());
  const open = hours?.openTime(earliest) ?? { from: earliest, until: undefined };
  const windowEnd = open.until === undefined ? null : new Date(open.until);
  const dueAt = newDue(queued, { wanted, earliest, from: open.from });
  const isSame = dueAt.getTime() === queued.dueAt.getTime() && windowEnd?.getTime() === queued.windowEnd?.getTime();
  if (isSame) return undefined;
  const wantedAt = dueAt.getTime() === wanted.getTime() ? null : wanted;
  return { dueAt, wantedAt, windowEnd, shiftMs: validityShift(queued, { hours, from: open.from, now: now.getTime() }) };
}

/** What is due keeps its place in the line. */
function newDue({ dueAt }: QueuedTime, at: { wanted: Date; earliest: number; from: number }): Date {
  if (at.from > at.earliest) return new Date(at.from);
  return dueAt.getTime() <= at.earliest ? dueAt : at.wanted;
}

// The validity of a message that is not due runs from its due time. That of one that is due has run
// whenever its hours allowed it.
function validityShift(
  { dueAt, windowEnd }: QueuedTime,
  { hours, from, now }: { hours: SendingHours | undefined; from: number; now: number },
): number {
  if (dueAt.getTime() > now) return from - dueAt.getTime();
  let closedMs = 0;
  let at = Math.min(now, windowEnd?.getTime() ?? now);
  while (at < from) {
    const open = hours?.openTime(at);
    if (open === undefined) return closedMs;
    closedMs += open.from - at;
    at = open.until;
  }
  return closedMs;
}

function readWindow({ days, from, to }: SendingWindow): LocalWindow {
  const [begins, ends] = [minutesOf(from), minutesOf(to)];
  return {
    days: new Set(days.map((day) => weekdays.indexOf(day))),
    from: begins,
    to: ends > begins ? ends : ends + 24 * 60,
  };
}

function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

const timeForm = /^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/;

/** Whether it is a time of the day that a window may begin or, with "24:00", end at. */
export function isTimeOfDay(text: string, { mayEndDay }: { mayEndDay: boolean }): boolean {
  return timeForm.test(text) || (mayEndDay && text === "24:00");
}

const dateForm = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;

function isJalali(date: string): boolean {
  return date >= "1300" && date < "1500";
}

/** Whether a date exists in its calendar: Jalali in years 1300 to 1499, else Gregorian. */
export function isExceptDate(text: string): boolean {
  if (!dateForm.test(text)) return false;
  const [year, month, day] = text.split("-").map(Number) as [number, number, number];
  if (!isJalali(text)) {
    const date = new Date(0);
    date.setUTCFullYear(year, month - 1, day);
    return date.toISOString().slice(0, 10) === text;
  }
  // The year begins between 19 and 22 March. A month has at most 31 days, the first six have them.
  const start = Date.UTC(year + 621, 2, 19);
  const passed = (month - 1) * 31 - Math.max(0, month - 7) + day - 1;
  return [-1, 0, 1, 2, 3, 4].some((slack) => jalaliDate(start + (passed + slack) * dayMs) === text);
}

const jalaliParts = new Intl.DateTimeFormat("en-u-ca-persian-nu-latn", {
  timeZone: "UTC",
  year: "numeric",
  month: "numeric",
  day: "numeric",
});

/** The Jalali date of a day that is given by its midnight in UTC. */
function jalaliDate(midnight: number): string {
  const parts = partsOf(jalaliParts, midnight);
  return `${pad(parts.year, 4)}-${pad(parts.month, 2)}-${pad(parts.day, 2)}`;
}

function pad(value: number | undefined, length: number): string {
  return String(value ?? 0).padStart(length, "0");
}

function partsOf(format: Intl.DateTimeFormat, instant: number): Readonly<Record<string, number>> {
  return Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, Number.parseInt(value, 10)]));
}

/** What a clock of the zone shows, in whole seconds as if it were UTC. */
function wallClockOf(timeZone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat("en-u-ca-gregory-nu-latn", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (instant) => {
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = partsOf(format, instant);
    return Date.UTC(year, month - 1, day, hour, minute, second);
  };
}

function merged(intervals: readonly Interval[]): Interval[] {
  const joined: Interval[] = [];
  for (const [start, end] of [...intervals].sort(([left], [right]) => left - right)) {
    const last = joined.at(-1);
    if (last !== undefined && start <= last[1]) joined[joined.length - 1] = [last[0], Math.max(last[1], end)];
    else joined.push([start, end]);
  }
  return joined;
}
