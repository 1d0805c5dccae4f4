import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AcceptedMessage } from "../../src/intake/assemble-call.ts";
import {
  batchAnswer,
  failedMessages,
  messageState,
  previewAnswer,
  receivedMessage,
  singleAnswer,
  unknownMessage,
} from "../../src/events/representations.ts";
import { fault } from "../../src/sms/fault.ts";
import type { Msisdn } from "../../src/sms/msisdn.ts";
import type { RejectedMessage } from "../../src/sms/prepare-message.ts";
import type { StoredMessage } from "../../src/store/message-reads.ts";
import { unicodeText } from "../support/unicode-text.ts";

const accepted: AcceptedMessage = {
  kind: "prepared",
  sentMessageId: "019392f0-5e7c-7000-8a1c-0d2e4f6a8b9c",
  senderNumber: "10001234",
  recipientNumber: "09121234567",
  line: { number: "10001234", kind: "dedicated" },
  recipient: "989121234567" as Msisdn,
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
const stored: StoredMessage = {
  id: accepted.sentMessageId,
  batchId: "019392f0-5e7c-7b7e-9a54-3f6d1c2b4a10",
  sender: "10001234",
  recipient: "989121234567",
  givenSender: "+9810001234",
  givenRecipient: null,
  content: "x",
  language: "en",
  operator: "MCI",
  parts: 3,
  cost: 1234567n,
  status: 0,
  reason: null,
  reasonDetail: null,
  sendAt: null,
  sentAt: null,
  finalAt: null,
};
const batchId = stored.batchId;

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

it("numbers are text where the specification says so", () => {
  expect(JSON.parse(singleAnswer({ batchId, messages: [{ ...accepted, parts: 10, cost: 1234567n }] }))).toMatchObject({
    message: { parts: "10", cost: "1,234,567", messageStatus: 0 },
  });
});

it("a failed message shows its first fault in the caller's language", () => {
  expect(batchAnswer({ batchId, messages: [rejected] }, "en")).toBe(
    `{"batchId":"${batchId}","messages":[{"senderNumber":"x","recipientNumber":"y","content":"z","errorCode":1001,` +
      `"errorMessage":"content needs 11 parts; at most 10 are allowed."}]}`,
  );
  expect(batchAnswer({ batchId, messages: [rejected] }, "fa")).toMatch(/۱۱ بخش/);
});

it("a single answer without its message is a failure of ours", () => {
  expect(() => singleAnswer({ batchId, messages: [rejected] })).toThrow();
});

it("a preview has the encoding and no ids", () => {
  expect(previewAnswer(accepted, "en")).not.toMatch(/Id"/);
  expect(previewAnswer(accepted, "en")).toMatch(/"messageStatus":0,"encoding":"ucs2"}}$/);
});

describe("messageState", () => {
  it("repeats numbers as the caller wrote them", () => {
    expect(JSON.parse(messageState(stored, "en"))).toMatchObject({
      senderNumber: "+9810001234",
      recipientNumber: "989121234567",
      cost: "1,234,567",
    });
  });

  it("says last that the text was erased", () => {
    expect(messageState({ ...stored, content: "" }, "en")).toMatch(/,"contentErased":true}$/);
    expect(messageState(stored, "en")).not.toContain("contentErased");
  });

  it("cuts times down to whole seconds, and has no key for what is not known", () => {
    const state = messageState({ ...stored, sentAt: new Date(1_763_640_000_999) }, "en");
    expect(state).toContain('"sentTimestamp":1763640000}');
    expect(state).not.toMatch(/null|sendTimestamp|finalTimestamp|errorCode/);
  });
});

it("unknownMessage and receivedMessage", () => {
  expect(unknownMessage(accepted.sentMessageId, "en")).toMatch(
    /^{"sentMessageId":"[^"]+","errorCode":1106,"errorMessage":"/,
  );
  const receivedAt = new Date(1_763_640_000_999);
  const message = {
    sequence: 1n,
    id: batchId,
    sender: "989121234567",
    recipient: "10001234",
    content: '"',
    receivedAt,
    contentErased: false,
  };
  expect(receivedMessage(message)).toBe(
    `{"receivedMessageId":"${batchId}","senderNumber":"989121234567","recipientNumber":"10001234","content":"\\"","receivedTimestamp":1763640000}`,
  );
  expect(receivedMessage({ ...message, content: "", contentErased: true })).toMatch(
    /"content":"","receivedTimestamp":1763640000,"contentErased":true}$/,
  );
  expect(receivedMessage({ ...message, content: "" })).toMatch(/"content":"","receivedTimestamp":1763640000}$/);
});
