import { describe, expect, it } from "vitest";
import { readSendTime } from "../../../src/http/messages/send-time.ts";

const nowMs = 1_763_640_000_500;
const day = 86_400;

describe("readSendTime", () => {
  it("takes no time that is now, to the millisecond", () => {
    const seconds = 1_763_640_000;
    expect(readSendTime(seconds, seconds * 1000)).not.toHaveProperty("sendAt");
    expect(readSendTime(seconds, seconds * 1000 - 1)).toEqual({ seconds, sendAt: new Date(seconds * 1000) });
  });

  it.each([undefined, null, ""])("%j is absent", (value) =>
    expect(readSendTime(value, nowMs)).toEqual({ seconds: null }),
  );

  it.each([
    [1_763_640_001, 1_763_640_001],
    ["1763640001", 1_763_640_001],
    ["۱۷۶۳۶۴۰۰۰۱", 1_763_640_001],
    [1_763_640_000 + 366 * day, 1_763_640_000 + 366 * day],
  ])("%j is a time", (value, seconds) => {
    expect(readSendTime(value, nowMs)).toEqual({ seconds, sendAt: new Date(seconds * 1000) });
  });

  it.each([
    [1_763_640_000, "sendTimestamp.notLater"],
    [0, "sendTimestamp.notLater"],
    [-5, "sendTimestamp.notLater"],
    [1_763_640_001 + 366 * day, "sendTimestamp.tooFar"],
    [1_763_640_001_000, "sendTimestamp.tooFar"],
    [1.5, "sendTimestamp.notInteger"],
    ["soon", "sendTimestamp.notInteger"],
    [true, "sendTimestamp.notInteger"],
    [[1_763_640_001], "sendTimestamp.notInteger"],
    [2 ** 60, "sendTimestamp.notInteger"],
  ])("%j is not: %s", (value, messageKey) => {
    expect(readSendTime(value, nowMs).finding).toMatchObject({ field: "sendTimestamp", messageKey });
  });
});
