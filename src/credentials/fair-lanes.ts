// Who goes next among callers who wait for something costly: each has a lane, lanes of one standing take turns, and standings
// share the turns. Bounded, so that a flood costs whoever makes it. Pure: holds items, runs nothing.

/**
 * `known`: expected here, such as a user at an address of theirs. `fresh`: nothing is known. `guessing`: was wrong lately.
 * A known one goes first, and one that guesses last; but none waits for ever.
 */
export type Standing = "known" | "fresh" | "guessing";

export interface Place {
  readonly standing: Standing;
  readonly lane: string;
}

export interface LaneBounds {
  /** Items that may wait in one lane; at least 1. */
  readonly perLane: Readonly<Record<Standing, number>>;
  /** Items that may wait in all. */
  readonly total: number;
}

export interface Turn<Item> {
  readonly item: Item;
  /** Of the lane in which it waited. */
  readonly standing: Standing;
}

interface Lane<Item> {
  readonly name: string;
  readonly items: Item[];
  standing: Standing;
}

/** Which standing is asked first in each turn; where nobody of it waits, they are asked in the order of `precedence`. */
const turns: readonly Standing[] = ["known", "fresh", "known", "guessing"];
const precedence: readonly Standing[] = ["known", "fresh", "guessing"];

/** While an item waits, every other lane of its standing has one turn at most, and its standing has one turn of four at least. */
export class FairLanes<Item> {
  readonly #bounds: LaneBounds;
  /** Those in which somebody waits. */
  readonly #lanes = new Map<string, Lane<Item>>();
  /** A set keeps its order: the lane at its beginning has the next turn, then goes to its end. */
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
   * Answers the item that has no place: this one when its lane is full; when all lanes together are, the last one of the longest
   * lane, which may be this one, too. A lane has the standing that it was given last.
   */
  add({ standing, lane: name }: Place, item: Item): Item | undefined {
    const lane = this.#laneOf(name, standing);
    if (lane.items.length >= this.#bounds.perLane[standing]) return item;
    lane.items.push(item);
    this.#waiting += 1;
    return this.#waiting > this.#bounds.total ? this.#removeOne() : undefined;
  }

  /** To be called when a fresh one was wrong: what waits in its lane are guesses. */
  demote(name: string): void {
    if (this.#lanes.get(name)?.standing === "fresh") this.#laneOf(name, "guessing");
  }

  /** Takes out the item whose turn it is, of those that may have one. */
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

  /** Of several longest lanes it is one of the lowest standing, there the one that is the farthest from its turn. */
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
