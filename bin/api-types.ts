// TypeScript types of the operations of OpenAPI documents: of the console's API for its pages, and
// of the public API for the TypeScript client. Pure: text in, text out.

/** The keys of a schema that are read here. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly description?: string;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

export interface DocumentedOperation {
  readonly operationId?: string;
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

/** The document comes from this program, so its form is not checked. */
export function readDocument(text: string): ApiDocument {
  return JSON.parse(text) as ApiDocument;
}

const json = "application/json";

export function answerOf({ responses }: DocumentedOperation): Schema | undefined {
  const done = Object.entries(responses).find(([status]) => status.startsWith("2"));
  return Object.entries(done?.[1].content ?? {}).find(([type]) => type.startsWith(json))?.[1].schema;
}

/** Statuses with the bodies of their errors. */
export function failuresOf({ responses }: DocumentedOperation): readonly (readonly [string, Schema])[] {
  return Object.entries(responses).flatMap(([status, { content }]) => {
    const schema = status.startsWith("2") ? undefined : content?.[json]?.schema;
    return schema === undefined ? [] : [[status, schema] as const];
  });
}

export function bodyOf({ requestBody }: DocumentedOperation): Schema | undefined {
  return requestBody?.content?.[json]?.schema;
}

export function queryOf({ parameters = [] }: DocumentedOperation): Schema | undefined {
  const given = parameters.filter((parameter) => parameter.in === "query");
  if (given.length === 0) return undefined;
  return {
    type: "object",
    properties: Object.fromEntries(given.map(({ name, schema }) => [name, schema])),
    required: given.flatMap(({ name, required }) => (required === true ? [name] : [])),
  };
}

/** A schema that others refer to is known by its name. */
export function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return union(choices.map((choice) => typeOf(choice, indent)));
  if (typeof schema.type !== "string") {
    return schema.type === undefined
      ? "unknown"
      : union(schema.type.map((type) => typeOf({ ...schema, type }, indent)));
  }
  switch (schema.type) {
    case "object":
      return objectText(schema, indent);
    case "array":
      return `readonly ${inBrackets(typeOf(schema.items ?? {}, indent))}[]`;
    case "integer":
      return "number";
    default:
      return schema.type;
  }
}

function objectText({ properties = {}, required = [], additionalProperties }: Schema, indent: string): string {
  const fields = Object.entries(properties);
  if (fields.length === 0) {
    const values = typeof additionalProperties === "object" ? typeOf(additionalProperties, indent) : "unknown";
    return `Readonly<Record<string, ${additionalProperties === false ? "never" : values}>>`;
  }
  const inner = `${indent}  `;
  const lines = fields.flatMap(([name, schema]) => [
    ...(schema.description === undefined ? [] : [`${inner}/** ${schema.description.replaceAll("*/", "*\u200b/")} */`]),
    `${inner}readonly ${/^\w+$/.test(name) ? name : JSON.stringify(name)}${required.includes(name) ? "" : "?"}: ${typeOf(schema, inner)};`,
  ]);
  return ["{", ...lines, `${indent}}`].join("\n");
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(" | ");
}

function inBrackets(type: string): string {
  return /^[\w.]+$|^\{[\s\S]*\}$|^Readonly</.test(type) && !/\} \| \{/.test(type) ? type : `(${type})`;
}

const prefix = "/console/api";

/** The text of console/src/api/endpoints.ts. */
export function consoleTypesText({ paths, components }: ApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path.replace(prefix, "")}`,
      operation,
    })),
  );
  const table = (schemaOf: (operation: DocumentedOperation) => Schema | undefined): Schema =>
    objectSchema(
      operations.flatMap(({ name, operation }): [string, Schema][] => {
        const schema = schemaOf(operation);
        return schema === undefined ? [] : [[name, schema]];
      }),
    );
  return [
    "// Generated by `npm run types`: what each endpoint of the console's API takes and answers.",
    "",
    "/** Answers in JSON, by method and path. */",
    `export type Answers = ${typeOf(table(answerOf), "")};`,
    "",
    "export type Bodies = " + typeOf(table(bodyOf), "") + ";",
    "",
    "export type Queries = " + typeOf(table(queryOf), "") + ";",
    "",
    "/** Bodies of errors, by status. */",
    `export type Failures = ${typeOf(failureTable(operations.map(({ operation }) => operation)), "")};`,
    ...Object.entries(components?.schemas ?? {}).flatMap(([name, schema]) => [
      "",
      `export type ${name} = ${typeOf(schema, "")};`,
    ]),
    "",
  ].join("\n");
}

function failureTable(operations: readonly DocumentedOperation[]): Schema {
  const bodies = operations.flatMap(failuresOf);
  const statuses = [...new Set(bodies.map(([status]) => status))].sort();
  const bodyOfStatus = (status: string): Schema => ({
    anyOf: bodies.filter(([each]) => each === status).map(([, schema]) => schema),
  });
  return objectSchema(statuses.map((status) => [status, bodyOfStatus(status)]));
}

/** The text of clients/typescript/src/api-types.ts. */
export function clientTypesText({ paths, components }: ApiDocument): string {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  return [
    "// Generated by `npm run types`: what each operation of the API takes and answers.",
    ...Object.entries(components?.schemas ?? {}).flatMap(([name, schema]) => [
      "",
      ...(schema.description === undefined ? [] : [`/** ${schema.description} */`]),
      `export type ${name} = ${typeOf(schema, "")};`,
    ]),
    "",
    "/** By operationId. */",
    `export type Operations = ${typeOf(objectSchema(operations.map((one) => [one.operationId ?? "", shapeOf(one)])), "")};`,
    "",
  ].join("\n");
}

function shapeOf(operation: DocumentedOperation): Schema {
  const shapes = { query: queryOf(operation), body: bodyOf(operation), answer: answerOf(operation) };
  return objectSchema(
    Object.entries(shapes).flatMap(([name, schema]) => (schema === undefined ? [] : [[name, schema]])),
  );
}

function objectSchema(fields: readonly (readonly [string, Schema])[]): Schema {
  return { type: "object", properties: Object.fromEntries(fields), required: fields.map(([name]) => name) };
}
