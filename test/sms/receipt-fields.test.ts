import { describe, expect, it } from "vitest";
import { receiptFields } from "../../src/sms/text-kind.ts";

describe("the fields of a receipt", () => {
  it.each([
    ["id:4711 sub:001 stat:DELIVRD err:000 text:secret code", "id:4711 sub:001 stat:DELIVRD err:000"],
    ["id:4711 stat:UNDELIV err:034 Text: secret", "id:4711 stat:UNDELIV err:034"],
    ["id:4711 stat:DELIVRD", "id:4711 stat:DELIVRD"],
    // A text without its label.
    ["id:7 stat:DELIVRD err:000 secret", "id:7 stat:DELIVRD err:000"],
    ["id:7 secret: 1234", "id:7"],
    [
      "id: sub:001 submit date:2611251200 done date:2611251201 stat:DELIVRD",
      "id: sub:001 submit date:2611251200 done date:2611251201 stat:DELIVRD",
    ],
    // Where the text begins, nobody knows.
    ["Your secret message was delivered", ""],
    ["", ""],
  ])("of %j are %j", (whole, fields) => {
    expect(receiptFields(whole)).toBe(fields);
  });
});
