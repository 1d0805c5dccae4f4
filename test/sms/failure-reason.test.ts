import { expect, it } from "vitest";
import { failureKinds, failureOf, type OperatorErrors } from "../../src/sms/failure-reason.ts";
import { failureTexts } from "../../src/texts/failure-texts.ts";
import { describeReason } from "../../src/texts/reason-text.ts";

const errors: OperatorErrors = {
  "012": "unknownNumber",
  "0": "network",
  "3:130": "blacklist",
  ESME_RINVDSTADR: "barred",
  "255": { kind: "other", fa: "ارسال شبانه", en: "sent at night" },
};

it.each([
  ["012", { kind: "unknownNumber" }],
  ["12", { kind: "unknownNumber" }],
  ["0012", { kind: "unknownNumber" }],
  ["000", { kind: "network" }],
  ["3:130", { kind: "blacklist" }],
  ["ESME_RINVDSTADR", { kind: "barred" }],
  ["255", errors["255"]],
  ["120", undefined],
  ["130", undefined],
  ["", undefined],
  [null, undefined],
])("what the code %s means", (code, expected) => {
  expect(failureOf(errors, code)).toEqual(expected);
});

it("has a text for each kind, in both languages", () => {
  for (const kind of failureKinds) {
    expect(failureTexts[kind].en).toMatch(/^[a-z ]+$/);
    expect(failureTexts[kind].fa).toMatch(/\p{Script=Arabic}/u);
  }
});

it("says why a message failed before the operator's code, and the code alone where it means nothing", () => {
  const stored = { reason: 1306, reasonDetail: "UNDELIV 130" };
  const inBoth = (failure: Parameters<typeof describeReason>[0]["failure"]) =>
    (["en", "fa"] as const).map((language) => describeReason({ ...stored, failure }, language).errorMessage);
  expect(inBoth({ kind: "blacklist" })).toEqual([
    "The message was not delivered to the recipient (blacklist of the network; UNDELIV 130).",
    "پیامک به گیرنده تحویل نشد (بلک‌لیست مخابرات؛ UNDELIV 130).",
  ]);
  expect(inBoth({ kind: "other", en: "sent at night" })).toEqual([
    "The message was not delivered to the recipient (sent at night; UNDELIV 130).",
    "پیامک به گیرنده تحویل نشد (دلیل دیگر؛ UNDELIV 130).",
  ]);
  expect(inBoth(null)[0]).toBe("The message was not delivered to the recipient (UNDELIV 130).");
  // A word of the standard means the same at every operator.
  const expired = { reason: 1306, reasonDetail: "EXPIRED 001", failure: null };
  expect(describeReason(expired, "fa").errorMessage).toBe(
    "پیامک به گیرنده تحویل نشد (EXPIRED 001؛ مهلت تحویل پیامک به پایان رسید).",
  );
});
