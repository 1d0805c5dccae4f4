import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LogRow, Position } from "../../src/store/event-log.ts";
import { mostQueued, UntriedEvents } from "../../src/webhooks/untried-events.ts";

const eventId = "91a1fa75-6310-8000-bbee-9570117c4f6c";
const at = (place: number): Position => ({ transaction: BigInt(place), eventId });
const row = (place: number): LogRow => ({
  ...{ id: String(place), position: at(place), accountId: 1, type: "credit.low", subjectId: eventId },
  ...{ at: new Date(0), reason: null, detail: null },
});

/** Reads the rows above `readTo`, as the account's log has them. */
function readOwn(untried: UntriedEvents, written: number, limit: number): void {
  const from = Number(untried.readTo.transaction) + 1;
  const rows = Array.from({ length: Math.min(limit, written - from + 1) }, (_, index) => row(from + index));
  untried.add({ rows, position: rows.length === limit ? (rows.at(-1)?.position ?? at(written)) : at(written) }, 0);
}

describe("events that were not tried yet", () => {
  it("each come once and in order, however the endpoint falls behind, catches up and drops", () => {
    const steps = fc.array(fc.constantFrom("write", "take", "drop", "flood"), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(steps, (given) => {
        const untried = new UntriedEvents(at(0));
        const sent: number[] = [];
        let written = 0;
        const write = (count: number): void => {
          for (let index = 0; index < count; index += 1) untried.offer(row((written += 1)), 0);
        };
        const take = (): void => {
          if (untried.isBehind && untried.length === 0) {
            readOwn(untried, written, 50);
            untried.join(at(written));
          }
          for (const { position } of untried.take(30)) {
            untried.places.settle(untried.places.begin(position));
            sent.push(Number(position.transaction));
          }
        };
        for (const step of given) {
          if (step === "write") write(7);
          else if (step === "flood") write(mostQueued + 1);
          else if (step === "drop") untried.drop();
          else take();
        }
        // Each round sends some, so that more than these mean that one was lost.
        for (let round = 0; round < written && sent.length < written; round += 1) take();
        expect(sent).toEqual(Array.from({ length: written }, (_, index) => index + 1));
      }),
      { numRuns: 20 },
    );
  });

  it("are not read again while their request is under way", () => {
    const untried = new UntriedEvents(at(0));
    untried.add({ rows: [row(1), row(2), row(3)], position: at(3) }, 0);
    for (const { position } of untried.take(2)) untried.places.begin(position);
    untried.drop();
    expect([untried.readTo, untried.places.settled]).toEqual([at(2), at(0)]);
  });

  it("are at most 1,000 in memory; the endpoint is behind then", () => {
    const untried = new UntriedEvents(at(0));
    untried.join(at(0));
    for (let place = 1; place <= mostQueued + 5; place += 1) untried.offer(row(place), 0);
    expect([untried.length, untried.isBehind, untried.readTo]).toEqual([mostQueued, true, at(mostQueued)]);
  });

  it("are not taken from the reader twice by an endpoint that has read further than it", () => {
    const untried = new UntriedEvents(at(0));
    untried.add({ rows: [row(1), row(2)], position: at(2) }, 0);
    untried.join(at(1));
    untried.offer(row(2), 0);
    untried.offer(row(3), 0);
    expect(untried.take(10).map(({ id }) => id)).toEqual(["1", "2", "3"]);
  });
});
