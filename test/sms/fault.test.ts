import { describe, expect, it } from "vitest";
import { fault, faultCode, faultKeys, isFault } from "../../src/sms/fault.ts";

describe("fault", () => {
  it("has the code of its key and no property that was not given", () => {
    expect(fault("route.none")).toStrictEqual({ code: 1203, messageKey: "route.none" });
    expect(fault("content.tooManyParts", "content", { parts: 11 })).toStrictEqual({
      code: 1001,
      messageKey: "content.tooManyParts",
      field: "content",
      values: { parts: 11 },
    });
  });

  it("knows the codes that one message can get, and no other", () => {
    expect([...new Set(faultKeys.map(faultCode))].sort()).toEqual([
      1001, 1048, 1053, 1107, 1201, 1202, 1203, 1204, 1207, 1208,
    ]);
  });

  it("is told from other values", () => {
    expect(isFault(fault("route.none"))).toBe(true);
    expect(isFault({ line: {}, senderNumber: "10001234" })).toBe(false);
  });
});
