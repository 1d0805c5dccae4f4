import { describe, expect, it } from "vitest";
import { parseRecipient, type Msisdn } from "../../src/sms/msisdn.ts";
import { numberingPlanOf, operatorOf } from "../../src/sms/numbering-plan.ts";

const ported = msisdn("09121112233");
const plan = numberingPlanOf(
  [
    ["91", "MCI"],
    ["9991", "Irancell"],
    ["99910", "ApTel"],
  ],
  new Map([[ported, "RighTel"]]),
);

function msisdn(number: string): Msisdn {
  const parsed = parseRecipient(number);
  if (parsed === undefined) throw new Error(`not a recipient: ${number}`);
  return parsed;
}

describe("operatorOf", () => {
  it.each([
    ["by its prefix", "09121112234", "MCI"],
    ["by the longer of two prefixes", "09991012345", "ApTel"],
    ["by the shorter prefix where the longer does not fit", "09991212345", "Irancell"],
    ["by its own row when it was ported", "09121112233", "RighTel"],
    ["as Unknown when no prefix is listed", "09701112233", "Unknown"],
    ["without a prefix that the country code would complete", "09891112233", "Unknown"],
  ])("knows a number %s", (_, number, operator) => {
    expect(operatorOf(msisdn(number), plan)).toBe(operator);
  });

  it("knows nothing without data", () => {
    expect(operatorOf(ported, numberingPlanOf([], new Map()))).toBe("Unknown");
  });
});
