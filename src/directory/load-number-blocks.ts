// Brings numbers in packed blocks, of operators or of block lists, to the state of the database:
// reads the blocks that changed, or all, page by page. The event loop turns between the pages.
import { NumberBlocks } from "../sms/number-blocks.ts";
import type { Queryable } from "../store/database.ts";
import { pagesIn, pagesOf } from "./pages.ts";
import { beforeAllBlocks, type BlockPlace, type NumberLists, type PackedBlock } from "../store/number-lists.ts";

export interface BlocksToLoad {
  readonly table: NumberLists;
  readonly changed: readonly number[] | "all";
  readonly before: NumberBlocks<string>;
  readonly names: Names;
}

/** Thousands of numbers have the same owner: one text for all. */
export class Names {
  readonly #known = new Map<string, string>();

  of(name: string): string {
    const known = this.#known.get(name) ?? name;
    this.#known.set(known, known);
    return known;
  }
}

/** Full blocks of one owner are 128 KiB each, some 2 ms of work. */
const blocksOfPage = 2;
/** To read many blocks one by one takes longer, and leaves them in small pieces of memory. */
const mostBlocks = 1000;

/** The same value where nothing changed. The owners' names are the values. */
export async function loadNumberBlocks(
  tx: Queryable,
  { table, changed, before, names }: BlocksToLoad,
): Promise<NumberBlocks<string>> {
  if (changed.length === 0) return before;
  if (changed === "all" || changed.length > mostBlocks) {
    const draft = NumberBlocks.empty<string>().edit();
    const pages = pagesOf<PackedBlock, BlockPlace>(
      beforeAllBlocks,
      (after) => table.listPage(tx, after),
      (row) => row,
    );
    for await (const page of pages) {
      for (const { block, owner, numbers } of page) draft.add(block, { value: names.of(owner), numbers });
    }
    return draft.finish();
  }
  const draft = before.edit();
  const pages = pagesIn(changed, blocksOfPage, async (blocks) => {
    for (const block of blocks) draft.clear(block);
    return table.listIn(tx, blocks);
  });
  for await (const page of pages) {
    // A copy, because the octets of an answer belong to a larger piece of memory, which a block
    // that stays for months would keep.
    for (const { block, owner, numbers } of page) {
      draft.add(block, { value: names.of(owner), numbers: new Uint8Array(numbers) });
    }
  }
  return draft.finish();
}
