import { describe, expect, it } from "vitest";
import { isTemplateSend, readSingleSend } from "../../../src/http/messages/single-send.ts";
import { foldNames, type JsonObject } from "../../../src/http/read-parameters.ts";

const nowMs = 1_763_640_000_000;
const text = (object: JsonObject) => readSingleSend(foldNames(object), "text", nowMs);
const template = (object: JsonObject) => readSingleSend(foldNames(object), "template", nowMs);

describe("isTemplateSend", () => {
  it.each([
    [{ templateId: "a" }, true],
    [{ TEMPLATEID: 5, Content: "" }, true],
    [{ templateId: "a", content: "x" }, false],
    [{ templateId: "a", content: 5 }, false],
    [{ templateId: "", content: null }, false],
    [{}, false],
  ])("%j → %s", (object, expected) => expect(isTemplateSend(foldNames(object))).toBe(expected));
});

describe("readSingleSend", () => {
  it("cleans numbers and leaves the rest to the rule book", () => {
    const { draft, findings } = text({ senderNumber: "1000 1234", recipientNumber: 9121234567, content: "  x " });
    expect(findings).toEqual([]);
    expect(draft).toEqual({ senderNumber: "10001234", recipientNumber: "9121234567", content: "  x ", source: "json" });
  });

  it("has the same fields for the same request in another writing, and others for another", () => {
    const one = text({ senderNumber: "10001234", recipientNumber: "0912-1234567", content: "x" }).fields;
    expect(text({ CONTENT: "x", SenderNumber: 10001234, recipientNumber: "09121234567", y: 1 }).fields).toEqual(one);
    expect(text({ senderNumber: "10001234", recipientNumber: "09121234567", content: "x " }).fields).not.toEqual(one);
  });

  it("reads parameters with numbers as text and null as missing", () => {
    const { draft, findings } = template({
      templateId: 12,
      recipientNumber: "09121234567",
      parameters: [
        { name: "a", value: 1 },
        { NAME: 2, Value: null },
        { name: "c" },
        { name: "d", value: [] },
        { value: "e" },
      ],
    });
    expect(findings).toEqual([]);
    expect(draft.templateId).toBe("12");
    expect(draft.parameters).toEqual([
      { name: "a", value: "1" },
      { name: "2", value: null },
      { name: "c", value: null },
      { name: "d", value: undefined },
    ]);
  });

  it("finds shapes that are none", () => {
    const { findings } = template({ senderNumber: {}, recipientNumber: [], parameters: "x", sendTimestamp: {} });
    expect(findings.map(({ field, messageKey }) => `${field}: ${messageKey}`)).toEqual([
      "senderNumber: field.notText",
      "recipientNumber: field.notText",
      "templateId: field.required",
      "parameters: parameters.form",
      "sendTimestamp: sendTimestamp.notInteger",
    ]);
  });
});
