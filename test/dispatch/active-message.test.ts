import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ActiveMessage, type MessageOutcome } from "../../src/dispatch/active-message.ts";
import type { Culprit, SubmitOutcome } from "../../src/sms/submit-outcome.ts";
import { claimedMessage } from "../support/claimed-message.ts";

const now = 1_000_000;

function begin(parts: number, partsTaken = 0, asOnePayload = false): ActiveMessage {
  const active = new ActiveMessage(claimedMessage(parts, { partsTaken }), {
    claimId: "claim",
    bindNumber: 1,
    asOnePayload,
    now,
  });
  active.giveReference(7);
  return active;
}

const accepted: SubmitOutcome = { kind: "accepted", smscMessageId: "1" };
/** Tried again because of what its answer, or the silence, says. */
const deferred = (fault: Culprit, delayMs?: number): SubmitOutcome => ({ kind: "deferred", delayMs, fault });

/** Writes all that is to be written; answers the part numbers. */
function writeAll(message: ActiveMessage): number[] {
  const written: number[] = [];
  for (let part = message.nextPart; part !== undefined; part = message.nextPart) {
    written.push(part.part);
    message.written();
  }
  return written;
}

describe("ActiveMessage", () => {
  it("cases 10 and 25: writes only the parts that no SMSC has taken", () => {
    expect(writeAll(begin(3))).toEqual([1, 2, 3]);
    expect(writeAll(begin(3, 0b101))).toEqual([2]);
    expect(writeAll(begin(3, 0, true))).toEqual([0]);
    expect(writeAll(begin(1, 0, true))).toEqual([1]);
    expect(begin(3).nextPart).toMatchObject({ part: 1, parts: 3, reference: 7, validSeconds: 60 });
  });

  it("waits as long as the part that must wait longest, and says that an outcome is open", () => {
    const message = begin(3);
    writeAll(message);
    message.answered(1, deferred("message", 500));
    message.answered(2, deferred("silence"));
    expect(message.answered(3, deferred("message", 2000))).toEqual({
      kind: "deferred",
      delayMs: 2000,
      fault: "silence",
      unanswered: [2],
    });
  });

  it.each<[Culprit, Culprit, Culprit]>([
    ["link", "link", "link"],
    ["link", "message", "message"],
    ["message", "silence", "silence"],
    ["silence", "link", "silence"],
  ])("by the fault of %s and %s waits by the fault of %s", (one, other, fault) => {
    const message = begin(2);
    writeAll(message);
    message.answered(1, deferred(one));
    expect(message.answered(2, deferred(other))).toMatchObject({ kind: "deferred", delayMs: undefined, fault });
  });

  it("sends a part again that the operator turned away late, when the others are answered", () => {
    for (const silence of [deferred("silence"), { kind: "held" } as const]) {
      const message = begin(2);
      writeAll(message);
      message.answered(1, silence);
      const again = { delayMs: 500, fault: "message", unanswered: [], answer: "ESME_RMSGQFUL" } as const;
      expect(message.answeredLate(1, again)).toBe(true);
      expect(message.answered(2, accepted)).toEqual({ kind: "deferred", ...again });
    }
  });

  it("whatever happens, ends exactly once, when nothing is outstanding, by the worst of its outcomes", () => {
    const kinds = ["accepted", "deferred", "expired", "held", "failedUnknown", "refused"] as const;
    const severity = ["sent", "deferred", "expired", "held", "failedUnknown", "refused"];
    const outcomeOf = (kind: (typeof kinds)[number]): SubmitOutcome => {
      if (kind === "accepted") return accepted;
      if (kind === "refused") return { kind, answer: "ESME_RSYSERR" };
      return kind === "deferred" ? deferred("message", 10) : { kind };
    };
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.constant("write" as const) },
      { weight: 4, arbitrary: fc.record({ pick: fc.nat(), kind: fc.constantFrom(...kinds) }) },
      { weight: 1, arbitrary: fc.constant("give back" as const) },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.array(step, { maxLength: 40 }), (parts, steps) => {
        const message = begin(parts);
        const inFlight: number[] = [];
        const ends: MessageOutcome[] = [];
        let worst = 0;
        const note = (end: MessageOutcome | undefined): void => {
          if (end) ends.push(end);
        };
        for (const one of [...steps, ...Array.from({ length: parts }, () => "write" as const)]) {
          if (one === "write") {
            if (message.nextPart === undefined) continue;
            inFlight.push(message.nextPart.part);
            message.written();
          } else if (one === "give back") {
            if (message.nextPart) worst = Math.max(worst, 1);
            note(message.giveBack());
          } else if (inFlight.length > 0) {
            const [part = 0] = inFlight.splice(one.pick % inFlight.length, 1);
            worst = Math.max(worst, kinds.indexOf(one.kind));
            note(message.answered(part, outcomeOf(one.kind)));
          }
        }
        while (inFlight.length > 0) {
          expect(ends).toEqual([]);
          note(message.answered(inFlight.pop() ?? 0, accepted));
        }
        expect(ends.map(({ kind }) => kind)).toEqual([severity[worst]]);
        expect(message.nextPart).toBeUndefined();
      }),
    );
  });
});
