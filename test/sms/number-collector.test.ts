import { expect, it } from "vitest";
import {
  blockSize,
  lowsIn,
  type NumberSet,
  packNumbers,
  NumberCollector,
  outCode,
} from "../../src/sms/number-blocks.ts";

const shown = (sets: readonly NumberSet<number>[]) => sets.map(({ value, numbers }) => [value, ...lowsIn(numbers)]);

it("packs the numbers of a block by their codes, ascending, and counts those that were given again", () => {
  const collector = new NumberCollector();
  for (const [low, code] of [
    [9, 2],
    [3, 1],
    [65_535, 1],
    [9, 1],
    [0, 2],
    [9, 3],
  ] as const) {
    collector.add(4 * blockSize + low, code);
  }
  collector.add(7 * blockSize, 1);
  expect(collector.givenBlocks()).toEqual([4, 7]);
  expect(collector.size).toBe(7);
  expect(shown(collector.pack(4))).toEqual([
    [1, 3, 65_535],
    [2, 0],
    [3, 9],
  ]);
  expect(collector.repeated).toBe(2);
  expect(shown(collector.pack(7))).toEqual([[1, 0]]);
  expect(collector.pack(5)).toEqual([]);
});

it("puts what was given over what is stored, and takes numbers out", () => {
  const collector = new NumberCollector();
  collector.add(1, 2);
  collector.add(2, outCode);
  collector.add(4, outCode);
  const stored = [{ value: 1, numbers: packNumbers(Uint16Array.of(1, 2, 3)) }];
  expect(shown(collector.pack(0, stored))).toEqual([
    [1, 3],
    [2, 1],
  ]);
  expect(shown(collector.pack(1, stored))).toEqual([[1, 1, 2, 3]]);
  expect(collector.repeated).toBe(0);
});

it("tells a code of any size from the number", () => {
  const collector = new NumberCollector();
  collector.add(65_535, 0xffff);
  expect(shown(collector.pack(0))).toEqual([[0xffff, 65_535]]);
});
