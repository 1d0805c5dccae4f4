// Packs the numbers that an import gathered, and cuts them into groups that one statement takes.
import { blockCount } from "../sms/number-blocks.ts";
import type { NumberCollector } from "../sms/number-collector.ts";
import type { BlockToSave } from "../store/packed-blocks.ts";

/** All blocks: one without numbers loses those that it has. */
export function packAll(numbers: NumberCollector, idOf: (code: number) => number): readonly BlockToSave[] {
  const blocks: BlockToSave[] = Array.from({ length: blockCount }, (_, block) => ({ block, sets: [] }));
  for (const block of numbers.givenBlocks()) {
    const sets = numbers.pack(block).map(({ value, numbers }) => ({ value: idOf(value), numbers }));
    blocks[block] = { block, sets };
  }
  return blocks;
}

/** What one statement takes. */
const blocksOfGroup = 512;
const octetsOfGroup = 1_048_576;

export function* groupsOf(blocks: readonly BlockToSave[]): Iterable<readonly BlockToSave[]> {
  let group: BlockToSave[] = [];
  let octets = 0;
  for (const block of blocks) {
    group.push(block);
    for (const { numbers } of block.sets) octets += numbers.length;
    if (group.length < blocksOfGroup && octets < octetsOfGroup) continue;
    yield group;
    group = [];
    octets = 0;
  }
  if (group.length > 0) yield group;
}
