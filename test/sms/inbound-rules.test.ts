import { describe, expect, it } from "vitest";
import { InboundRules } from "../../src/sms/replies.ts";

const rules = new InboundRules([
  { line: "1000", words: ["ثبت‌نام", "Join"], account: "club" },
  { line: "1000", prefix: "رأی ۱", account: "votes" },
  { line: "2000", any: true, account: "two" },
  { line: "1000", any: true, account: "rest", reply: "متشکریم" },
]);
const accountFor = (line: string, text: string): string | undefined => rules.find(line, text)?.account;

describe("the rules of received messages", () => {
  it.each([
    ["join", "club"],
    [" JOIN! ", "club"],
    ["ثبت نام", "rest"],
    ["ثبت‌نام", "club"],
    ["join us", "rest"],
    ["رأي 1", "votes"],
    ["رأی ۱ علی", "votes"],
    ["رأی ۱۲", "rest"],
    ["رأی", "rest"],
    ["", "rest"],
  ])("give %j to %s, folded, by the first rule that fits", (text, account) => {
    expect(accountFor("1000", text)).toBe(account);
  });

  it("count for their own line alone", () => {
    expect(accountFor("2000", "join")).toBe("two");
    expect(accountFor("3000", "join")).toBeUndefined();
  });
});
