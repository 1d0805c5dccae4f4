import { describe, expect, it } from "vitest";
import { defaultOptOutWords, WordReader } from "../../src/sms/opt-out-index.ts";
import { hindranceOf, owedReply } from "../../src/sms/replies.ts";

const words = new WordReader(defaultOptOutWords);
const rule = { line: "1000", any: true, account: "shop", reply: "Welcome" } as const;
const asking = { rule, sender: "+989121112233", text: "  Hi! ", words };

describe("a reply is owed", () => {
  it("to a mobile number, in its usual form, by the folded text", () => {
    const owed = { number: "989121112233", content: "Welcome", askedBy: "hi", rule: '["1000",null]', maxPerHour: 600 };
    expect(owedReply(asking)).toEqual(owed);
    const limited = { ...rule, any: undefined, prefix: "hi", maxPerHour: 2 };
    expect(owedReply({ ...asking, rule: limited })).toMatchObject({ rule: '["1000","hi"]', maxPerHour: 2 });
  });

  it.each([
    { rule: undefined },
    { rule: { ...rule, reply: undefined } },
    { sender: "20001" },
    { sender: "MyBank" },
    { sender: "982188001122" },
    { text: "لغو ۱۱" },
    { text: "STOP." },
    { text: "start" },
  ])("not with %j", (change) => {
    expect(owedReply({ ...asking, ...change })).toBeUndefined();
  });
});

describe("what keeps a reply back", () => {
  const history = { isLate: false, sentThisHour: 2, isRuleUsedUp: false, sameTexts: 2 };

  it.each([
    [{}, undefined],
    [{ sentThisHour: 3 }, "limited"],
    [{ isRuleUsedUp: true }, "limited"],
    [{ sameTexts: 3 }, "repeated"],
    [{ sameTexts: 3, sentThisHour: 3 }, "repeated"],
    [{ isLate: true, sameTexts: 3 }, "late"],
  ])("%j: %s", (change, hindrance) => {
    expect(hindranceOf({ ...history, ...change })).toBe(hindrance);
  });
});
