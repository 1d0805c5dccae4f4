// The day and the month of an instant, in a time zone and a calendar (events-and-rules §6). Pure:
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
