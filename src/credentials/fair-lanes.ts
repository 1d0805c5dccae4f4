// Decides who goes next among callers who wait for a costly resource. Each caller has a lane, lanes
// of one standing take turns, and standings share the turns. Bounded, so that a flood costs only
// its sender. Pure: holds items, runs nothing.

/**
 * `known`: expected here, such as a user at an address they have used before. `fresh`: nothing is
 * known. `guessing`: was wrong recently. Known lanes go first and guessing lanes last, but none
 * waits forever.
 */
export type Standing = "known" | "fresh" | "guessing";

export interface LanePlace {
  readonly standing: Standing;
  readonly lane: string;
}

export interface LaneBounds {
  /** Items that may wait in one lane; at least 1. */
  readonly perLane: Readonly<Record<Standing, number>>;
  /** Items that may wait in total. */
  readonly total: number;
}

export interface Turn<Item> {
  readonly item: Item;
  /** The standing of the lane in which the item waited. */
  readonly standing: Standing;
}

interface Lane<Item> {
  readonly name: string;
  readonly items: Item[];
  standing: Standing;
}

/**
 * Which standing is asked first in each turn. If nobody of it waits, the order of `precedence`
 * applies.
 */
const turns: readonly Standing[] = ["known", "fresh", "known", "guessing"];
const precedence: readonly Standing[] = ["known", "fresh", "guessing"];

/**
 * While an item waits, every other lane of its standing gets one turn at most, and its standing
 * gets at least one turn in four.
 */
export class FairLanes<Item> {
  readonly #bounds: LaneBounds;
  /** Only lanes with waiting items. */
  readonly #lanes = new Map<string, Lane<Item>>();
  /** A set keeps its order: the lane at its start has the next turn, then moves to its end. */
  readonly #rings: Readonly<Record<Standing, Set<Lane<Item>>>> = {
    known: new Set(),
    fresh: new Set(),
    guessing: new Set(),
  };
  #turn = 0;
  #waiting = 0;

  constructor(bounds: LaneBounds) {
    this.#bounds = bounds;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get laneCount(): number {
    return this.#lanes.size;
  }

  /**
   * Returns the item that has no place: this one when its lane is full; when all lanes together are
   * full, the last item of the longest lane, which may also be this one. The lane takes the given
   * standing.
   */
  add({ standing, lane: name }: LanePlace, item: Item): Item | undefined {
    const lane = this.#laneOf(name, standing);
    if (lane.items.length >= this.#bounds.perLane[standing]) return item;
    lane.items.push(item);
    this.#waiting += 1;
    return this.#waiting > this.#bounds.total ? this.#removeOne() : undefined;
  }

  /** Call it when a fresh caller was wrong: the items in its lane count as guesses from then on. */
  demote(name: string): void {
    if (this.#lanes.get(name)?.standing === "fresh") this.#laneOf(name, "guessing");
  }

  /** Removes and returns the item whose turn it is, among the standings that may have a turn. */
  next(mayHaveTurn: (standing: Standing) => boolean = () => true): Turn<Item> | undefined {
    const preferred = turns[this.#turn % turns.length] ?? "known";
    this.#turn += 1;
    for (const standing of [preferred, ...precedence]) {
      if (!mayHaveTurn(standing)) continue;
      const ring = this.#rings[standing];
      const [lane] = ring;
      const item = lane?.items.shift();
      if (lane === undefined || item === undefined) continue;
      ring.delete(lane);
      ring.add(lane);
      this.#taken(lane);
      return { item, standing };
    }
    return undefined;
  }

  #laneOf(name: string, standing: Standing): Lane<Item> {
    const known = this.#lanes.get(name);
    if (known?.standing === standing) return known;
    const lane = known ?? { name, standing, items: [] };
    this.#rings[lane.standing].delete(lane);
    lane.standing = standing;
    this.#rings[standing].add(lane);
    this.#lanes.set(name, lane);
    return lane;
  }

  /**
   * Among several longest lanes, the lowest standing loses an item first, and within it the lane
   * farthest from its turn.
   */
  #removeOne(): Item | undefined {
    let longest: Lane<Item> | undefined;
    for (const standing of precedence) {
      for (const lane of this.#rings[standing]) {
        if (longest === undefined || lane.items.length >= longest.items.length) longest = lane;
      }
    }
    const item = longest?.items.pop();
    if (longest !== undefined) this.#taken(longest);
    return item;
  }

  #taken(lane: Lane<Item>): void {
    this.#waiting -= 1;
    if (lane.items.length > 0) return;
    this.#lanes.delete(lane.name);
    this.#rings[lane.standing].delete(lane);
  }
}
