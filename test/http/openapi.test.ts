import { describe, expect, it } from "vitest";
import { openApiText } from "../../bin/generate-docs.ts";
import { apiDocument, consoleDocument, faultsBySchema } from "../support/api-document.ts";

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security?: readonly object[];
  readonly responses: object;
}

const operations = Object.entries(apiDocument.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    operation: operation as typeof operation & Described,
  })),
);

describe("docs/openapi.json", () => {
  it("is what the code makes (npm run docs)", async () => {
    expect(JSON.parse(await openApiText())).toEqual(apiDocument);
  });

  it("is OpenAPI 3.1 and refers to nothing outside", () => {
    const text = JSON.stringify(apiDocument);
    expect(apiDocument).toMatchObject({ openapi: "3.1.0", info: { title: "Hodhod SMS gateway" } });
    expect(text.replaceAll('"https://shop.example/hook"', "")).not.toMatch(/https?:\/\//);
    const references = [...text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, reference]) => reference ?? "");
    for (const reference of references) {
      expect(apiDocument.components.schemas).toHaveProperty(reference.replace("#/components/schemas/", ""));
    }
  });

  it.each(operations)("$name is described, with its answers and how to be let in", ({ name, operation }) => {
    expect(operation.summary).not.toBe("");
    expect(operation.description.length).toBeGreaterThan(20);
    expect(operation.tags).toHaveLength(1);
    expect(operation.responses).toHaveProperty("200");
    const open = /health|auth\/token/.test(name);
    expect(operation.security === undefined).toBe(open);
  });

  it("names every reason that a status answer may give", () => {
    const asking = operations.filter(({ name }) => name.includes("/messages/status"));
    expect(asking).toHaveLength(3);
    for (const { operation } of asking) expect(operation.description).toContain("1301 to 1310");
  });

  it("has an example of each JSON body, which Try it out fills in", () => {
    const bodies = operations.flatMap(({ name, operation }) => {
      const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
      // The demo adds its own login; elsewhere no example could be true.
      return type !== "application/json" || name === "POST /auth/token" ? [] : [{ name, example: content?.example }];
    });
    expect(bodies.length).toBeGreaterThan(8);
    expect(bodies.filter(({ example }) => example === undefined).map(({ name }) => name)).toEqual([]);
  });

  it.each([
    ["docs/openapi.json", apiDocument],
    ["the document of the console's API", consoleDocument],
  ])("has only examples of bodies that are as their schemas say: %s", (_, document) => {
    const examples = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { requestBody }]) =>
        Object.values(requestBody?.content ?? {}).flatMap(({ schema, example }) =>
          schema === undefined || example === undefined
            ? []
            : [{ name: `${method} ${path}`, faults: faultsBySchema(document, schema, example) }],
        ),
      ),
    );
    expect(examples.filter(({ faults }) => faults.length > 0)).toEqual([]);
  });

  it("requires a body but where the parameters may be in the query, or all be absent", () => {
    const lacking = operations.filter(({ operation }) => operation.requestBody?.required === false);
    expect(lacking.map(({ name }) => name).sort()).toEqual([
      "POST /api/v1/messages/send/url",
      "POST /api/v1/messages/send/url/credentials",
      "POST /webhooks/endpoints/{endpointId}/secret",
    ]);
  });

  it("names each operation once", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
