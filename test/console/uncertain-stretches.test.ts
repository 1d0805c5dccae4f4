// Which stretches of a message's line are dashed.
import { describe, expect, it } from "vitest";
import { uncertainStretches } from "../../console/src/pages/messages/uncertain-stretches.ts";

const at = "2026-11-25T08:00:00.000Z";
const stretches = (...events: readonly Omit<Parameters<typeof uncertainStretches>[0][number], "at">[]) =>
  uncertainStretches(events.map((event) => ({ at, ...event })));

describe("uncertain stretches of a message's life", () => {
  it("begin where no answer came, and end with the answer that came late", () => {
    expect(
      stretches(
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
    expect(stretches({ kind: "notTaken", part: 1 }, { kind: "receipt", part: 1, state: "DELIVRD" })).toEqual([
      true,
      false,
    ]);
    expect(stretches({ kind: "claimLost" }, { kind: "ended" }, { kind: "refunded" })).toEqual([true, false, false]);
  });

  it("last until each part is settled", () => {
    expect(
      stretches(
        { kind: "notTaken", part: 1 },
        { kind: "notTaken", part: 2 },
        { kind: "taken", part: 1 },
        { kind: "taken", part: 2 },
      ),
    ).toEqual([true, true, true, false]);
  });

  it("are none where an operator refused, or where all is well", () => {
    expect(
      stretches({ kind: "notTaken", part: 1, answer: "ESME_RMSGQFUL" }, { kind: "taken", part: 1 }, { kind: "ended" }),
    ).toEqual([false, false, false]);
  });
});
