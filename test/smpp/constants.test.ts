import { expect, it } from "vitest";
import { commandStatus, commandStatusName, messageStateCode, messageStateWords } from "../../src/smpp/constants.ts";

it("names every status, and shows unknown ones in hexadecimal", () => {
  for (const [name, code] of Object.entries(commandStatus)) expect(commandStatusName(code)).toBe(name);
  expect(commandStatusName(0x401)).toBe("0x00000401");
});

it("maps message states to their words and back", () => {
  for (const [code, word] of messageStateWords) expect(messageStateCode(word)).toBe(code);
  expect(messageStateCode("FAILED")).toBe(7);
});
