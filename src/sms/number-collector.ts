// Gathers numbers with a code each, in any order and by the million, and packs them block by block
// (number-blocks.ts). Where a number was given more than once, the last time counts. Pure.
import {
  blockCount,
  blockOf,
  blockSize,
  countOf,
  lowOf,
  lowsIn,
  type NumberSet,
  packNumbers,
} from "./number-blocks.ts";

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
