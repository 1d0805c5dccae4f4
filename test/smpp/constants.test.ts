import { describe, expect, it } from "vitest";
import {
  commandStatus,
  commandStatusName,
  findMessageState,
  messageStateCode,
  messageStates,
} from "../../src/smpp/constants.ts";

it("names every status, and shows unknown ones in hexadecimal", () => {
  for (const [name, code] of Object.entries(commandStatus)) expect(commandStatusName(code)).toBe(name);
  expect(commandStatusName(0x401)).toBe("0x00000401");
});

it("maps message states to their words and back", () => {
  for (const { code, words } of messageStates) for (const word of words) expect(messageStateCode(word)).toBe(code);
  expect(messageStateCode("FAILED")).toBe(7);
});

describe("the outcome of a state", () => {
  it.each([
    ["DELIVRD", "delivered"],
    ["delivrd ", "delivered"],
    ["UNDELIV", "undelivered"],
    ["EXPIRED", "undelivered"],
    ["DELETED", "undelivered"],
    ["REJECTD", "undelivered"],
    ["DELIVERED", "delivered"],
    ["UNDELIVERABLE", "undelivered"],
    ["REJECTED", "undelivered"],
    ["2", "delivered"],
    ["08", "undelivered"],
    ["1", undefined],
    ["ENROUTE", undefined],
    ["ACCEPTD", undefined],
    ["ACCEPTED", undefined],
    ["UNKNOWN", undefined],
    ["", undefined],
  ])("of %j is %s", (word, outcome) => {
    expect(findMessageState(word)?.outcome).toBe(outcome);
  });

  it.each(["FAILED", "ACKED", "BUFFRED"])("case 37: changes nothing for the unlisted word %s", (word) => {
    expect(findMessageState(word)?.outcome).toBeUndefined();
  });
});
