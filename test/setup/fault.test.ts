import { expect, it } from "vitest";
import { didYouMean, formatFault, formatPath, localizedFault, SetupFaults } from "../../src/setup/fault.ts";
import { kindTexts, setupHints, setupTexts } from "../../src/texts/setup-texts.ts";

it("writes paths as people read them", () => {
  expect(formatPath(["accounts", 0, "apiKeys", 12, "key"])).toBe("accounts[0].apiKeys[12].key");
  expect(formatPath([])).toBe("");
});

it("writes a fault with what is known of its place, in both languages", () => {
  const values = { kind: kindTexts.line, name: "3000" };
  const fault = { path: ["lines", 1], key: "notThere", values } as const;
  expect(formatFault(fault)).toBe("lines[1]: there is no line 3000");
  const hint = { key: "didYouMean", values: { word: "30001" } } as const;
  expect(formatFault({ ...fault, line: 7, hint })).toBe(
    "line 7, lines[1]: there is no line 3000 (did you mean 30001?)",
  );
  expect(localizedFault({ ...fault, line: 7, hint })).toEqual({
    en: "line 7: there is no line 3000 (did you mean 30001?)",
    fa: "سطر 7: خط 3000 وجود ندارد (منظورتان 30001 است؟)",
  });
  expect(localizedFault({ key: "tooLong", values: { most: 100 } }).fa).toBe("نباید بیش از ۱۰۰ کاراکتر باشد");
});

it.each(Object.entries({ ...setupTexts, ...setupHints }))(
  "%s has the same placeholders in both languages",
  (_, text) => {
    const placeholders = (words: string): readonly string[] => (words.match(/\{[a-z]+\}/g) ?? []).toSorted();
    expect(placeholders(text.fa)).toEqual(placeholders(text.en));
    expect(text.fa).toMatch(/[\u0600-\u06ff]/);
  },
);

it.each([
  ["prefix", "prefixes"],
  ["Prefixes", "prefixes"],
  ["enabeld", "enabled"],
  ["host", undefined],
  ["", undefined],
])("for %j has in mind %j", (word, meant) => {
  const hint = didYouMean(word, ["name", "prefixes", "enabled"]);
  expect(hint).toBe(meant === undefined ? undefined : `did you mean ${meant}?`);
});

it("counts itself", () => {
  const fault = { path: [], key: "list" } as const;
  expect(new SetupFaults([fault]).message).toBe("the setup has a fault");
  expect(new SetupFaults([fault, fault]).message).toBe("the setup has 2 faults");
});
