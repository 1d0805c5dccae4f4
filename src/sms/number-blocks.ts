// Mobile numbers by the million, packed. A number of Iran is 989 and nine digits; these digits are
// its place. The upper part of the place is the block, and a set of numbers in a block holds the
// lower 16 bits of each, two octets (little-endian), ascending: two octets a number, in memory as
// in the database. Pure.
import type { Msisdn } from "./msisdn.ts";

const prefix = "989";
const digits = 9;
const lowBits = 16;
/** Places in one block. */
export const blockSize = 2 ** lowBits;
export const blockCount = Math.ceil(10 ** digits / blockSize);

/** The last nine digits. */
export function placeOf(msisdn: Msisdn): number {
  return Number(msisdn.slice(prefix.length));
}

export function msisdnAt(place: number): Msisdn {
  return `${prefix}${String(place).padStart(digits, "0")}` as Msisdn;
}

export function blockOf(place: number): number {
  return place >>> lowBits;
}

export function lowOf(place: number): number {
  return place & (blockSize - 1);
}

/** Numbers of one block, which is told elsewhere. */
export type PackedNumbers = Uint8Array;

const octetsOfNumber = 2;

/** `lows` ascend. */
export function packNumbers(lows: Uint16Array): PackedNumbers {
  const packed = new Uint8Array(lows.length * octetsOfNumber);
  let at = 0;
  for (const low of lows) {
    packed[at] = low & 0xff;
    packed[at + 1] = low >>> 8;
    at += octetsOfNumber;
  }
  return packed;
}

export function countOf(packed: PackedNumbers): number {
  return packed.length / octetsOfNumber;
}

export function* lowsIn(packed: PackedNumbers): Iterable<number> {
  for (let index = 0; index < countOf(packed); index += 1) yield lowAt(packed, index);
}

function lowAt(packed: PackedNumbers, index: number): number {
  const at = index * octetsOfNumber;
  return (packed[at] ?? 0) | ((packed[at + 1] ?? 0) << 8);
}

export function holdsNumber(packed: PackedNumbers, low: number): boolean {
  let from = 0;
  let to = countOf(packed);
  while (from < to) {
    const middle = (from + to) >>> 1;
    const found = lowAt(packed, middle);
    if (found === low) return true;
    if (found < low) from = middle + 1;
    else to = middle;
  }
  return false;
}

/** The numbers of a block that have one value: an operator, or the name of a list. */
export interface NumberSet<Value> {
  readonly value: Value;
  readonly numbers: PackedNumbers;
}

type Blocks<Value> = readonly (readonly NumberSet<Value>[] | undefined)[];

/** An immutable map. The next one shares with it each block that did not change. */
export class NumberBlocks<Value> {
  /** How many numbers. */
  readonly size: number;
  readonly #blocks: Blocks<Value>;

  /** For drafts; others begin with `empty`. */
  constructor(blocks: Blocks<Value>, size: number) {
    this.#blocks = blocks;
    this.size = size;
  }

  static empty<Value>(): NumberBlocks<Value> {
    return new NumberBlocks<Value>([], 0);
  }

  get(msisdn: Msisdn): Value | undefined {
    const place = placeOf(msisdn);
    const sets = this.#blocks[blockOf(place)];
    if (sets === undefined) return undefined;
    const low = lowOf(place);
    for (const { value, numbers } of sets) if (holdsNumber(numbers, low)) return value;
    return undefined;
  }

  /** Where sets share numbers, as block lists do: all values of a number. */
  valuesOf(msisdn: Msisdn): readonly Value[] {
    const place = placeOf(msisdn);
    const low = lowOf(place);
    const sets = this.#blocks[blockOf(place)];
    if (sets === undefined) return [];
    return sets.filter(({ numbers }) => holdsNumber(numbers, low)).map(({ value }) => value);
  }

  /** For the map that follows this one, which stays as it is. */
  edit(): NumberBlocksDraft<Value> {
    return new NumberBlocksDraft(this.#blocks, this.size);
  }
}

export class NumberBlocksDraft<Value> {
  readonly #blocks: (readonly NumberSet<Value>[] | undefined)[];
  #size: number;

  constructor(blocks: Blocks<Value>, size: number) {
    this.#blocks = Array.from({ length: blockCount }, (_, block) => blocks[block]);
    this.#size = size;
  }

  clear(block: number): void {
    for (const { numbers } of this.#blocks[block] ?? []) this.#size -= countOf(numbers);
    this.#blocks[block] = undefined;
  }

  add(block: number, set: NumberSet<Value>): void {
    this.#blocks[block] = [...(this.#blocks[block] ?? []), set];
    this.#size += countOf(set.numbers);
  }

  /** The draft must not be used afterwards. */
  finish(): NumberBlocks<Value> {
    return new NumberBlocks(this.#blocks, this.#size);
  }
}
