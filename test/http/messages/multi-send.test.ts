import { describe, expect, it } from "vitest";
import { malformedLists, pluralNames, readMultiSend, singularNames } from "../../../src/http/messages/multi-send.ts";
import { readPairs } from "../../../src/http/query-string.ts";
import { foldNames, GivenParameters, type JsonObject } from "../../../src/http/read-parameters.ts";
import { fault } from "../../../src/sms/fault.ts";
import type { RejectedMessage } from "../../../src/sms/prepare-message.ts";

const nowMs = 1_763_640_000_000;

function byQuery(query: string) {
  const parameters = new GivenParameters();
  parameters.addPairs(readPairs(query, parameters.room), "query");
  return readMultiSend(parameters, singularNames, nowMs);
}

function byJson(object: JsonObject) {
  const parameters = new GivenParameters();
  parameters.addJson(foldNames(object));
  return readMultiSend(parameters, pluralNames, nowMs);
}

it("has the same fields for every form of the same lists", () => {
  const fields = byJson({
    senderNumbers: "10001234",
    recipientNumbers: ["+989121234567", "09121234567"],
    contents: ["x"],
  }).fields;
  for (const query of [
    "senderNumber=10001234&recipientNumber=%2B989121234567&recipientNumber=09121234567&content=x",
    "senderNumber[]=1000-1234&recipientNumber=+989121234567,09121234567&content=x",
    "content[0]=x&recipientNumber[1]=09121234567&recipientNumber[0]=%2B98+912+1234567&senderNumber=10001234",
  ])
    expect(byQuery(query).fields).toEqual(fields);
});

it("pairs what is no text by its place", () => {
  const { drafts } = byJson({ senderNumbers: ["1"], recipientNumbers: ["2", "3", "4"], contents: ["x", 5, "y"] });
  expect(drafts.map(({ recipientNumber, content }) => [recipientNumber, content])).toEqual([
    ["2", "x"],
    ["3", undefined],
    ["4", "y"],
  ]);
});

it("has no drafts when the call itself is at fault", () => {
  const { drafts, findings } = byJson({
    senderNumbers: [],
    recipientNumbers: ["2"],
    contents: "x",
    sendTimestamp: "soon",
  });
  expect(drafts).toEqual([]);
  expect(findings.map(({ field }) => field)).toEqual(["senderNumbers", "sendTimestamp"]);
});

describe("malformedLists", () => {
  const message = (faults: RejectedMessage["faults"]): RejectedMessage => ({
    kind: "rejected",
    senderNumber: "",
    recipientNumber: "",
    content: "",
    faults,
  });

  it("names each finding once, by the list, in the order of the specification", () => {
    const findings = malformedLists([
      message([fault("content.blank", "content"), fault("recipientNumber.form", "recipientNumber")]),
      message([fault("recipientNumber.form", "recipientNumber")]),
      message([fault("senderNumber.form", "senderNumber"), fault("recipientNumber.required", "recipientNumber")]),
    ]);
    expect(findings.map(({ field, messageKey }) => `${field}: ${messageKey}`)).toEqual([
      "senderNumbers: senderNumber.form",
      "recipientNumbers: recipientNumber.form",
      "recipientNumbers: recipientNumber.required",
      "contents: content.blank",
    ]);
  });
});
