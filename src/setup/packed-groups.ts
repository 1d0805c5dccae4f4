// Packs the numbers that an import gathered, and cuts them into groups that one statement takes.
// The event loop turns between steps of packing.
import { setImmediate } from "node:timers/promises";
import { blockCount, type NumberSet, type NumberCollector } from "../sms/number-blocks.ts";
import type { BlockToSave } from "../store/packed-blocks.ts";

/** What one statement takes. */
const blocksOfGroup = 512;
const octetsOfGroup = 1_048_576;
/** Some milliseconds of work: a full block, or many small ones. */
const octetsOfStep = 131_072;

export interface ToPack {
  /** Ascending. A block without numbers loses those that it has. */
  readonly blocks: Iterable<number>;
  readonly idOf: (code: number) => number;
  /** What the numbers of a block are put over. */
  readonly storedIn?: (block: number) => readonly NumberSet<number>[];
}

export async function* packedGroups(
  numbers: NumberCollector,
  { blocks, idOf, storedIn = () => [] }: ToPack,
): AsyncIterable<readonly BlockToSave[]> {
  let group: BlockToSave[] = [];
  let [octets, octetsOfTurn] = [0, 0];
  for (const block of blocks) {
    const sets = numbers.pack(block, storedIn(block)).map(({ value, numbers }) => ({ value: idOf(value), numbers }));
    group.push({ block, sets });
    const length = sets.reduce((sum, set) => sum + set.numbers.length, 0);
    octets += length;
    octetsOfTurn += length;
    if (group.length >= blocksOfGroup || octets >= octetsOfGroup) {
      yield group;
      [group, octets] = [[], 0];
    } else if (octetsOfTurn < octetsOfStep) continue;
    await setImmediate();
    octetsOfTurn = 0;
  }
  if (group.length > 0) yield group;
}

/** The groups of all blocks: one without numbers loses those that it has. */
export async function packAll(
  numbers: NumberCollector,
  idOf: (code: number) => number,
): Promise<readonly (readonly BlockToSave[])[]> {
  const groups: (readonly BlockToSave[])[] = [];
  for await (const group of packedGroups(numbers, { blocks: Array(blockCount).keys(), idOf })) groups.push(group);
  return groups;
}
