import { expect, it } from "vitest";
import { classifyCommandStatus } from "../../../src/connectors/smpp/command-status.ts";

it.each([
  [0x58, "throttled"],
  [0x14, "throttled"],
  [0x08, "temporary"],
  [0x45, "temporary"],
  [0x64, "temporary"],
  [0xff, "temporary"],
  [0x04, "bindFatal"],
  [0x0b, "permanent"],
  [0x0a, "permanent"],
  [0x66, "permanent"],
  [0x400, "permanent"],
])("cases 20 and 22: command_status 0x%s is %s", (status, answerClass) => {
  expect(classifyCommandStatus(status)).toBe(answerClass);
});
