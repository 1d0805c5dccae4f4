// Repeatable randomness: every input of a campaign has numbers of its own, made from seed, target
// and number of the input, so that one input can be made again without those before it.

/** Repeatable numbers in [0, 1) from a 32-bit seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export class Random {
  /** In [0, 1). */
  readonly next: () => number;

  constructor(...parts: readonly (string | number)[]) {
    this.next = randomNumbers(hash(parts.join("\0")));
  }

  /** From 0 to `below` - 1. */
  below(below: number): number {
    return Math.floor(this.next() * below);
  }

  /** Both ends included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new RangeError("nothing to pick from");
    return item;
  }

  /** One of the makers makes. */
  oneOf<Item>(...makers: readonly (() => Item)[]): Item {
    return this.pick(makers)();
  }

  list<Item>(least: number, most: number, make: () => Item): Item[] {
    return Array.from({ length: this.between(least, most) }, make);
  }

  octets(length: number): string {
    let text = "";
    for (let index = 0; index < length; index += 1) text += String.fromCharCode(this.below(256));
    return text;
  }
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  }
  return state;
}
