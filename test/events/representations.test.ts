import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AcceptedMessage } from "../../src/intake/assemble-call.ts";
import { failedMessages, singleAnswer } from "../../src/events/representations.ts";
import { fault } from "../../src/sms/fault.ts";
import type { RejectedMessage } from "../../src/sms/prepare-message.ts";
import { unicodeText } from "../support/unicode-text.ts";

const accepted: AcceptedMessage = {
  kind: "prepared",
  id: "019392f0-5e7c-7000-8a1c-0d2e4f6a8b9c",
  senderNumber: "10001234",
  recipientNumber: "09121234567",
  sender: "10001234",
  recipient: "989121234567",
  givenSender: null,
  givenRecipient: "09121234567",
  templateId: null,
  validSeconds: 3600,
  content: "سلام",
  language: "fa",
  operator: "MCI",
  encoding: "ucs2",
  parts: 1,
  cost: 1390n,
  routeId: 1,
};
const rejected: RejectedMessage = {
  kind: "rejected",
  senderNumber: "x",
  recipientNumber: "y",
  content: "z",
  faults: [fault("content.tooManyParts", "content", { parts: 11, maximum: 10 })],
};
const batchId = "019392f0-5e7c-7b7e-9a54-3f6d1c2b4a10";

describe("text in answers", () => {
  it("is valid JSON and comes back as it was, whatever it holds", () => {
    fc.assert(
      fc.property(unicodeText(), (content) => {
        const answer = singleAnswer({ batchId, messages: [{ ...accepted, content, operator: content }] });
        expect((JSON.parse(answer) as { message: object }).message).toMatchObject({ content, operator: content });
      }),
    );
  });

  it("has no lone surrogate where something wrong is repeated", () => {
    const text = failedMessages([{ ...rejected, content: "a\ud800b\udc00😀" }], "en");
    expect(JSON.parse(text)).toMatchObject([{ content: "a\ufffdb\ufffd😀" }]);
  });
});

it("a single answer without its message is a failure of ours", () => {
  expect(() => singleAnswer({ batchId, messages: [rejected] })).toThrow();
});
