// Reads what a call of the console gives by the schemas that describe it: parameters and bodies alike, names in any
// case, null and "" as absent, all faults at once.
import { longestPassword, shortestPassword } from "../../credentials/new-password.ts";
import { isUuid } from "../../platform/uuid.ts";
import { ValueFault } from "../../setup/fault.ts";
import { addressBlock } from "../../setup/read-value.ts";
import { cleanNumber, type Msisdn, parseRecipient } from "../../sms/msisdn.ts";
import { ApiError, type FieldFinding, type FindingKey } from "../../texts/errors.ts";
import type { TextValues } from "../../texts/localize.ts";
import {
  array,
  isOptional,
  orDefault,
  plainText,
  type Properties,
  type Schema,
  type TSchema,
  type ValuesOf,
} from "../json-schema.ts";
import { foldNames, isAbsent, isJsonObject, readInteger, scalarText } from "../read-parameters.ts";

const rule = Symbol("rule");

interface Parts {
  readonly type?: string;
  readonly format?: string;
  readonly const?: string | number;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly items?: TSchema;
  readonly properties?: Properties;
  readonly anyOf?: readonly Parts[];
  readonly [rule]?: { readonly read: Rule<unknown>; readonly wrong: FindingKey };
}

/** Undefined, or a fault: the value is wrong. */
type Rule<Value> = (value: unknown) => Value | ValueFault | undefined;

/** A value that is read by a rule, such as those of the setup file; `wrong` says what it must be. */
export function byRule<Value>(schema: TSchema, read: Rule<Value>, wrong: FindingKey): Schema<Value> {
  return { ...schema, [rule]: { read, wrong } };
}

const mostFindings = 100;
const longestEcho = 100;

/** `given`: the value of a name. Throws 1001 with every fault that was found. */
export function readInputs<Named extends Properties>(
  properties: Named,
  given: (name: string) => unknown,
): ValuesOf<Named> {
  const findings: FieldFinding[] = [];
  const values = Object.entries(properties).map(([field, schema]) => [
    field,
    readValue(schema, given(field), (messageKey, values) => {
      findings.push({ field, messageKey, values });
      return undefined;
    }),
  ]);
  if (findings.length > 0) throw ApiError.invalidParameters(findings.slice(0, mostFindings));
  // Without a finding each value is what its schema says.
  return Object.fromEntries(values) as ValuesOf<Named>;
}

type Refuse = (messageKey: FindingKey, values?: TextValues) => unknown;

function readValue(schema: TSchema, value: unknown, refuse: Refuse): unknown {
  const parts: Parts = schema;
  if (isAbsent(value)) return isOptional(schema) ? parts.default : refuse("field.required");
  if (parts[rule] !== undefined) return readByRule(parts[rule], value, refuse);
  const words = (parts.anyOf ?? [parts]).flatMap(({ const: word }) => word ?? []);
  if (words.length > 0) {
    const text = scalarText(value);
    return words.find((word) => String(word) === text) ?? refuse("console.choice", { words: words.join(", ") });
  }
  switch (parts.type) {
    case "string":
      return readText(parts, value, refuse);
    case "integer":
      return readNumber(parts, value, refuse);
    case "boolean":
      return readYesOrNo(value, refuse);
    case "array":
      return readList(parts, value, refuse);
    case "object":
      return readObject(parts, value, refuse);
    default:
      return value;
  }
}

function readByRule({ read, wrong }: NonNullable<Parts[typeof rule]>, value: unknown, refuse: Refuse): unknown {
  const outcome = read(value);
  if (outcome !== undefined && !(outcome instanceof ValueFault)) return outcome;
  return refuse(wrong, { value: (scalarText(value) ?? "").slice(0, longestEcho) });
}

function readYesOrNo(value: unknown, refuse: Refuse): unknown {
  if (value === true || value === "true") return true;
  return value === false || value === "false" ? false : refuse("field.yesOrNo");
}

function readText({ format }: Parts, value: unknown, refuse: Refuse): unknown {
  const text = scalarText(value);
  if (text === undefined) return refuse("field.notText");
  if (text.includes("\0")) return refuse("console.nullCharacter");
  switch (format) {
    case "uuid":
      return isUuid(text) ? text.toLowerCase() : refuse("id.form");
    case "date-time":
      return timeOf(text) ?? refuse("console.time");
    case "date":
      return isDay(text) ? text : refuse("console.day");
    default:
      return text;
  }
}

/** ISO 8601: a day (its beginning in UTC) or a time with its zone. */
const timeForm = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;

function timeOf(text: string): Date | undefined {
  const at = new Date(timeForm.test(text) ? text : Number.NaN);
  return at.getTime() >= 0 ? at : undefined;
}

/** The 30th of February is the 2nd of March. */
function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && timeOf(text)?.toISOString().startsWith(text) === true;
}

function readNumber({ minimum: least = 0, maximum = Infinity }: Parts, value: unknown, refuse: Refuse): unknown {
  const number = readInteger(value);
  if (number !== undefined && number >= least && number <= maximum) return number;
  return refuse("number.range", { least, maximum: Math.min(maximum, Number.MAX_SAFE_INTEGER) });
}

function readList(
  { items = {}, maxItems = Infinity, uniqueItems = false }: Parts,
  value: unknown,
  refuse: Refuse,
): unknown {
  if (!Array.isArray(value)) return refuse("console.notList");
  if (value.length > maxItems) return refuse("console.list", { most: maxItems });
  const list: readonly unknown[] = value;
  const values = list.map((item) => readValue(items, item, refuse));
  return uniqueItems ? [...new Set(values)] : values;
}

function readObject({ properties = {} }: Parts, value: unknown, refuse: Refuse): unknown {
  if (!isJsonObject(value)) return refuse("console.notObject");
  const fields = foldNames(value);
  const read = ([name, schema]: [string, TSchema]) => [name, readValue(schema, fields.get(name.toLowerCase()), refuse)];
  return Object.fromEntries(Object.entries(properties).map(read));
}

/** A mobile number in a path, in any form. Throws 1001. */
export function numberIn(given: string): Msisdn {
  const number = parseRecipient(cleanNumber(given, "query"));
  if (number === undefined) throw ApiError.invalidParameter("number", "number.form");
  return number;
}

/** A mobile number in any form. */
export function mobile(description?: string): Schema<Msisdn> {
  return byRule(
    plainText(description),
    (value) => parseRecipient(cleanNumber(scalarText(value) ?? "", "query")),
    "console.number",
  );
}

export const passwordFaultKeys = { length: "console.newPassword", weak: "console.weakPassword" } as const;
export const passwordLengths = { shortest: shortestPassword, longest: longestPassword } as const;

/** The list of addresses that calls may come from, of an account and of an API key. */
export const allowedIps = orDefault(
  array(byRule(plainText(), addressBlock, "console.address"), { maxItems: 1_000, uniqueItems: true }),
  [],
);
