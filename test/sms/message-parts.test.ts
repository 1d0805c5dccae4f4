import { describe, expect, it } from "vitest";
import { missingParts, wholeMessage } from "../../src/sms/segmentation.ts";

describe("what a submit_sm carries", () => {
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
