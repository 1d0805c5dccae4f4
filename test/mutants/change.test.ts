import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { applyChange, type Change, ChangeDoesNotApply, testSteps } from "../../mutants/change.ts";
import { changes } from "../../mutants/table.ts";

const change: Change = { name: "bound", file: "sms/some-rule.ts", from: "a < b", to: "a <= b" };

describe("a change", () => {
  it("replaces the one place where its text stands, and nothing else", () => {
    expect(applyChange("if (a < b) return;", change)).toBe("if (a <= b) return;");
    // A replacement is text, whatever it looks like.
    expect(applyChange("if (a < b) return;", { ...change, to: "$& $1" })).toBe("if ($& $1) return;");
  });

  it("does not apply where its text stands nowhere, twice, or is not changed", () => {
    for (const source of ["", "a > b", "a < b; a < b"]) {
      expect(() => applyChange(source, change)).toThrow(ChangeDoesNotApply);
    }
    expect(() => applyChange("a < b", { ...change, to: change.from })).toThrow(ChangeDoesNotApply);
    expect(() => applyChange("a < b", { ...change, from: "" })).toThrow(ChangeDoesNotApply);
  });

  it("asks the file's own test first, then those it names, then its room", () => {
    const all = (): boolean => true;
    expect(testSteps({ ...change, tests: ["flows/parts.test.ts"] }, all)).toEqual([
      ["sms/some-rule.test.ts"],
      ["flows/parts.test.ts"],
      ["sms"],
    ]);
    expect(testSteps({ ...change, file: "uuid.ts" }, all)).toEqual([["uuid.test.ts"]]);
    expect(testSteps(change, (name) => name === "sms")).toEqual([["sms"]]);
  });
});

describe("the table of changes", () => {
  it.each(changes.map((each) => [each.name, each] as const))("%s applies to the code as it stands", (_, each) => {
    const source = readFileSync(path.join("src", each.file), "utf8");
    expect(applyChange(source, each)).not.toBe(source);
    expect(testSteps(each, (name) => existsSync(path.join("test", name)))).not.toEqual([]);
    for (const name of each.tests ?? []) expect(existsSync(path.join("test", name)), name).toBe(true);
  });

  it("has few changes that survive, and docs/reliability.md names exactly those with their reasons", () => {
    const survivors = changes.filter(({ survives }) => survives !== undefined);
    expect(survivors.length).toBeLessThanOrEqual(changes.length * 0.05);
    const [, section = ""] = readFileSync("docs/reliability.md", "utf8").split(/^## Guards$/m);
    const [guards = ""] = section.split(/^## /m);
    const rows = [...guards.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(([, name, reason]) => ({ name, reason }));
    const byName = (left: { name?: string | undefined }, right: { name?: string | undefined }): number =>
      String(left.name).localeCompare(String(right.name));
    expect(rows.sort(byName)).toEqual(survivors.map(({ name, survives }) => ({ name, reason: survives })).sort(byName));
    expect(guards).toContain(`the ${changes.length} changes`);
  });

  it("names each change once", () => {
    const names = changes.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});
