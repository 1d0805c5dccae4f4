// Which ranges of a message's line are dashed.
import { describe, expect, it } from "vitest";
import { uncertainRanges } from "../../console/src/pages/messages/uncertain-ranges.ts";

const at = "2026-11-25T08:00:00.000Z";
const ranges = (...events: readonly Omit<Parameters<typeof uncertainRanges>[0][number], "at">[]) =>
  uncertainRanges(events.map((event) => ({ at, ...event })));

describe("uncertain ranges of a message's life", () => {
  it("begin where no answer came, and end with the answer that came late", () => {
    expect(
      ranges(
        { kind: "accepted" },
        { kind: "claimed" },
        { kind: "notTaken", part: 1 },
        { kind: "due" },
        {
          kind: "taken",
          part: 1,
          late: true,
        },
      ),
    ).toEqual([false, false, true, true, false]);
  });

  it("end with a receipt, and with the end of the message", () => {
    expect(ranges({ kind: "notTaken", part: 1 }, { kind: "receipt", part: 1, state: "DELIVRD" })).toEqual([
      true,
      false,
    ]);
    expect(ranges({ kind: "claimOrphaned" }, { kind: "ended" }, { kind: "refunded" })).toEqual([true, false, false]);
  });

  it("last until each part is settled", () => {
    expect(
      ranges(
        { kind: "notTaken", part: 1 },
        { kind: "notTaken", part: 2 },
        { kind: "taken", part: 1 },
        { kind: "taken", part: 2 },
      ),
    ).toEqual([true, true, true, false]);
  });

  it("are none where an operator refused, or where all is well", () => {
    expect(
      ranges({ kind: "notTaken", part: 1, answer: "ESME_RMSGQFUL" }, { kind: "taken", part: 1 }, { kind: "ended" }),
    ).toEqual([false, false, false]);
  });
});
