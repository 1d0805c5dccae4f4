// Types of the public API for the TypeScript client, made of the OpenAPI document (`npm run docs`).
// Pure: text in, text out.
import { answerOf, bodyOf, queryOf, typeOf, type ApiDocument, type Operation, type Schema } from "./schema-types.ts";

/** The text of clients/typescript/src/api-types.ts. */
export function clientTypesText({ paths, components }: ApiDocument): string {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  return [
    "// Generated from docs/openapi.json by `npm run docs`: what each operation of the API takes and answers.",
    ...Object.entries(components?.schemas ?? {}).flatMap(([name, schema]) => [
      "",
      ...(schema.description === undefined ? [] : [`/** ${schema.description} */`]),
      `export type ${name} = ${typeOf(schema, "")};`,
    ]),
    "",
    "/** By operationId. */",
    `export type Operations = ${typeOf(objectOf(operations.map((one) => [one.operationId ?? "", shapeOf(one)])), "")};`,
    "",
  ].join("\n");
}

function shapeOf(operation: Operation): Schema {
  const shapes = { query: queryOf(operation), body: bodyOf(operation), answer: answerOf(operation) };
  return objectOf(Object.entries(shapes).flatMap(([name, schema]) => (schema === undefined ? [] : [[name, schema]])));
}

function objectOf(fields: readonly (readonly [string, Schema])[]): Schema {
  return { type: "object", properties: Object.fromEntries(fields), required: fields.map(([name]) => name) };
}
