import { expect, it } from "vitest";
import { formatFault, formatPath, hintFor, SetupFaults } from "../../src/setup/fault.ts";

it("writes paths as people read them", () => {
  expect(formatPath(["accounts", 0, "apiKeys", 12, "key"])).toBe("accounts[0].apiKeys[12].key");
  expect(formatPath([])).toBe("");
});

it("writes a fault with what is known of its place", () => {
  const fault = { path: ["lines", 1], message: "is wrong" };
  expect(formatFault(fault)).toBe("lines[1]: is wrong");
  expect(formatFault({ ...fault, line: 3, hint: "do it" })).toBe("line 3, lines[1]: is wrong (do it)");
  expect(formatFault({ path: [], message: "is wrong" })).toBe("is wrong");
});

it.each([
  ["prefix", "prefixes"],
  ["Prefixes", "prefixes"],
  ["enabeld", "enabled"],
  ["host", undefined],
  ["", undefined],
])("for %j has in mind %j", (word, meant) => {
  const hint = hintFor(word, ["name", "prefixes", "enabled"]);
  expect(hint).toBe(meant === undefined ? undefined : `did you mean ${meant}?`);
});

it("counts itself", () => {
  const fault = { path: [], message: "x" };
  expect(new SetupFaults([fault]).message).toBe("the setup has a fault");
  expect(new SetupFaults([fault, fault]).message).toBe("the setup has 2 faults");
});
