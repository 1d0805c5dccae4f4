// Types of the console's API for its pages, made of the OpenAPI document (`npm run docs`). Pure:
// text in, text out.
import {
  answerOf,
  bodyOf,
  eventOf,
  failuresOf,
  queryOf,
  typeOf,
  type ApiDocument,
  type Operation,
  type Schema,
} from "./schema-types.ts";

const prefix = "/console/api";

/** The text of console/src/api/endpoints.ts. */
export function consoleTypesText({ paths, components }: ApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path.replace(prefix, "")}`,
      operation,
    })),
  );
  const table = (schemaOf: (operation: Operation) => Schema | undefined): Schema => ({
    type: "object",
    properties: Object.fromEntries(
      operations.flatMap(({ name, operation }) => {
        const schema = schemaOf(operation);
        return schema === undefined ? [] : [[name, schema]];
      }),
    ),
    required: operations.map(({ name }) => name),
  });
  return [
    "// Generated from docs/console-openapi.json by `npm run docs`: what each endpoint of the console's API takes and answers.",
    "",
    "/** Answers in JSON, by method and path. */",
    `export type Answers = ${typeOf(table(answerOf), "")};`,
    "",
    "export type Bodies = " + typeOf(table(bodyOf), "") + ";",
    "",
    "export type Queries = " + typeOf(table(queryOf), "") + ";",
    "",
    "/** What streams bring. */",
    "export type Events = " + typeOf(table(eventOf), "") + ";",
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

function failureTable(operations: readonly Operation[]): Schema {
  const bodies = operations.flatMap(failuresOf);
  const statuses = [...new Set(bodies.map(([status]) => status))].sort();
  const bodyOfStatus = (status: string): Schema => ({
    anyOf: bodies.filter(([each]) => each === status).map(([, schema]) => schema),
  });
  return {
    type: "object",
    properties: Object.fromEntries(statuses.map((status) => [status, bodyOfStatus(status)])),
    required: statuses,
  };
}
