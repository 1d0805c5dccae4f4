import { describe, expect, it } from "vitest";
import { defaultOperators, numberingPlanOf, operatorOf } from "../../src/sms/numbering-plan.ts";
import { parseRecipient } from "../../src/sms/msisdn.ts";

const rows = defaultOperators.flatMap(({ name, prefixes }) => prefixes.map((prefix) => [prefix, name] as const));

describe("defaultOperators", () => {
  it("gives no prefix to two operators", () => {
    expect(new Set(rows.map(([prefix]) => prefix)).size).toBe(rows.length);
  });

  it("lists national mobile prefixes only", () => {
    for (const [prefix] of rows) expect(prefix).toMatch(/^9\d{2,4}$/);
  });

  it.each([
    ["09121234567", "MCI"],
    ["09901234567", "MCI"],
    ["09351234567", "Irancell"],
    ["09991234567", "Irancell"],
    ["09991034567", "ApTel"],
    ["09211234567", "RighTel"],
    ["09321234567", "Taliya"],
    ["09981034567", "ShatelMobile"],
    ["09999634567", "SamanTel"],
    ["09971234567", "Unknown"],
  ])("knows %s as a number of %s", (number, operator) => {
    const recipient = parseRecipient(number);
    expect(recipient && operatorOf(recipient, numberingPlanOf(rows, new Map()))).toBe(operator);
  });
});
