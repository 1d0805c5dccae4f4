import { expect, it } from "vitest";
import { BehaviourChoice } from "../../src/simulator/behaviour-choice.ts";
import { behaviours, suffixDigits } from "../../src/simulator/behaviours.ts";
import { SubmittedMessage } from "../../src/simulator/submitted-message.ts";
import { plainSubmitSm } from "../smpp/pdu-samples.ts";

it("suffixes and names are unique, and every row says what it does", () => {
  expect(new Set(behaviours.map(({ suffix }) => suffix)).size).toBe(behaviours.length);
  expect(new Set(behaviours.map(({ name }) => name)).size).toBe(behaviours.length);
  for (const { suffix, name, summary } of behaviours) {
    expect(suffix).toMatch(new RegExp(`^\\d{${suffixDigits}}$`));
    expect(name).toMatch(/^[a-z-]+$/);
    expect(summary).not.toBe("");
  }
});

it("the second attempt of whatever happens once is delivered", () => {
  for (const behaviour of behaviours.filter(({ summary }) => /\bonce\b/.test(summary))) {
    const plan = behaviour.plan({ attempt: 2, part: 1, parts: 1 });
    expect(plan).toMatchObject({ commandStatus: 0, answer: "at once" });
  }
});

it("an empty table delivers everything", () => {
  const choice = new BehaviourChoice([]);
  const message = new SubmittedMessage({ ...plainSubmitSm, destination_addr: "989121230010" }, "a");
  expect(choice.planFor(message)).toMatchObject({ commandStatus: 0, receipts: [{ state: "DELIVRD" }] });
});
