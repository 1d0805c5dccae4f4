// Every text that a caller may send has a maximum, which the documents of both APIs tell, and which
// every endpoint holds.
import { expect, it } from "vitest";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { apiDocument, consoleDocument } from "../support/api-document.ts";
import { callConsole, demoOwner, signInAs, signInStaff } from "../support/console.ts";
import { keys, useTestApi } from "../support/test-api.ts";

const api = useTestApi();

/** Places of texts without a maximum. A text of a closed set has one. */
function unbounded(schema: unknown, place: string): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  if (Array.isArray(schema)) return schema.flatMap((each, index) => unbounded(each, `${place}/${index}`));
  const { type, maxLength, enum: words, const: word } = schema as Readonly<Record<string, unknown>>;
  const isText = type === "string" || (Array.isArray(type) && type.includes("string"));
  const own = isText && maxLength === undefined && words === undefined && word === undefined ? [place] : [];
  return [...own, ...Object.entries(schema).flatMap(([key, each]) => unbounded(each, `${place}/${key}`))];
}

type Schema = Readonly<Record<string, unknown>>;

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

function operationsOf(document: unknown): readonly (readonly [method: string, path: string, Operation])[] {
  const { paths } = document as { paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [method.toUpperCase(), path, operation] as const),
  );
}

it.each([
  ["clients", apiDocument],
  ["the console", consoleDocument],
])("bounds all texts that it reads from %s", (_, document) => {
  const operations = operationsOf(document);
  expect(operations.length).toBeGreaterThan(20);
  expect(
    operations.flatMap(([method, path, { parameters, requestBody }]) =>
      unbounded({ parameters, requestBody }, `${method} ${path}`),
    ),
  ).toEqual([]);
});

/** A value with a text that is one character too long; undefined where no text has a maximum. */
function tooLong(schema: Schema): unknown {
  const { maxLength, enum: words, const: word, items, anyOf = [], properties = {} } = schema;
  if (words !== undefined || word !== undefined) return undefined;
  if (typeof maxLength === "number") return "x".repeat(maxLength + 1);
  if (items !== undefined) return [tooLong(items as Schema)].filter((item) => item !== undefined);
  const inUnion = (anyOf as readonly Schema[]).map(tooLong).find((value) => value !== undefined);
  if (inUnion !== undefined) return inUnion;
  const long = Object.entries(properties as Readonly<Record<string, Schema>>).find(
    ([, each]) => tooLong(each) !== undefined,
  );
  return long && { [long[0]]: tooLong(long[1]) };
}

function propertiesOf({ properties = {}, anyOf = [] }: Schema): readonly (readonly [string, Schema])[] {
  const own = Object.entries(properties as Readonly<Record<string, Schema>>);
  return [...own, ...(anyOf as readonly Schema[]).flatMap(propertiesOf)];
}

/** Each field of a JSON body and each parameter of the query, alone, with a text that is too long. */
function* overlongCalls({ parameters = [], requestBody }: Operation): Iterable<{ payload?: object; query: string }> {
  for (const [name, schema] of propertiesOf(requestBody?.content["application/json"]?.schema ?? {})) {
    const value = tooLong(schema);
    if (value !== undefined && !(Array.isArray(value) && value.length === 0))
      yield { payload: { [name]: value }, query: "" };
  }
  for (const { name, in: place, schema } of parameters) {
    const value = tooLong(schema);
    if (place === "query" && typeof value === "string") yield { query: `?${name}=${value}` };
  }
}

const saysTooLong = /must have at most \d+ characters|longer than|1 to 255/;

it("refuses each text that is longer than its maximum", async () => {
  const cookies = [await signInAs(api, demoOwner), await signInStaff(api, "administrator")];
  const call = async (method: string, url: string, payload?: object) => {
    const given = payload && { payload };
    if (!url.startsWith("/console/api")) {
      const credentials = url.includes("/credentials")
        ? "username=demo&password=password-of-demo&domain=demo.example"
        : `apiKey=${keys.demo}`;
      if (url.includes("/url"))
        return [await api.call(method, `${url}${url.includes("?") ? "&" : "?"}${credentials}`, { ...given })];
      return [await api.call(method, url, { key: keys.demo, ...given })];
    }
    const headers = { "if-match": "*" };
    const path = url.replace("/console/api", "");
    return Promise.all(cookies.map((cookie) => callConsole(api, method as "GET", path, { cookie, headers, ...given })));
  };
  const taken: string[] = [];
  let tried = 0;
  for (const [method, path, operation] of [...operationsOf(apiDocument), ...operationsOf(consoleDocument)]) {
    const url = path.replace("{name}", "demo").replace(/\{\w+\}/g, uuidv7());
    for (const { payload, query } of overlongCalls(operation)) {
      tried += 1;
      const answers = await call(method, url + query, payload);
      // Not there, no credentials, and a body of more than a mebibyte: nothing is read.
      const isRefused = answers.some(
        ({ status, body }) =>
          [401, 404, 413].includes(status) ||
          body["errorCode"] === 1106 ||
          (status === 400 && saysTooLong.test(JSON.stringify(body))),
      );
      if (!isRefused) taken.push(`${method} ${path} ${JSON.stringify(payload ?? query).slice(0, 50)}`);
    }
  }
  expect(taken).toEqual([]);
  expect(tried).toBeGreaterThan(150);
});
