// The few words of JSON Schema in which docs/openapi.json and docs/console-openapi.json describe
// what callers send and get. They only describe: requests are read by hand. Pure.

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
