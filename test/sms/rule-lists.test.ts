import { expect, it } from "vitest";
import { noRules, ruleListsOf } from "../../src/sms/account-rules.ts";

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
