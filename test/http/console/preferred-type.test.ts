import { describe, expect, it } from "vitest";
import { prefersToJson } from "../../../src/http/accept-headers.ts";

const json = "application/json";
const yaml = "application/yaml";

describe("the type of an answer", () => {
  it.each<[string | undefined, string]>([
    [undefined, json],
    ["", json],
    ["*/*", json],
    ["application/*", json],
    ["application/yaml", yaml],
    ["Application/YAML; q=0.5", yaml],
    ["application/yaml;charset=utf-8", yaml],
    ["application/yaml, application/json", json],
    ["application/yaml, application/json;q=0.9", yaml],
    ["application/yaml;q=0.8, application/json", json],
    ["application/json;q=0, application/yaml", yaml],
    ["application/yaml;q=0", json],
    ["application/yaml;q=0, application/json;q=0", json],
    ["application/yaml, */*", yaml],
    ["text/plain, application/*;q=0.2, application/yaml;q=0.3", yaml],
    ["application/yamlx, x-application/yaml", json],
    ["text/html;x=application/yaml", json],
    [",;, q=1, application/yaml;q=nonsense", json],
    [`${"a/b,".repeat(5000)}application/yaml`, json],
  ])("is for Accept: %j: %s", (header, type) => {
    expect(prefersToJson(header, yaml)).toBe(type === yaml);
  });
});
