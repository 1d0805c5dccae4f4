// Holds the pages of the console together, as architecture.test.ts does for the server.
import path from "node:path";
import { describe, expect, it } from "vitest";
import { circlesOf, readSources, type SourceFile } from "./support/source-files.ts";

const files = readSources(path.resolve(import.meta.dirname, "../console/src"), [".ts", ".tsx"]);

function namesWhere(condition: (file: SourceFile) => boolean): readonly string[] {
  return files.filter(condition).map(({ name }) => name);
}

describe("architecture of the console", () => {
  it("has no circle of imports, those of types included", () => {
    expect(circlesOf(files)).toEqual([]);
  });

  it("takes of the gateway's API types only, at one place", () => {
    const taken = files.flatMap(({ name, imports }) =>
      imports.filter(({ from }) => from.includes("/src/http/")).map(({ from, typeOnly }) => [name, from, typeOnly]),
    );
    expect(taken).toEqual([["api/types.ts", "../../../src/http/console/endpoints.ts", true]]);
  });

  it("asks the API at one place, where each call names its endpoint", () => {
    const asks = ({ code }: SourceFile) => /\bfetch\(|\bnew EventSource\(/.test(code);
    expect(namesWhere(asks)).toEqual(["api/client.ts"]);
  });

  it("writes no shape of its own in api/ but of what the pages ask and keep", () => {
    const shapes = files
      .filter(({ room }) => room === "api")
      .flatMap(({ code }) => [...code.matchAll(/\binterface (\w+)/g)].map((match) => match[1]));
    expect(shapes.sort()).toEqual(["CallOptions", "Page", "SearchedPage", "Tagged"]);
  });
});
