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

/** Remainders of the numbers of one block; the number of the block itself is the key of the map. */
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
  const index = placeIn(packed, low);
  return index < countOf(packed) && lowAt(packed, index) === low;
}

/** The index of the first number that is not below. */
function placeIn(packed: PackedNumbers, low: number): number {
  let from = 0;
  let to = countOf(packed);
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (lowAt(packed, middle) < low) from = middle + 1;
    else to = middle;
  }
  return from;
}

const noNumbers: PackedNumbers = new Uint8Array();

/** The same numbers, with or without this one. */
export function withNumber(packed: PackedNumbers, low: number, isIn: boolean): PackedNumbers {
  if (holdsNumber(packed, low) === isIn) return packed;
  const at = placeIn(packed, low) * octetsOfNumber;
  const own = isIn ? packNumbers(Uint16Array.of(low)) : noNumbers;
  const rest = packed.subarray(isIn ? at : at + octetsOfNumber);
  const changed = new Uint8Array(at + own.length + rest.length);
  changed.set(packed.subarray(0, at));
  changed.set(own, at);
  changed.set(rest, at + own.length);
  return changed;
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
    const sets = this.#blocks[place >>> lowBits];
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

// Gathers numbers with a code each, in any order and by the million, and packs them block by block
// (number-blocks.ts). Where a number was given more than once, the last time counts. Pure.

/** A code that takes its number out. Those of what numbers have begin with 1. */
export const outCode = 0;
export const highestCode = 0xffff;

/** Of a block, as they were given: the code above the 16 bits of the number. */
interface Given {
  entries: Uint32Array;
  length: number;
}

const firstEntries = 16;

export class NumberCollector {
  readonly #blocks: (Given | undefined)[] = Array.from({ length: blockCount }, () => undefined);
  /** Of the block in work: the code of each number that it may hold, and how it came there. */
  readonly #codes = new Uint16Array(blockSize);
  readonly #marks = new Uint32Array(blockSize);
  #lastMark = 0;
  #size = 0;
  #repeated = 0;

  /** How many were given. */
  get size(): number {
    return this.#size;
  }

  /** How many of the blocks packed so far were given again later. */
  get repeated(): number {
    return this.#repeated;
  }

  add(place: number, code: number): void {
    const index = blockOf(place);
    let block = this.#blocks[index];
    if (block === undefined) {
      block = { entries: new Uint32Array(firstEntries), length: 0 };
      this.#blocks[index] = block;
    } else if (block.length === block.entries.length) {
      const entries = new Uint32Array(block.length + (block.length >>> 1));
      entries.set(block.entries);
      block.entries = entries;
    }
    block.entries[block.length] = code * blockSize + lowOf(place);
    block.length += 1;
    this.#size += 1;
  }

  /** Blocks with numbers, ascending. */
  givenBlocks(): number[] {
    return this.#blocks.flatMap((block, index) => (block === undefined ? [] : [index]));
  }

  /** What the block holds when the given numbers are put over the stored ones. Each number once. */
  pack(index: number, stored: readonly NumberSet<number>[] = []): readonly NumberSet<number>[] {
    // New marks for each block, so that nothing has to be cleared.
    const isStored = (this.#lastMark += 1);
    const isGiven = (this.#lastMark += 1);
    const { entries, length } = this.#blocks[index] ?? { entries: new Uint32Array(), length: 0 };
    const lows = new Uint16Array(length + stored.reduce((sum, { numbers }) => sum + countOf(numbers), 0));
    let count = 0;
    for (const { value, numbers } of stored) {
      for (const low of lowsIn(numbers)) {
        this.#codes[low] = value;
        this.#marks[low] = isStored;
        lows[count] = low;
        count += 1;
      }
    }
    for (const entry of entries.subarray(0, length)) {
      const low = entry & (blockSize - 1);
      const mark = this.#marks[low];
      if (mark === isGiven) this.#repeated += 1;
      else if (mark !== isStored) {
        lows[count] = low;
        count += 1;
      }
      this.#marks[low] = isGiven;
      this.#codes[low] = entry >>> 16;
    }
    return setsOf(lows.subarray(0, count).sort(), this.#codes);
  }
}

/** `lows` ascend. */
function setsOf(lows: Uint16Array, codes: Uint16Array): readonly NumberSet<number>[] {
  const byCode = new Map<number, { readonly lows: Uint16Array; length: number }>();
  for (const low of lows) {
    const code = codes[low] ?? outCode;
    if (code === outCode) continue;
    let same = byCode.get(code);
    if (same === undefined) byCode.set(code, (same = { lows: new Uint16Array(lows.length), length: 0 }));
    same.lows[same.length] = low;
    same.length += 1;
  }
  return [...byCode]
    .sort(([one], [other]) => one - other)
    .map(([value, same]) => ({ value, numbers: packNumbers(same.lows.subarray(0, same.length)) }));
}
