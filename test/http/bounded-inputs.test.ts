// Every text that a caller may send has a maximum, which the documents of both APIs tell.
import { expect, it } from "vitest";
import { apiDocument, consoleDocument } from "../support/api-document.ts";

/** Places of texts without a maximum. A text of a closed set has one. */
function unbounded(schema: unknown, place: string): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  if (Array.isArray(schema)) return schema.flatMap((each, index) => unbounded(each, `${place}/${index}`));
  const { type, maxLength, enum: words, const: word } = schema as Readonly<Record<string, unknown>>;
  const isText = type === "string" || (Array.isArray(type) && type.includes("string"));
  const own = isText && maxLength === undefined && words === undefined && word === undefined ? [place] : [];
  return [...own, ...Object.entries(schema).flatMap(([key, each]) => unbounded(each, `${place}/${key}`))];
}

interface Operation {
  readonly parameters?: unknown;
  readonly requestBody?: unknown;
}

it.each([
  ["clients", apiDocument],
  ["the console", consoleDocument],
])("bounds all texts that it reads from %s", (_, document) => {
  const { paths } = document as { paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation] as const),
  );
  expect(operations.length).toBeGreaterThan(20);
  expect(
    operations.flatMap(([name, { parameters, requestBody }]) => unbounded({ parameters, requestBody }, name)),
  ).toEqual([]);
});
