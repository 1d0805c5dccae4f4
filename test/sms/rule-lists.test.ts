import { expect, it } from "vitest";
import { isRuleSection, noRules, ruleListsOf, ruleSections } from "../../src/sms/account-rules.ts";

it("rows become lists, each in its order", () => {
  const [one, other] = [{ name: "one" }, { name: "other" }];
  const rows = [
    { section: "contentRules", body: other },
    { section: "blockLists", body: one },
    { section: "contentRules", body: one },
  ];
  expect(ruleListsOf(rows)).toEqual({ ...noRules, blockLists: [one], contentRules: [other, one] });
  expect(ruleListsOf([])).toEqual(noRules);
});

it("knows its sections", () => {
  expect(ruleSections.filter(isRuleSection)).toEqual(Object.keys(noRules));
  expect(["lines", "", "toString"].filter(isRuleSection)).toEqual([]);
});
