// The few words of JSON Schema in which docs/openapi.json and the console's document describe
// what callers send and get, and hold the maximum of each text that callers send. All else of a
// request is read by hand. Pure.
import { ApiError, type FieldFinding } from "../texts/errors.ts";
import { isLongerThan } from "../sms/template.ts";
import { foldNames, isJsonObject } from "./read-parameters.ts";

/** Callers put it together, and only the documents read it. */
export type TSchema = Readonly<Record<string, unknown>>;

type Properties = Readonly<Record<string, TSchema>>;

/** Such as a description, an example, or a bound. */
type Options = Readonly<Record<string, unknown>>;

/** Properties that an object may lack, and bodies that a call may lack. */
const optional = new WeakSet<TSchema>();

export const Type = {
  String: (options?: Options): TSchema => ({ type: "string", ...options }),
  Integer: (options?: Options): TSchema => ({ type: "integer", ...options }),
  Number: (options?: Options): TSchema => ({ type: "number", ...options }),
  Boolean: (options?: Options): TSchema => ({ type: "boolean", ...options }),
  Literal: (value: string | number | boolean, options?: Options): TSchema => ({
    ...{ type: typeof value, const: value },
    ...options,
  }),
  Array: (items: TSchema, options?: Options): TSchema => ({ type: "array", items, ...options }),
  Union: (anyOf: readonly TSchema[], options?: Options): TSchema => ({ anyOf, ...options }),
  Object: <Named extends Properties>(
    properties: Named,
    options?: Options,
  ): TSchema & { readonly properties: Named } => {
    const required = Object.entries(properties).flatMap(([name, schema]) => (optional.has(schema) ? [] : [name]));
    return { type: "object", ...(required.length > 0 && { required }), properties, ...options };
  },
  /** A property of an object, or a body, that may be absent. */
  Optional: <Schema extends TSchema>(schema: Schema): Schema => {
    const copy = { ...schema };
    optional.add(copy);
    return copy;
  },
  /** An object with any names. */
  Record: (values: TSchema): TSchema => ({ type: "object", patternProperties: { "^.*$": values } }),
  Unknown: (options?: Options): TSchema => ({ ...options }),
  /** One that is defined elsewhere. */
  Ref: ($ref: string): TSchema => ({ $ref }),
};

export function isOptional(schema: unknown): boolean {
  return optional.has(schema as TSchema);
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
const usualMaximum = 1000;

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
  return optional.has(schema) ? Type.Optional(bounded) : bounded;
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
  const { maxLength = Infinity, items, anyOf = [], properties = {} } = schema as Parts;
  if (typeof value === "string" && isLongerThan(maxLength, value)) return maxLength;
  const parts: (readonly [TSchema, unknown])[] = anyOf.map((part) => [part, value]);
  if (Array.isArray(value) && items !== undefined) for (const item of value) parts.push([items, item]);
  if (isJsonObject(value)) {
    const fields = foldNames(value);
    for (const [name, part] of Object.entries(properties)) parts.push([part, fields.get(name.toLowerCase())]);
  }
  for (const [part, each] of parts) {
    const maximum = exceededMaximum(part, each);
    if (maximum !== undefined) return maximum;
  }
  return undefined;
}

/** Throws 1001 for each field with a text that is longer than its schema allows. */
export function expectMaxima(schema: unknown, read: (field: string) => unknown): void {
  const { properties = {}, anyOf = [] } = (schema ?? {}) as Parts;
  const all = [properties, ...anyOf.map((each) => (each as Parts).properties ?? {})].flatMap(Object.entries<TSchema>);
  const findings = all.flatMap(([field, part]): FieldFinding[] => {
    const maximum = exceededMaximum(part, read(field));
    return maximum === undefined ? [] : [{ field, messageKey: "field.tooLong", values: { maximum } }];
  });
  if (findings.length > 0) throw ApiError.invalidParameters(findings);
}
