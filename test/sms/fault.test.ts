import { describe, expect, it } from "vitest";
import { fault, isFault } from "../../src/sms/fault.ts";

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

  it("is told from other values", () => {
    expect(isFault(fault("route.none"))).toBe(true);
    expect(isFault({ line: {}, senderNumber: "10001234" })).toBe(false);
  });
});
