import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { comparePositions, type Position } from "../../src/store/event-log.ts";
import { SettledPlaces } from "../../src/webhooks/settled-places.ts";

const at = (transaction: number): Position => ({
  transaction: BigInt(transaction),
  eventId: "91a1fa75-6310-8000-bbee-9570117c4f6c",
});

describe("the place of an endpoint", () => {
  it("never passes a request that has not ended, whatever the order, and ends at the last one", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.infiniteStream(fc.nat()), (count, random) => {
        const places = new SettledPlaces(at(0));
        const open = Array.from({ length: count }, (_, index) => places.begin(at(index + 1)));
        expect(places.begun).toEqual(at(count));
        while (open.length > 0) {
          const [ended] = open.splice((random.next().value as number) % open.length, 1);
          if (ended !== undefined) places.settle(ended);
          const before = open[0]?.end ?? at(count + 1);
          expect(comparePositions(places.settled, before)).toBeLessThan(0);
          expect(places.settled.transaction).toBe(before.transaction - 1n);
        }
        expect(places.isIdle).toBe(true);
      }),
    );
  });

  it("moves over what nobody wants only while nothing is under way", () => {
    const places = new SettledPlaces(at(0));
    places.advance(at(7));
    expect([places.settled, places.begun]).toEqual([at(7), at(7)]);
    places.begin(at(8));
    expect(() => places.advance(at(9))).toThrow("requests are open");
  });
});
