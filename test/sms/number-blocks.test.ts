import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  blockCount,
  blockSize,
  countOf,
  lowOf,
  msisdnAt,
  NumberBlocks,
  NumberCollector,
  outCode,
} from "../../src/sms/number-blocks.ts";

/** Few blocks and few numbers in them, so that they meet; and the ends. */
const place = fc.oneof(
  fc.tuple(fc.constantFrom(0, 1, 7000, blockCount - 1), fc.nat(9)).map(([block, low]) => block * blockSize + low),
  fc.nat(999_999_999),
  fc.constantFrom(0, 65_535, 65_536, 999_999_999),
);
const code = fc.integer({ min: 1, max: 3 });
const given = fc.array(fc.tuple(place, code), { maxLength: 60 });

/** As a node has them. */
function blocksOf(collector: NumberCollector): NumberBlocks<number> {
  const draft = NumberBlocks.empty<number>().edit();
  for (const block of collector.givenBlocks()) for (const set of collector.pack(block)) draft.add(block, set);
  return draft.finish();
}

function collect(pairs: readonly (readonly [number, number])[]): NumberCollector {
  const collector = new NumberCollector();
  for (const [at, value] of pairs) collector.add(at, value);
  return collector;
}

describe("packed numbers", () => {
  it("answer the last value that a number was given, and no other number has one", () => {
    fc.assert(
      fc.property(given, place, (pairs, other) => {
        const expected = new Map(pairs);
        const collector = collect(pairs);
        const blocks = blocksOf(collector);
        expect(blocks.size).toBe(expected.size);
        expect(collector.repeated).toBe(pairs.length - expected.size);
        for (const at of [...expected.keys(), other]) expect(blocks.get(msisdnAt(at))).toBe(expected.get(at));
      }),
    );
  });

  it("take changes block by block, and the map before stays as it was", () => {
    const changes = fc.array(fc.tuple(place, fc.oneof(code, fc.constant(outCode))), { maxLength: 60 });
    fc.assert(
      fc.property(given, changes, (pairs, others) => {
        const first = collect(pairs);
        const before = blocksOf(first);
        const changing = collect(others);
        const draft = before.edit();
        for (const block of changing.givenBlocks()) {
          const sets = changing.pack(block, first.pack(block));
          draft.clear(block);
          for (const set of sets) draft.add(block, set);
        }
        const after = draft.finish();
        const old = new Map(pairs);
        const expected = new Map(old);
        for (const [at, value] of others) {
          if (value === outCode) expected.delete(at);
          else expected.set(at, value);
        }
        expect(after.size).toBe(expected.size);
        expect(before.size).toBe(old.size);
        for (const at of [...old.keys(), ...others.map(([each]) => each)]) {
          expect(after.get(msisdnAt(at))).toBe(expected.get(at));
          expect(before.get(msisdnAt(at))).toBe(old.get(at));
        }
      }),
    );
  });

  it("hold a full block", () => {
    const collector = new NumberCollector();
    for (let low = blockSize - 1; low >= 0; low -= 1) collector.add(5 * blockSize + low, 1 + (low % 2));
    const sets = collector.pack(5);
    expect(sets.map(({ value, numbers }) => [value, countOf(numbers)])).toEqual([
      [1, blockSize / 2],
      [2, blockSize / 2],
    ]);
    expect(lowOf(5 * blockSize + 7)).toBe(7);
    expect(blocksOf(collector).get(msisdnAt(5 * blockSize + 7))).toBe(2);
  });
});
