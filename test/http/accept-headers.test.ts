import { describe, expect, it } from "vitest";
import {
  acceptedEncoding,
  type ContentEncoding,
  languageOf,
  prefersToJson,
  readWeightedList,
} from "../../src/http/accept-headers.ts";

describe("the language of an answer", () => {
  it.each([
    [undefined, "en"],
    ["", "en"],
    ["FA", "fa"],
    ["fa-IR,fa;q=0.9,en;q=0.8", "fa"],
    ["en,fa", "en"],
    ["en;q=0.5,fa;q=0.9", "fa"],
    ["en;q=0.9,fa;q=0.5", "en"],
    ["fa;q=0", "en"],
    ["fa;q=0,en", "en"],
    ["de,fa;q=0.3", "fa"],
    ["*", "en"],
    ["fan", "en"],
    ["x-fa", "en"],
    ["fa;q=abc", "fa"],
    [";;,fa", "fa"],
    [`fa${",x".repeat(1000)}`, "en"],
  ])("%s → %s", (header, language) => expect(languageOf(header)).toBe(language));
});

it("reads names with weights", () => {
  const read = (header: string) => readWeightedList(header).map(({ name, weight }) => `${name} ${weight}`);
  expect(read("fa-IR, EN;q=0.8,br; q=0.000")).toEqual(["fa-ir 1", "en 0.8", "br 0"]);
  expect(read("a/b;x=q=1;Q = 0.5,fa;q=1.2.3")).toEqual(["a/b 0.5", "fa NaN"]);
  expect(read(";;,q=0")).toEqual([" 1", "q=0 1"]);
});

describe("the form of an asset that is sent", () => {
  const both = ["br", "gzip"] as const;

  it.each<[string | undefined, readonly ContentEncoding[], ContentEncoding]>([
    ["gzip, deflate, br, zstd", both, "br"],
    ["GZIP;q=0.5", both, "gzip"],
    ["br;q=0, gzip", both, "gzip"],
    ["br; q=0.000, gzip;q=0", both, "identity"],
    ["br;q=0.001", both, "br"],
    ["br", ["gzip"], "identity"],
    [undefined, both, "identity"],
    ["brotli,xgzip, ;;,q=1", both, "identity"],
    [`br${" ".repeat(498)}`, both, "br"],
    // Longer than any browser's.
    [`br,${",".repeat(1 << 20)}`, both, "identity"],
  ])("is for %j of %j: %s", (header, kept, encoding) => {
    expect(acceptedEncoding(header, kept)).toBe(encoding);
  });
});

describe("the type of an answer", () => {
  const yaml = "application/yaml";

  it.each<[string | undefined, boolean]>([
    [undefined, false],
    ["*/*", false],
    ["application/*", false],
    ["Application/YAML; q=0.5", true],
    ["application/yaml, application/json", false],
    ["application/yaml, application/json;q=0.9", true],
    ["application/yaml;q=0.8, application/json", false],
    ["application/json;q=0, application/yaml", true],
    ["application/yaml;q=0, application/json;q=0", false],
    ["application/yaml, */*", true],
    ["text/plain, application/*;q=0.2, application/yaml;q=0.3", true],
    ["application/yamlx, x-application/yaml", false],
    ["text/html;x=application/yaml", false],
    [",;, q=1, application/yaml;q=nonsense", false],
    [`${"a/b,".repeat(5000)}application/yaml`, false],
  ])("is YAML for Accept: %j: %s", (header, isYaml) => {
    expect(prefersToJson(header, yaml)).toBe(isYaml);
  });
});
