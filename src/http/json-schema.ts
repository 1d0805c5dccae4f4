// The few words of JSON Schema in which docs/openapi.json and the console's document describe
// what callers send and get. They hold the maximum of each text that callers send. The console
// reads its calls by them (console/console-input.ts); the clients' API takes more forms than they
// say, and reads its calls field by field (read-parameters.ts). Pure.
import { ApiError, type FieldFinding } from "../texts/errors.ts";
import { isLongerThan } from "../sms/template.ts";
import { foldNames, isJsonObject } from "./read-parameters.ts";

/** A schema as it stands in a document. */
export type TSchema = Readonly<Record<string, unknown>>;

declare const valueOf: unique symbol;

/** A schema of what is read as `Value`; only its type says so. */
export type Schema<Value> = TSchema & { readonly [valueOf]?: Value };

export type Properties = Readonly<Record<string, TSchema>>;

export type ValueOf<Described> = Described extends Schema<infer Value> ? Value : unknown;

/** What is read of an object with these properties. */
export type ValuesOf<Named extends Properties> = { readonly [Name in keyof Named]: ValueOf<Named[Name]> };

/** What a schema says besides: its description, or several words of JSON Schema. */
type About = string | Readonly<Record<string, unknown>>;

function aboutOf(about: About = {}): Readonly<Record<string, unknown>> {
  return typeof about === "string" ? { description: about } : about;
}

/** Properties that an object may lack, and bodies that a call may lack. */
const optionals = new WeakSet<TSchema>();

export const plainText = (about?: About): Schema<string> => ({ type: "string", ...aboutOf(about) });
export const uuidText = (about?: About): Schema<string> => ({ type: "string", format: "uuid", ...aboutOf(about) });
export const time = (about?: About): Schema<Date> => ({ type: "string", format: "date-time", ...aboutOf(about) });
export const integer = (about?: About): Schema<number> => ({ type: "integer", ...aboutOf(about) });
export const decimal = (about?: About): Schema<number> => ({ type: "number", ...aboutOf(about) });
export const boolean = (about?: About): Schema<boolean> => ({ type: "boolean", ...aboutOf(about) });
export const anyOf = (schemas: readonly TSchema[], about?: About): TSchema => ({ anyOf: schemas, ...aboutOf(about) });
export const unknown = (about?: About): TSchema => aboutOf(about);

export function array<Item>(items: Schema<Item>, about?: About): Schema<readonly Item[]> {
  return { type: "array", items, ...aboutOf(about) };
}

export function literal<const Value extends string | number | boolean>(value: Value, about?: About): Schema<Value> {
  return { type: typeof value, const: value, ...aboutOf(about) };
}

export function oneOf<const Value extends string | number>(values: readonly Value[], about?: About): Schema<Value> {
  return anyOf(
    values.map((value) => literal(value)),
    about,
  );
}

/** An object of a request; other properties are passed over. */
export function input<Named extends Properties>(
  properties: Named,
  about?: About,
): Schema<ValuesOf<Named>> & { readonly properties: Named } {
  const required = Object.entries(properties).flatMap(([name, schema]) => (optionals.has(schema) ? [] : [name]));
  return { type: "object", ...(required.length > 0 && { required }), properties, ...aboutOf(about) };
}

/** An object of an answer, which has no other properties. */
export function object<Named extends Properties>(
  properties: Named,
  about?: About,
): Schema<ValuesOf<Named>> & { readonly properties: Named } {
  return input(properties, { additionalProperties: false, ...aboutOf(about) });
}

/** An object with any names. */
export const record = (values: TSchema): TSchema => ({ type: "object", patternProperties: { "^.*$": values } });

/** One that is defined elsewhere. */
export const ref = ($ref: string): TSchema => ({ $ref });

/** A property of an object, or a body, that may be absent. */
export function orAbsent<Value>(schema: Schema<Value>): Schema<Value | undefined> {
  const copy = { ...schema };
  optionals.add(copy);
  return copy;
}

/** A property of a request that may be absent, and is this value then. */
export function orDefault<Value>(schema: Schema<Value>, value: Value): Schema<Value> {
  const copy = { ...schema, default: value };
  optionals.add(copy);
  return copy;
}

export function isOptional(schema: unknown): boolean {
  return optionals.has(schema as TSchema);
}

interface Parts {
  readonly type?: string;
  readonly const?: unknown;
  readonly maxLength?: number;
  readonly items?: TSchema;
  readonly anyOf?: readonly TSchema[];
  readonly properties?: Properties;
}

/** Characters of a text in a request, where its schema does not say another number. */
export const usualMaximum = 1000;

/** The schema with a maximum for each text. */
function withMaxima(schema: TSchema, maximum = usualMaximum): TSchema {
  const { type, const: only, items, anyOf, properties } = schema as Parts;
  const bound = (part: TSchema): TSchema => withMaxima(part, maximum);
  const bounded = {
    ...(type === "string" && only === undefined && { maxLength: maximum }),
    ...schema,
    ...(items && { items: bound(items) }),
    ...(anyOf && { anyOf: anyOf.map(bound) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, bound(part)])),
    }),
  };
  return optionals.has(schema) ? orAbsent(bounded) : bounded;
}

/** Of a parameter of a path: no path takes a longer one. */
export const longestPathParameter = 4096;

/** What an endpoint takes, with a maximum for each text. */
export function withMaximaOfInputs<Inputs extends object>(inputs: Inputs): Inputs {
  const { body, querystring, params, headers } = inputs as Readonly<Record<string, TSchema | undefined>>;
  return {
    ...inputs,
    ...(body && { body: withMaxima(body) }),
    ...(querystring && { querystring: withMaxima(querystring) }),
    ...(params && { params: withMaxima(params, longestPathParameter) }),
    ...(headers && { headers: withMaxima(headers) }),
  };
}

/** The maximum that a text in the value exceeds. Names of properties match whatever their case. */
function exceededMaximum(schema: TSchema, value: unknown): number | undefined {
  const { maxLength, items, anyOf, properties } = schema as Parts;
  if (maxLength !== undefined && typeof value === "string" && isLongerThan(maxLength, value)) return maxLength;
  const inUnion = anyOf && firstExceeded(anyOf, (part) => exceededMaximum(part, value));
  if (inUnion !== undefined) return inUnion;
  if (items !== undefined && Array.isArray(value)) return firstExceeded(value, (item) => exceededMaximum(items, item));
  if (properties === undefined || !isJsonObject(value)) return undefined;
  const fields = foldNames(value);
  return firstExceeded(Object.entries(properties), ([name, part]) =>
    exceededMaximum(part, fields.get(name.toLowerCase())),
  );
}

function firstExceeded<Item>(list: readonly Item[], maximumOf: (item: Item) => number | undefined): number | undefined {
  for (const item of list) {
    const maximum = maximumOf(item);
    if (maximum !== undefined) return maximum;
  }
  return undefined;
}

type Field = readonly [name: string, schema: TSchema];

interface KnownFields {
  readonly fields: readonly Field[];
  readonly shortestMaximum: number;
}

/** Of each schema, made at its first use. */
const knownFields = new WeakMap<object, KnownFields>();

function fieldsOf(schema: object): KnownFields {
  const known = knownFields.get(schema);
  if (known !== undefined) return known;
  const { properties = {}, anyOf = [] } = schema as Parts;
  // A field that several forms of a body have is the same in each.
  const all = [properties, ...anyOf.map((each) => (each as Parts).properties ?? {})];
  const made = {
    fields: [...new Map(all.flatMap(Object.entries<TSchema>))],
    shortestMaximum: shortestMaximumOf(schema as TSchema),
  };
  knownFields.set(schema, made);
  return made;
}

function shortestMaximumOf(schema: TSchema): number {
  const { maxLength = Infinity, items, anyOf = [], properties = {} } = schema as Parts;
  const parts = [...(items ? [items] : []), ...anyOf, ...Object.values(properties)];
  return Math.min(maxLength, ...parts.map(shortestMaximumOf));
}

/**
 * Throws 1001 for each field with a text that is longer than its schema allows. `body`: in which the fields
 * came; no text of it is longer than all of it.
 */
export function expectMaxima(schema: unknown, read: (field: string) => unknown, body?: unknown): void {
  const { fields, shortestMaximum } = fieldsOf(schema ?? {});
  if (Buffer.isBuffer(body) && body.length <= shortestMaximum) return;
  const findings: FieldFinding[] = [];
  for (const [field, part] of fields) {
    const maximum = exceededMaximum(part, read(field));
    if (maximum !== undefined) findings.push({ field, messageKey: "field.tooLong", values: { maximum } });
  }
  if (findings.length > 0) throw ApiError.invalidParameters(findings);
}
