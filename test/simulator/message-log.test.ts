import { expect, it } from "vitest";
import { MessageLog } from "../../src/simulator/message-log.ts";
import { SubmittedMessage } from "../../src/simulator/submitted-message.ts";
import { plainSubmitSm } from "../smpp/pdu-samples.ts";

function message(messageId: string, commandStatus = 0): SubmittedMessage {
  const submitted = new SubmittedMessage(plainSubmitSm, "a");
  return Object.assign(submitted, { messageId, commandStatus });
}

it("counts all, and remembers the latest", () => {
  const log = new MessageLog(8);
  for (let number = 1; number <= 100; number += 1) log.add(message(String(number)));
  log.add(message("", 0x58));
  log.add(message(""));
  expect([log.submits, log.accepted]).toEqual([102, 101]);
  expect(log.latest.length).toBeLessThanOrEqual(10);
  expect(log.latest.at(-3)?.messageId).toBe("100");
});
