import { describe, expect, it } from "vitest";
import { faultMessage, SetupFaults } from "../../src/setup/fault.ts";
import { parseSetupDocument } from "../../src/setup/setup-document.ts";

const plain = (text: string): unknown => JSON.parse(JSON.stringify(parseSetupDocument(text).value));

describe("a setup document", () => {
  it("keeps numbers as they are written where a program would write them otherwise", () => {
    expect(plain("a: 0912\nb: 912\nc: 12345678901234567890\nd: 0x10\ne: 1.50\nf: 1e3")).toEqual({
      a: "0912",
      b: 912,
      c: "12345678901234567890",
      d: "0x10",
      e: "1.50",
      f: "1e3",
    });
  });

  it("has no keys but those of the file", () => {
    const { value } = parseSetupDocument("__proto__: { enabled: true }\nconstructor: 1");
    expect(Object.keys(value as object)).toEqual(["__proto__", "constructor"]);
    expect((value as { enabled?: boolean }).enabled).toBeUndefined();
  });

  it.each(["a: 1\n? [b]\n: 2", "a: 1\n? { b: 1 }\n: 2", `a: 1\n${"? ".repeat(60)}`, "a: &b c\n*b : 2"])(
    "refuses a key that is no plain text: %j",
    (text) => {
      expect(() => parseSetupDocument(text)).toThrow(
        expect.objectContaining({ faults: [{ path: [], key: "plainKey", line: 2 }] }),
      );
    },
  );

  it("knows on which line a value stands, or what is around it", () => {
    const document = parseSetupDocument("a:\n  - b: 1\n    c: 2\n  - d: 3\n");
    expect(document.lineOf(["a", 0, "c"])).toBe(3);
    expect(document.lineOf(["a", 1, "nothing", 5])).toBe(4);
    expect(document.lineOf(["nothing"])).toBe(1);
  });

  it("knows the lines of JSON, too, with tabs and a byte order mark", () => {
    const document = parseSetupDocument('\uFEFF{\n\t"a": [\n\t\t{ "b": 1 }\n\t]\n}');
    expect(document.value).toEqual({ a: [{ b: 1 }] });
    expect(document.lineOf(["a", 0, "b"])).toBe(3);
  });

  it.each([
    ["a: [1", /flow/i],
    ["a: 1\na: 2", /unique/],
    ['{"a": 1,, "b"}', /./],
    ["\ta: 1", /tab/i],
  ])("%j is none, and says why and where", (text, message) => {
    let error: unknown;
    try {
      parseSetupDocument(text);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(SetupFaults);
    expect((error as SetupFaults).faults.map((fault) => faultMessage(fault, "en"))[0]).toMatch(message);
    expect((error as SetupFaults).faults[0]?.line).toBeGreaterThan(0);
  });

  it("keeps what an alias means where it stands, whatever has that name later", () => {
    expect(plain("a: &x 1\nb: &y [*x]\nc: &x 2\nd: [*x, *y]")).toEqual({ a: 1, b: [1], c: 2, d: [2, [1]] });
  });

  it.each([
    [
      "90,000 aliases to a list of 1,000",
      `a: &a [${"1,".repeat(1000)}]\nb:\n${"- *a\n".repeat(90_000)}`,
      /[Ee]xcessive alias count/,
    ],
    ["900 aliases to a list of 1,000", `a: &a [${"1,".repeat(1000)}]\nb:\n${"- *a\n".repeat(900)}`, /alias count/],
    [
      "lists of aliases, each ten times the one before",
      [
        "a0: &a0 [1]",
        ...Array.from({ length: 30 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(10)}]`),
      ].join("\n"),
      /[Ee]xcessive alias count/,
    ],
    ["brackets in brackets", `a: ${"[".repeat(20_000)}`, /stack size exceeded/],
    ["lists in lists", "- ".repeat(20_000), /stack size exceeded/],
    ["an alias of nothing", "a: *nobody", /Unresolved alias/],
  ])("is none where it holds %s, and says so soon", (_, text, message) => {
    const begun = process.cpuUsage();
    const messages: string[] = [];
    try {
      parseSetupDocument(text);
    } catch (error) {
      if (error instanceof SetupFaults) messages.push(...error.faults.map((fault) => faultMessage(fault, "en")));
    }
    expect(messages[0]).toMatch(message);
    expect(process.cpuUsage(begun).user).toBeLessThan(10_000_000);
  });

  it("may hold 20,000 accounts, and as many keys in one place", () => {
    const accounts = Array.from({ length: 20_000 }, (_, at) => `  - { name: account-${at}, credit: 1000 }`).join("\n");
    const { value } = parseSetupDocument(`accounts:\n${accounts}\n`);
    expect((value as { accounts: unknown[] }).accounts).toHaveLength(20_000);
    const keys = Array.from({ length: 20_000 }, (_, at) => `key${at}: 1`).join("\n");
    expect(Object.keys(parseSetupDocument(keys).value as object)).toHaveLength(20_000);
  });
});
