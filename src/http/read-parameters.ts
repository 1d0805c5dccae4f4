// Reads parameters tolerantly: names in any case, null and "" as absent,
// numbers as text, repeated values in every usual form, from query, form and JSON alike. Pure.
// Checks only the shape of a value.
import { isUuid } from "../platform/uuid.ts";
import { ApiError, type FieldFinding } from "../texts/errors.ts";
import type { NumberSource } from "../sms/msisdn.ts";
import type { PairList } from "./query-string.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Values of a JSON object by lower-case name. Of names that differ only in case, the last one
 * counts.
 */
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

/**
 * The text of a JSON value. Whole numbers and booleans count as their text.
 * Undefined for other numbers, whose digits are not what was written, and for lists and objects.
 */
export function scalarText(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
      return Number.isSafeInteger(value) ? String(value) : undefined;
    case "boolean":
      return String(value);
    default:
      return undefined;
  }
}

/** The finding on a value that `scalarText` does not take. */
export function notText(field: string, value: unknown): FieldFinding {
  return { field, messageKey: typeof value === "number" ? "field.numberNotText" : "field.notText" };
}

/** One occurrence of a repeated parameter. */
export interface GivenValue {
  readonly value: unknown;
  readonly source: NumberSource;
}

interface HeldValue {
  /** Decodes on demand: unused values stay encoded. */
  readonly read: () => unknown;
  readonly source: NumberSource;
  /** The index in `a[3]=…`. */
  readonly index?: number | undefined;
}

/**
 * Maximum number of pairs of a query or form and items of JSON lists in one call.
 */
export const maximumPairs = 1000;

const arraySuffix = /\[([0-9]{0,9})\]$/;

/**
 * The parameters of a URL endpoint, collected from query and body. Keeps up to `maximumPairs` and
 * records the place of the first surplus one: credentials among the kept ones are checked before
 * the surplus is reported.
 */
export class GivenParameters {
  readonly #values = new Map<string, HeldValue[]>();
  #room = maximumPairs;
  #surplusIn: "query" | "body" | undefined;

  /** How many more pairs are accepted. */
  get room(): number {
    return this.#room;
  }

  /** Set if there were more pairs than are accepted. */
  get surplus(): FieldFinding | undefined {
    if (this.#surplusIn === undefined) return undefined;
    return { field: this.#surplusIn, messageKey: "pairs.tooMany", values: { maximum: maximumPairs } };
  }

  addPairs({ pairs, hasMore }: PairList, place: "query" | "body"): void {
    for (const { name, read } of pairs) {
      const suffix = name.endsWith("]") ? arraySuffix.exec(name) : null;
      const base = suffix === null ? name : name.slice(0, suffix.index);
      const index = suffix?.[1] === undefined || suffix[1] === "" ? undefined : Number(suffix[1]);
      this.#add(base, { read, source: "query", index }, place);
    }
    if (hasMore) this.#surplusIn ??= place;
  }

  addJson(fields: JsonFields): void {
    for (const [name, value] of fields) {
      if (this.#surplusIn !== undefined) return;
      if (Array.isArray(value)) this.#addItems(name, value);
      else if (value !== null) this.#add(name, { read: () => value, source: "json" }, "body");
    }
  }

  #addItems(name: string, items: readonly unknown[]): void {
    for (const item of items) {
      this.#add(name, { read: () => [item], source: "json" }, "body");
      if (this.#surplusIn !== undefined) return;
    }
  }

  #add(name: string, held: HeldValue, place: "query" | "body"): void {
    if (this.#room === 0) {
      this.#surplusIn ??= place;
      return;
    }
    this.#room -= 1;
    const key = name.toLowerCase();
    const list = this.#values.get(key);
    if (list === undefined) this.#values.set(key, [held]);
    else list.push(held);
  }

  /** The last value that is not absent. */
  last(name: string): unknown {
    const values = this.#values.get(name.toLowerCase()) ?? [];
    for (let index = values.length - 1; index >= 0; index -= 1) {
      const value = unwrap(values[index]?.read());
      if (!isAbsent(value)) return value;
    }
    return undefined;
  }

  /** Like `last`, as text. */
  text(name: string): string | undefined {
    return scalarText(this.last(name));
  }

  /**
   * All values in order: first those with an index, by index, then the others in order of arrival.
   */
  list(name: string): readonly GivenValue[] {
    const values = this.#values.get(name.toLowerCase()) ?? [];
    const inOrder = values.some(({ index }) => index !== undefined)
      ? [...values].sort((a, b) => (a.index ?? Infinity) - (b.index ?? Infinity) || 0)
      : values;
    return inOrder.map(({ read, source }) => ({ value: read(), source }));
  }
}

// Unwraps the items of a JSON list. Each is wrapped in a list, which distinguishes it from a single
// value: only single values may contain commas.
function unwrap(value: unknown): unknown {
  return Array.isArray(value) ? (value as unknown[])[0] : value;
}

/**
 * A list of phone numbers. Numbers count as text, and a single value may contain several, separated
 * by commas. Stops after the first number beyond the limit of a call.
 */
export function readNumbers(list: readonly GivenValue[]): { text: string; source: NumberSource }[] {
  const numbers: { text: string; source: NumberSource }[] = [];
  for (const { value, source } of list) {
    if (numbers.length > maximumPairs) break;
    const texts = Array.isArray(value) ? [showValue(value[0])] : splitNumbers(showValue(value));
    for (const text of texts) numbers.push({ text, source });
  }
  return numbers;
}

function splitNumbers(text: string): string[] {
  if (!text.includes(",")) return [text];
  const pieces = text.split(",", maximumPairs + 1);
  // A trailing comma is common and does not mean an empty number.
  if (pieces.at(-1)?.trim() === "") pieces.pop();
  return pieces;
}

/**
 * A list of texts. Undefined for a value that is not text: a content must be a JSON string.
 */
export function readContents(list: readonly GivenValue[]): (string | undefined)[] {
  return list.map(({ value }) => {
    const item = unwrap(value);
    return typeof item === "string" ? item : undefined;
  });
}

function showValue(value: unknown): string {
  return isAbsent(value) ? "" : (scalarText(value) ?? JSON.stringify(value));
}

const digits = /^[0-9\u0660-\u0669\u06f0-\u06f9]{1,15}$/;

/** A whole number, or a text of digits including Persian ones; undefined for anything else. */
export function readInteger(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? value : undefined;
  if (typeof value !== "string" || !digits.test(value)) return undefined;
  let number = 0;
  // In each of the three blocks, the low four bits of a digit are its value.
  for (let index = 0; index < value.length; index += 1) number = number * 10 + (value.charCodeAt(index) & 0xf);
  return number;
}

const maximumCount = 100;

export function readCount(parameters: GivenParameters, findings: FieldFinding[]): number {
  const given = parameters.text("count");
  if (given === undefined) return maximumCount;
  const count = readInteger(given);
  if (count !== undefined && count >= 1 && count <= maximumCount) return count;
  findings.push({ field: "count", messageKey: "count.range", values: { maximum: maximumCount } });
  return maximumCount;
}

/** The id of a batch in lower case. Throws 1001 if it is missing or no UUID. */
export function readBatchId(given: unknown): string {
  const text = scalarText(given);
  if (text === undefined || text === "") throw ApiError.invalidParameter("batchId", "field.required");
  if (!isUuid(text)) throw ApiError.invalidParameter("batchId", "id.form");
  return text.toLowerCase();
}
