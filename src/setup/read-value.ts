// Reads single values by what their fields declare: the value as it is stored, or what is wrong
// with it.
import {
  type ChoiceValue,
  type FieldOf,
  instant,
  type NumberValue,
  type SetupField,
  string,
  type TextValue,
  type Tls,
  type TlsVersion,
  tlsVersions,
} from "../fields/field.ts";
import { hintFor, ValueFault } from "./fault.ts";
import { textForms } from "./text-forms.ts";

/** Checks and converts one value. */
export type ValueReader<Value> = (value: unknown) => Value | ValueFault;

/** For callers outside of setup files that take the same values. */
export function readerOf<Value>(field: FieldOf<Value>): ValueReader<Value> {
  return (value) => readValue(field, value) as Value | ValueFault;
}

export const nameText: ValueReader<string> = readerOf(string(100, "name"));
export const lineNumber: ValueReader<string> = readerOf(string(20, "lineNumber"));
export const recipientNumber: ValueReader<string> = readerOf(string(30, "mobile"));
export const addressBlock: ValueReader<string> = readerOf(string(60, "addressBlock"));
export const refusalText: ValueReader<string> = readerOf(string(500, "refusal"));
export const instantText: ValueReader<Date> = readerOf(instant());

/** Not of lists and objects. */
export function readValue(field: SetupField, value: unknown): unknown {
  switch (field.kind) {
    case "text":
      return readText(field, value);
    case "choice":
      return readChoice(field, value);
    case "whole":
    case "number":
      return readNumber(field, value);
    case "rials":
      return readRials(value, "rials");
    case "credit":
      return value === "unlimited" ? value : readRials(value, "rialsOrUnlimited");
    case "yesNo":
      return typeof value === "boolean" ? value : new ValueFault("yesOrNo");
    case "yes":
      return value === true ? value : new ValueFault("onlyTrue");
    case "instant":
      return readInstant(value);
    case "tls":
      return readTls(value);
    default:
      throw new Error(`a ${field.kind} is no single value`);
  }
}

function readNumber({ kind, min, max, auto }: NumberValue, value: unknown): unknown {
  if (auto === true && value === "auto") return value;
  const number = toNumber(value);
  const isRight = number >= min && number <= max && (kind === "number" || Number.isInteger(number));
  return isRight ? number : new ValueFault(auto === true ? "wholeOrAuto" : kind, { from: min, to: max });
}

/** A number or a boolean counts as text, because YAML makes one of an unquoted value. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

function readText({ max, form }: TextValue, value: unknown): string | ValueFault {
  // YAML makes a number of 0x1400.
  const text = form === "tlvTag" && typeof value === "number" ? `0x${value.toString(16)}` : textOf(value);
  const mayBeEmpty = form === "any" || form === "ascii" || form.endsWith("OrEmpty");
  if (text === undefined || (text === "" && !mayBeEmpty)) return new ValueFault("text");
  return text.length > max ? new ValueFault("tooLong", { most: max }) : textForms[form](text);
}

function readChoice({ words }: ChoiceValue, value: unknown): string | ValueFault {
  const given = typeof value === "number" ? String(value) : value;
  const word = words.find((candidate) => candidate === given);
  if (word !== undefined) return word;
  return new ValueFault(
    "choice",
    { words: words.join(", ") },
    typeof value === "string" ? hintFor(value.slice(0, 100), words) : undefined,
  );
}

function toNumber(value: unknown): number {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^-?[0-9]{1,16}(?:\.[0-9]{1,16})?$/.test(value) ? Number(value) : Number.NaN;
}

/** Above any real amount, and far below the maximum of a bigint column. */
const mostRials = 1_000_000_000_000_000n;

function readRials(value: unknown, key: "rials" | "rialsOrUnlimited"): bigint | ValueFault {
  const text = textOf(value);
  const amount = text !== undefined && /^[0-9]{1,16}$/.test(text) ? BigInt(text) : undefined;
  if (amount !== undefined && amount <= mostRials) return amount;
  return new ValueFault(key, { to: mostRials.toString() });
}

const instantForm = /^(2\d{3}-\d{2}-(\d{2}))T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** A time of ISO 8601 with its offset. */
function readInstant(value: unknown): Date | ValueFault {
  const [text = "", date = "", day] = (typeof value === "string" && instantForm.exec(value)) || [];
  const at = new Date(text);
  // JavaScript takes 30 February for 2 March.
  const isDay = new Date(date).getUTCDate() === Number(day);
  return isDay && !Number.isNaN(at.getTime()) ? at : new ValueFault("instant");
}

/** Of certificates in PEM format. */
export const longestPem = 1_048_576;

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

function readTls(value: unknown): false | Tls | ValueFault {
  if (value === false || value === null) return false;
  if (value === true) return { verify: true };
  if (typeof value !== "object" || Array.isArray(value)) return new ValueFault("tls");
  const { ca, cert, verify = true, minVersion, ...unknownKeys } = value as Record<string, unknown>;
  if (Object.keys(unknownKeys).length > 0 || typeof verify !== "boolean") return new ValueFault("tls");
  const texts: { ca?: string; cert?: string } = {};
  for (const [key, text] of Object.entries({ ca, cert })) {
    if (isEmpty(text)) continue;
    if (typeof text !== "string") return new ValueFault("tls");
    if (text.length > longestPem) return new ValueFault("tooLong", { most: longestPem });
    texts[key as keyof typeof texts] = text;
  }
  const version = readTlsVersion(minVersion);
  if (version instanceof ValueFault) return version;
  return { ...texts, verify, ...(version !== undefined && { minVersion: version }) };
}

function readTlsVersion(given: unknown): TlsVersion | ValueFault | undefined {
  if (isEmpty(given)) return undefined;
  // YAML makes a number of 1.0.
  const version = tlsVersions.find((each) => each === given || Number(each) === given);
  return version ?? new ValueFault("tlsVersion", { words: tlsVersions.join(", ") });
}
