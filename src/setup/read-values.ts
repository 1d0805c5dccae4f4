// Readers of single values of a setup file. Each returns the value, or records a fault and returns
// undefined.
import { passwordFault, passwordFaultTexts } from "../credentials/new-password.ts";
import { cleanNumber } from "../sms/msisdn.ts";
import { isOneLine } from "../sms/one-line.ts";
import { hintFor, type SetupFault, type SetupPath } from "./fault.ts";

/** Checks and converts one value. Returns it, or a description of what it must be. */
export type ValueReader<Value> = (value: unknown) => Value | ValueFault;

export class ValueFault {
  readonly message: string;
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    this.message = message;
    this.hint = hint;
  }
}

/** Reads one object of the file key by key and collects faults in `faults`. */
export class ObjectReader {
  readonly faults: SetupFault[];
  readonly #value: Readonly<Record<string, unknown>>;
  readonly #above: ObjectReader | undefined;
  readonly #place: SetupPath;

  /** `place`: below the object above, or in the file. */
  constructor(value: Readonly<Record<string, unknown>>, place: SetupPath, faults: SetupFault[], above?: ObjectReader) {
    this.#value = value;
    this.#place = place;
    this.#above = above;
    this.faults = faults;
  }

  /** Made when it is asked for: most objects inside others are never named. */
  get path(): SetupPath {
    return this.#above === undefined ? this.#place : [...this.#above.path, ...this.#place];
  }

  fault(path: SetupPath, message: string, hint?: string): void {
    this.faults.push({ path: [...this.path, ...path], message, ...(hint === undefined ? {} : { hint }) });
  }

  /** Records a fault for every unknown key. */
  expectKeys(known: readonly string[]): void {
    for (const key of Object.keys(this.#value)) {
      if (!known.includes(key)) this.fault([key], `${key} is an unknown key`, hintFor(key, known));
    }
  }

  raw(key: string): unknown {
    return this.#value[key];
  }

  /** The value of an optional key. */
  optional<Value>(key: string, read: ValueReader<Value>): Value | undefined {
    return this.#value[key] === undefined ? undefined : this.#read(key, read);
  }

  /** The value of a required key. */
  required<Value>(key: string, read: ValueReader<Value>): Value | undefined {
    if (this.#value[key] !== undefined && this.#value[key] !== null) return this.#read(key, read);
    this.fault([key], "is missing");
    return undefined;
  }

  /** A list without its faulty items, each of which is recorded as a fault. */
  list<Value>(key: string, read: ValueReader<Value>): readonly Value[] | undefined {
    const items = this.#value[key];
    if (items === undefined) return undefined;
    if (!Array.isArray(items)) {
      this.fault([key], "must be a list");
      return undefined;
    }
    const values: Value[] = [];
    for (const [index, item] of (items as unknown[]).entries()) {
      const value = this.#judge([key, index], read(item));
      if (value !== undefined) values.push(value);
    }
    return values;
  }

  /** A list of objects. Calls `read` for each object; undefined from `read` leaves the item out. */
  objects<Value>(key: string, read: (reader: ObjectReader) => Value | undefined): readonly Value[] | undefined {
    const items = this.#value[key];
    if (items === undefined) return undefined;
    if (!Array.isArray(items)) {
      this.fault([key], "must be a list");
      return undefined;
    }
    const values: Value[] = [];
    for (const [index, item] of (items as unknown[]).entries()) {
      const reader = this.object([key, index], item);
      const value = reader && read(reader);
      if (value !== undefined) values.push(value);
    }
    return values;
  }

  /** A reader for an object inside this one. */
  object(path: SetupPath, value: unknown): ObjectReader | undefined {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return new ObjectReader(value as Record<string, unknown>, path, this.faults, this);
    }
    this.fault(path, "must be an object with keys");
    return undefined;
  }

  #read<Value>(key: string, read: ValueReader<Value>): Value | undefined {
    return this.#judge([key], read(this.#value[key]));
  }

  #judge<Value>(path: SetupPath, outcome: Value | ValueFault): Value | undefined {
    if (!(outcome instanceof ValueFault)) return outcome;
    this.fault(path, outcome.message, outcome.hint);
    return undefined;
  }
}

/** A number or a boolean counts as text, because YAML makes one of an unquoted value. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

/** The name of an object: no blanks at the ends, no invisible characters. */
export const nameText: ValueReader<string> = (value) => {
  const text = textOf(value);
  if (text === undefined || text === "") return new ValueFault("must be a text");
  if (text.length > 100) return new ValueFault("must not be longer than 100 characters");
  return isOneLine(text)
    ? text
    : new ValueFault("must not begin or end with a blank, and not contain control characters");
};

/** Like `nameText`, but not "*", which has a special meaning. */
export const operatorName: ValueReader<string> = (value) =>
  value === "*" ? new ValueFault("must be a name; * stands for all operators") : nameText(value);

export const yesOrNo: ValueReader<boolean> = (value) =>
  typeof value === "boolean" ? value : new ValueFault("must be true or false");

export function choice<Word extends string>(words: readonly Word[]): ValueReader<Word> {
  return (value) => {
    const word = words.find((candidate) => candidate === value);
    if (word !== undefined) return word;
    const hint = typeof value === "string" ? hintFor(value, words) : undefined;
    return new ValueFault(`must be ${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`, hint);
  };
}

export function wholeNumber(from: number, to: number): ValueReader<number> {
  return (value) => {
    const number = toNumber(value);
    return Number.isInteger(number) && number >= from && number <= to
      ? number
      : new ValueFault(`must be a whole number from ${from} to ${to}`);
  };
}

export function numberBetween(from: number, to: number): ValueReader<number> {
  return (value) => {
    const number = toNumber(value);
    return number >= from && number <= to ? number : new ValueFault(`must be a number from ${from} to ${to}`);
  };
}

function toNumber(value: unknown): number {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^-?[0-9]+(?:\.[0-9]+)?$/.test(value) ? Number(value) : Number.NaN;
}

/** Above any real amount, and far below the maximum of a bigint column. */
const maximumRials = 1_000_000_000_000_000n;

export const rials: ValueReader<bigint> = (value) => {
  const text = textOf(value);
  const amount = text !== undefined && /^[0-9]{1,16}$/.test(text) ? BigInt(text) : undefined;
  return amount !== undefined && amount <= maximumRials
    ? amount
    : new ValueFault(`must be a whole number of rials from 0 to ${maximumRials.toString()}`);
};

/** The value, or null if the file says that there is none. */
export function orNone<Value>(read: ValueReader<Value>): ValueReader<Value | null> {
  return (value) => (value === null || value === "" ? null : read(value));
}

const instantForm = /^(2\d{3}-\d{2}-(\d{2}))T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** A time of ISO 8601 with its offset. */
export const instant: ValueReader<Date> = (value) => {
  const [text = "", date = "", day] = (typeof value === "string" && instantForm.exec(value)) || [];
  const at = new Date(text);
  // JavaScript takes 30 February for 2 March.
  const isDay = new Date(date).getUTCDate() === Number(day);
  return isDay && !Number.isNaN(at.getTime())
    ? at
    : new ValueFault("must be a time with its offset from UTC, such as 2026-12-31T23:59:59+03:30");
};

/** The digits of a number as people write it. */
export function digitsOf(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : cleanNumber(text, "json");
}

const zoneForm = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/;

export const timeZoneName: ValueReader<string> = (value) => {
  if (typeof value === "string" && zoneForm.test(value) && isKnownZone(value)) return value;
  return new ValueFault("must be the name of a time zone, such as Asia/Tehran");
};

function isKnownZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** `username`: of the person whose password it is; undefined where that has a fault. */
export function newPassword(username = ""): ValueReader<string> {
  return (value) => {
    const text = textOf(value) ?? "";
    const fault = passwordFault(text, username);
    return fault === undefined ? text : new ValueFault(passwordFaultTexts[fault]);
  };
}
