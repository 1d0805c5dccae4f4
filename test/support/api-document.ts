// Holds answers against docs/openapi.json and the document of the console's API: whatever the server
// answers must be what the document promises.
import { readFileSync } from "node:fs";
import { Compile, type Validator } from "typebox/schema";
import { consoleApiText } from "../../bin/generate-docs.ts";

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema: JsonSchema }>> }>>;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<
      Record<string, { readonly example?: unknown; readonly schema?: JsonSchema & { readonly properties?: object } }>
    >;
  };
}

type JsonSchema = Readonly<Record<string, unknown>>;

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

export const apiDocument = JSON.parse(
  readFileSync(new URL("../../docs/openapi.json", import.meta.url), "utf8"),
) as ApiDocument;
export const consoleDocument = JSON.parse(await consoleApiText()) as ApiDocument;

/** By the schema as the document holds it: most answers are of a kind that was seen before. */
const validators = new Map<JsonSchema, Validator>();

/** What is wrong with an answer; empty when it is as promised. `url` may have a query. */
export function faultsOfAnswer(method: string, url: string, status: number, body: unknown): string[] {
  const document = url.toLowerCase().startsWith("/console/") ? consoleDocument : apiDocument;
  const faults = faultsBySchema(document, schemaOf(document, method, url, status), body);
  // Of the shape of the console's answers the document says nothing.
  return document === consoleDocument ? [...faults, ...findSecrets(body)] : faults;
}

/** Keys under which only the gateway keeps values. The audit says of a password that it was set or changed. */
const secretKey = /^(?:password|tlsKey|oldSecret|accountId|personId|.*hash)$/i;

function findSecrets(body: unknown): string[] {
  if (typeof body !== "object" || body === null) return [];
  return Object.entries(body).flatMap(([key, value]) => [
    ...(secretKey.test(key) && value !== "set" && value !== "changed" ? [`${key} is answered`] : []),
    ...findSecrets(value),
  ]);
}

/** What is wrong with a value that should be as this schema of the document says. */
export function faultsBySchema(document: ApiDocument, schema: JsonSchema, value: unknown): string[] {
  const validator = validators.get(schema) ?? Compile(inline(document, schema) as object);
  validators.set(schema, validator);
  return [...(validator.Check(value) ? [] : describeFaults(validator, value)), ...findNulls(value)];
}

function describeFaults(validator: Validator, body: unknown): string[] {
  const [, errors] = validator.Errors(body);
  // A body that the check refuses is at fault, also where no error says how.
  return errors.length === 0 ? ["not as promised"] : errors.map((each) => JSON.stringify(each));
}

const patterns = new Map(
  [apiDocument, consoleDocument].map((document) => [
    document,
    Object.keys(document.paths).map((path) => ({
      path,
      pattern: new RegExp(`^${path.replace(/\{[^}]*\}/g, "[^/]+")}$`, "i"),
    })),
  ]),
);

/**
 * The schema promised for an answer. What never reaches an operation (404, 405, 413 …) has the body
 * of every error.
 */
function schemaOf(document: ApiDocument, method: string, url: string, status: number): JsonSchema {
  const path = (url.split("?", 1)[0] ?? "").replace(/\/+/g, "/").replace(/\/$/, "").toLowerCase();
  const template = patterns.get(document)?.find(({ pattern }) => pattern.test(path))?.path;
  const operation = template === undefined ? undefined : document.paths[template]?.[method.toLowerCase()];
  const promised = operation?.responses[String(status)]?.content?.["application/json"]?.schema;
  if (promised !== undefined) return promised;
  if (status === 200) throw new Error(`${method} ${path} is not in the document`);
  if (operation !== undefined && ![404, 405, 413].includes(status))
    throw new Error(`${method} ${path} does not promise ${status}`);
  const { Error: error = {} } = document.components.schemas;
  return error;
}

function inline(document: ApiDocument, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => inline(document, item));
  if (typeof value !== "object" || value === null) return value;
  const reference = (value as JsonSchema)["$ref"];
  if (typeof reference === "string")
    return inline(document, document.components.schemas[reference.split("/").at(-1) ?? ""]);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inline(document, item)]));
}

/** Absent values have no key, never null. */
function findNulls(value: unknown, path = "body"): string[] {
  if (value === null) return [`${path} is null`];
  if (typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, item]) => findNulls(item, `${path}.${key}`));
}
