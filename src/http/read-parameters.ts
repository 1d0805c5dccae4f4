// Reads what callers send, generously (decisions §1 and §2): names in any case, null and "" as absent, numbers as text,
// repeated values in every usual form, from query, form and JSON alike. Pure. Judges nothing but the shape of a value.
import type { NumberSource } from "../sms/msisdn.ts";
import type { TextPair } from "./query-string.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** Values of a JSON object by lower-case name. Of names that differ only in case the last counts. */
export type JsonFields = ReadonlyMap<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function foldNames(object: JsonObject): JsonFields {
  const fields = new Map<string, unknown>();
  for (const name of Object.keys(object)) fields.set(name.toLowerCase(), object[name]);
  return fields;
}

/** null and "" count as absent. */
export function isAbsent(value: unknown): value is undefined | null | "" {
  return value === undefined || value === null || value === "";
}

/** Text of a JSON value that stands for text: numbers and booleans are read as theirs. Undefined for lists and objects. */
export function textOf(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
    case "boolean":
      return String(value);
    default:
      return undefined;
  }
}

/** One occurrence of a repeated parameter. `index` is that of `a[3]=…`. */
export interface GivenValue {
  readonly value: unknown;
  readonly source: NumberSource;
  readonly index?: number | undefined;
}

const arraySuffix = /\[([0-9]{0,9})\]$/;

/** The parameters of a URL endpoint, gathered from query and body. */
export class GivenParameters {
  readonly #values = new Map<string, GivenValue[]>();

  addPairs(pairs: readonly TextPair[]): void {
    for (const { name, value } of pairs) {
      const suffix = name.endsWith("]") ? arraySuffix.exec(name) : null;
      const base = suffix === null ? name : name.slice(0, suffix.index);
      const index = suffix?.[1] === undefined || suffix[1] === "" ? undefined : Number(suffix[1]);
      this.#add(base, { value, source: "query", index });
    }
  }

  addJson(object: JsonObject): void {
    for (const [name, value] of foldNames(object)) {
      if (Array.isArray(value))
        for (const item of value as unknown[]) this.#add(name, { value: [item], source: "json" });
      else if (value !== null) this.#add(name, { value, source: "json" });
    }
  }

  #add(name: string, given: GivenValue): void {
    const key = name.toLowerCase();
    const list = this.#values.get(key);
    if (list === undefined) this.#values.set(key, [given]);
    else list.push(given);
  }

  /** The last occurrence that is not absent, as text. */
  text(name: string): string | undefined {
    const values = this.#values.get(name.toLowerCase()) ?? [];
    for (let index = values.length - 1; index >= 0; index -= 1) {
      const value = unwrap(values[index]?.value);
      if (!isAbsent(value)) return textOf(value);
    }
    return undefined;
  }

  /** Every occurrence in order: those with an index first, by index, then the others as they came. */
  list(name: string): readonly GivenValue[] {
    const values = this.#values.get(name.toLowerCase()) ?? [];
    if (!values.some(({ index }) => index !== undefined)) return values;
    return [...values].sort((a, b) => (a.index ?? Infinity) - (b.index ?? Infinity) || 0);
  }
}

// A JSON list's items are kept in a list of one, which tells them from a single value: only single values hold commas.
function unwrap(value: unknown): unknown {
  return Array.isArray(value) ? (value as unknown[])[0] : value;
}

/** A list of phone numbers: numbers count as text, and a single value may hold several with commas between. */
export function readNumbers(list: readonly GivenValue[]): { text: string; source: NumberSource }[] {
  return list.flatMap(({ value, source }) => {
    if (Array.isArray(value)) return [{ text: showValue(value[0]), source }];
    const text = showValue(value);
    if (!text.includes(",")) return [{ text, source }];
    const pieces = text.split(",");
    // A trailing comma is a habit, not an empty number.
    if (pieces.at(-1)?.trim() === "" && pieces.length > 1) pieces.pop();
    return pieces.map((piece) => ({ text: piece, source }));
  });
}

/** A list of texts. What is no text is undefined: a content must be a JSON string (decisions §1 "Numbers as text"). */
export function readContents(list: readonly GivenValue[]): (string | undefined)[] {
  return list.map(({ value }) => {
    const item = unwrap(value);
    return typeof item === "string" ? item : undefined;
  });
}

function showValue(value: unknown): string {
  return isAbsent(value) ? "" : (textOf(value) ?? JSON.stringify(value));
}

const digits = /^[0-9\u0660-\u0669\u06f0-\u06f9]{1,15}$/;

/** A whole number given as number or as text of digits, Persian ones too; undefined for anything else. */
export function readInteger(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? value : undefined;
  if (typeof value !== "string" || !digits.test(value)) return undefined;
  let number = 0;
  // The low four bits of a digit in each of the three blocks are its value.
  for (let index = 0; index < value.length; index += 1) number = number * 10 + (value.charCodeAt(index) & 0xf);
  return number;
}
