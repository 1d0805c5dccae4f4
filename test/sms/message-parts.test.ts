import { describe, expect, it } from "vitest";
import { bitsOf, isOneOfMany, isWhole, missingParts, segmentsOf, wholeMessage } from "../../src/sms/segmentation.ts";

describe("what a submit_sm carries", () => {
  it("is a part, or the whole message with all of its bits", () => {
    expect([1, 2, 10].map(bitsOf)).toEqual([1, 2, 512]);
    expect(bitsOf(wholeMessage) & 0b111).toBe(0b111);
    expect([wholeMessage, 1].map(isWhole)).toEqual([true, false]);
    expect([wholeMessage, 1, 3].map((part) => segmentsOf(part, 3))).toEqual([3, 1, 1]);
    expect([isOneOfMany(wholeMessage, 3), isOneOfMany(1, 3), isOneOfMany(1, 1)]).toEqual([false, true, false]);
  });

  it.each([
    [{ parts: 3, partsTaken: 0 }, false, [1, 2, 3]],
    [{ parts: 3, partsTaken: 0b101 }, false, [2]],
    [{ parts: 3, partsTaken: 0b111 }, false, []],
    [{ parts: 3, partsTaken: 0 }, true, [wholeMessage]],
    [{ parts: 3, partsTaken: 0b001 }, true, [2, 3]],
    [{ parts: 3, partsTaken: 0b111 }, true, []],
    [{ parts: 1, partsTaken: 0 }, true, [1]],
  ])("of %j, as one payload: %s, is %j", (message, asOnePayload, missing) => {
    expect(missingParts(message, { asOnePayload })).toEqual(missing);
  });
});
