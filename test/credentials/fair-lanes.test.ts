import { equal, notEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FairLanes, type LaneBounds, type LanePlace, type Standing } from "../../src/credentials/fair-lanes.ts";

const bounds: LaneBounds = { perLane: { known: 3, fresh: 5, guessing: 4 }, total: 20 };
const standings: readonly Standing[] = ["known", "fresh", "guessing"];

interface Item {
  readonly place: LanePlace;
  readonly number: number;
}

const place = fc.record<LanePlace>({
  standing: fc.constantFrom(...standings),
  lane: fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h"),
});
/** An arrival, or a turn. */
const steps = fc.array(fc.option(place, { nil: undefined, freq: 3 }), { maxLength: 300, size: "max" });

/**
 * What must wait, computed independently of the lanes: the items of each lane that has any, and its
 * standing.
 */
class Model {
  readonly waiting = new Map<string, Item[]>();
  readonly standing = new Map<string, Standing>();

  arrive(item: Item): void {
    const { lane, standing } = item.place;
    this.waiting.set(lane, [...(this.waiting.get(lane) ?? []), item]);
    this.standing.set(lane, standing);
  }

  leave(item: Item): void {
    const { lane } = item.place;
    const rest = this.waiting.get(lane)?.filter((other) => other !== item) ?? [];
    if (rest.length > 0) this.waiting.set(lane, rest);
    else this.waiting.delete(lane);
  }

  /** Standings in which somebody waits. */
  standings(): Set<Standing | undefined> {
    return new Set([...this.waiting.keys()].map((lane) => this.standing.get(lane)));
  }
}

interface Event {
  readonly model: Model;
  readonly arrived?: Item;
  readonly refused?: Item | undefined;
  readonly served?: Item | undefined;
}

/**
 * Does the steps, and shows each, with the model as it is before what was refused or served leaves
 * it. What holds after each of the 50,000 steps is asserted by Node: `expect` takes 20 µs.
 */
function walk(lanes: FairLanes<Item>, events: readonly (LanePlace | undefined)[], see: (event: Event) => void): void {
  const model = new Model();
  for (const [number, event] of events.entries()) {
    if (event === undefined) {
      const served = lanes.next()?.item;
      see({ model, served });
      if (served) model.leave(served);
    } else {
      const arrived = { place: event, number };
      model.arrive(arrived);
      const refused = lanes.add(event, arrived);
      see({ model, arrived, refused });
      if (refused) model.leave(refused);
    }
    equal(lanes.waiting, [...model.waiting.values()].flat().length);
    equal(lanes.laneCount, model.waiting.size);
  }
}

describe("fair lanes", () => {
  it("keep their bounds, serve a lane in order, and give every place back", () => {
    fc.assert(
      fc.property(steps, (events) => {
        const lanes = new FairLanes<Item>(bounds);
        walk(lanes, events, ({ model, arrived, refused, served }) => {
          if (served) equal(served, model.waiting.get(served.place.lane)?.[0]);
          if (refused) equal(refused, model.waiting.get(refused.place.lane)?.at(-1));
          if (arrived === undefined) equal(served === undefined, model.waiting.size === 0);
          else if (refused !== arrived)
            ok((model.waiting.get(arrived.place.lane)?.length ?? Infinity) <= bounds.perLane[arrived.place.standing]);
          ok(lanes.waiting <= bounds.total);
        });
        const left = lanes.waiting;
        for (let turn = 0; turn < left; turn += 1) notEqual(lanes.next()?.item, undefined);
        expect([lanes.next()?.item, lanes.waiting, lanes.laneCount]).toEqual([undefined, 0, 0]);
      }),
    );
  });

  it("of one standing take turns, however much waits in one of them", () => {
    const lanes = new FairLanes<string>(bounds);
    for (const item of ["a1", "a2", "a3", "b1", "c1", "b2"])
      lanes.add({ standing: "fresh", lane: item.slice(0, 1) }, item);
    const served = Array.from({ length: 6 }, () => lanes.next()?.item);
    expect(served).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
  });

  it("let nobody at the head of a lane wait for more than one turn of each other lane of that standing", () => {
    fc.assert(
      fc.property(steps, (events) => {
        const lanes = new FairLanes<Item>(bounds);
        // By the item at the head of a lane: which lanes of its standing had a turn since it is
        // there.
        const overtaken = new Map<Item, Set<string>>();
        walk(lanes, events, ({ model, arrived, served }) => {
          // A lane of another standing begins at the end of its ring.
          if (arrived) for (const item of model.waiting.get(arrived.place.lane) ?? []) overtaken.delete(item);
          if (served === undefined) return;
          const standing = model.standing.get(served.place.lane);
          for (const [lane, [head]] of model.waiting) {
            if (head === undefined || head === served || model.standing.get(lane) !== standing) continue;
            const lanesBefore = overtaken.get(head) ?? new Set();
            ok(!lanesBefore.has(served.place.lane));
            overtaken.set(head, lanesBefore.add(served.place.lane));
          }
        });
      }),
    );
  });

  it("give each standing in which somebody waits one turn of four, and a known one every second", () => {
    fc.assert(
      fc.property(steps, (events) => {
        const lanes = new FairLanes<Item>(bounds);
        const turnsWithout = { known: 0, fresh: 0, guessing: 0 };
        walk(lanes, events, ({ model, served }) => {
          const waiting = model.standings();
          for (const standing of standings) {
            if (served && waiting.has(standing) && model.standing.get(served.place.lane) !== standing)
              turnsWithout[standing] += 1;
            else if (served || !waiting.has(standing)) turnsWithout[standing] = 0;
          }
          ok(turnsWithout.known <= 1);
          ok(turnsWithout.fresh <= 3);
          ok(turnsWithout.guessing <= 3);
        });
      }),
    );
  });

  it("hold all that waits of one lane to one bound, whatever its standing becomes", () => {
    const lanes = new FairLanes<number>({ perLane: { known: 1, fresh: 2, guessing: 2 }, total: 10 });
    expect(lanes.add({ standing: "fresh", lane: "a" }, 1)).toBeUndefined();
    expect(lanes.add({ standing: "guessing", lane: "a" }, 2)).toBeUndefined();
    expect(lanes.add({ standing: "guessing", lane: "a" }, 3)).toBe(3);
    expect(lanes.add({ standing: "fresh", lane: "b" }, 4)).toBeUndefined();
    expect([lanes.next()?.item, lanes.next()?.item, lanes.next()?.item, lanes.next()?.item]).toEqual([
      4,
      1,
      2,
      undefined,
    ]);
  });

  it("when they are full, take the place of a longest lane, and of several that of the lowest standing", () => {
    const lanes = new FairLanes<string>({ perLane: { known: 9, fresh: 9, guessing: 9 }, total: 5 });
    for (const item of ["a1", "a2"]) expect(lanes.add({ standing: "known", lane: "a" }, item)).toBeUndefined();
    for (const item of ["b1", "b2"]) expect(lanes.add({ standing: "fresh", lane: "b" }, item)).toBeUndefined();
    expect(lanes.add({ standing: "guessing", lane: "c" }, "c1")).toBeUndefined();
    expect(lanes.add({ standing: "known", lane: "d" }, "d1")).toBe("b2");
    expect(lanes.add({ standing: "known", lane: "e" }, "e1")).toBe("a2");
    // All have one: it is the turn of the lowest standing to lose it, or of the newest there.
    expect(lanes.add({ standing: "guessing", lane: "f" }, "f1")).toBe("f1");
    expect(lanes.add({ standing: "fresh", lane: "g" }, "g1")).toBe("c1");
    expect(lanes.add({ standing: "fresh", lane: "h" }, "h1")).toBe("h1");
    expect([
      lanes.next()?.item,
      lanes.next()?.item,
      lanes.next()?.item,
      lanes.next()?.item,
      lanes.next()?.item,
    ]).toEqual(["a1", "b1", "d1", "e1", "g1"]);
  });
});
