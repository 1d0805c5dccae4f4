import { describe, expect, it } from "vitest";
import {
  addCostly,
  campaignOperation,
  type CostlyInRows,
  firstToWait,
  checkRows,
  rowRecipient,
  type CampaignPlan,
} from "../../src/sms/campaign.ts";
import { fault } from "../../src/sms/fault.ts";
import type { PreparedMessage, RejectedMessage } from "../../src/sms/prepare-message.ts";
import { plainTerms as accountTerms } from "../support/account-terms.ts";

const plan: CampaignPlan = { sender: "10001234", content: null, templateId: null, columns: ["text"] };
const row = (number: number, ...given: (string | null)[]) => ({ number, recipient: "989121234567", given });
const tell = (verdicts: readonly (PreparedMessage | RejectedMessage)[]) =>
  verdicts.map((verdict) => (verdict.kind === "prepared" ? verdict.content : verdict.faults[0].messageKey));

describe("checkRows", () => {
  it("takes each row's own text", () => {
    expect(tell(checkRows(plan, [row(1, "a {b}"), row(2, null), row(3)], accountTerms))).toEqual([
      "a {b}",
      "content.required",
      "content.required",
    ]);
  });

  it("puts the values into one text, and keeps the verdicts in the order of the rows", () => {
    const given = { ...plan, content: "Dear {name}, {code}", columns: ["name", "code"] };
    const rows = [row(1, "A", "1"), row(2, "B", null), row(3, "x".repeat(101), "3"), row(4, "{code}", "4")];
    expect(tell(checkRows(given, rows, accountTerms))).toEqual([
      "Dear A, 1",
      "parameters.missingValue",
      "parameters.valueTooLong",
      "Dear {code}, 4",
    ]);
  });

  it("sends one text without columns as it stands", () => {
    expect(tell(checkRows({ ...plan, content: "{name}", columns: [] }, [row(1)], accountTerms))).toEqual(["{name}"]);
  });

  it("names an unknown template, and a recipient that is none", () => {
    expect(tell(checkRows({ ...plan, templateId: "none" }, [row(1, "x")], accountTerms))).toEqual([
      "templateId.invalid",
    ]);
    const [verdict] = checkRows(plan, [{ number: 1, recipient: "12", given: ["x"] }], accountTerms);
    expect(verdict?.kind === "rejected" && verdict.faults[0].messageKey).toBe("recipientNumber.form");
  });
});

describe("firstToWait", () => {
  const prepared = { kind: "prepared" } as PreparedMessage;
  const refused = (...[key]: Parameters<typeof fault>) =>
    ({ kind: "rejected", faults: [fault(key)] }) as unknown as RejectedMessage;
  it.each([
    [[prepared, refused("message.duplicate"), prepared], undefined],
    [[prepared, refused("route.none"), refused("credit.insufficient")], { place: 2, for: "credit" }],
    [[refused("account.dailyMessages"), refused("credit.insufficient")], { place: 0, for: "ceiling" }],
    [[prepared, refused("account.monthlyCost"), prepared], { place: 1, for: "ceiling" }],
  ] as const)("case %#: stops where the credit or the ceiling ends, and at no other fault", (verdicts, waiting) => {
    expect(firstToWait(verdicts)).toEqual(waiting);
  });
});

describe("a plan", () => {
  it("needs the permission of the same send by the clients' API", () => {
    expect([campaignOperation(plan), campaignOperation({ templateId: "x" })]).toEqual(["sendBulk", "sendTemplate"]);
  });
});

describe("rowRecipient", () => {
  it.each([
    ["9121234567", "989121234567"],
    ["۰۹۱۲ ۱۲۳-۴۵۶۷", "989121234567"],
    ["12", "12"],
    ["x".repeat(500), "x".repeat(200)],
  ])("of %j is %j", (given, recipient) => {
    expect(rowRecipient(given)).toBe(recipient);
  });
});

it("names the characters that make texts dearer, with their rows", () => {
  let costly: readonly CostlyInRows[] = [];
  const texts = ["Hello", "It’s here", "I\tsaw it’s [gone]", "سلام ’", "[x]"];
  for (const [index, text] of texts.entries()) costly = addCostly(costly, index + 1, text);
  expect(costly).toEqual([
    { character: "’", codePoint: "U+2019", position: 3, reason: "ucs2", row: 2, rows: 2 },
    { character: "\t", codePoint: "U+0009", position: 2, reason: "ucs2", row: 3, rows: 1 },
    { character: "[", codePoint: "U+005B", position: 1, reason: "twoSeptets", row: 5, rows: 1 },
    { character: "]", codePoint: "U+005D", position: 3, reason: "twoSeptets", row: 5, rows: 1 },
  ]);
  for (let code = 0x2600; code < 0x2640; code += 1) costly = addCostly(costly, 6, `Hello ${String.fromCharCode(code)}`);
  expect(costly).toHaveLength(20);
});
