import { expect, it } from "vitest";
import { commandStatusClasses } from "../../../src/connectors/smpp/bind-errors.ts";

const nothingOwn = { throttledStatuses: [], temporaryStatuses: [], permanentStatuses: [] };

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
  expect(commandStatusClasses(nothingOwn)(status)).toBe(answerClass);
});

it("case 22: an SMSC's own meanings go before, and of two the one that keeps the message", () => {
  const classOf = commandStatusClasses({
    throttledStatuses: ["0x00000405"],
    temporaryStatuses: ["ESME_RINVDSTADR", "0x00000405"],
    permanentStatuses: ["ESME_RSYSERR", "ESME_RINVDSTADR"],
  });
  expect([0x405, 0x0b, 0x08, 0x14, 0x406].map(classOf)).toEqual([
    "throttled",
    "temporary",
    "permanent",
    "throttled",
    "permanent",
  ]);
});
