// The numbers that the directory knows: block lists, and ported numbers, given one by one or imported.
// They are read in pages; a change reads what it concerns.
import type { Msisdn } from "../sms/msisdn.ts";
import { NumberBlocks } from "../sms/number-blocks.ts";
import type { PortedNumbers } from "../sms/numbering-plan.ts";
import type { ConfigurationChanges } from "../store/configuration-version.ts";
import type { Queryable } from "../store/database.ts";
import {
  beforeAllBlocks,
  type BlockPlace,
  importedNumbers,
  listGivenPorted,
  type NumberLists,
  type PackedBlock,
} from "../store/number-lists.ts";

/** All rows, in the order of their keys. */
export async function* pagesOf<Row, Key>(
  first: Key,
  read: (after: Key) => Promise<readonly Row[]>,
  keyOf: (row: Row) => Key,
): AsyncGenerator<readonly Row[]> {
  for (let reading = begun(read(first)); ;) {
    const page = await reading;
    const last = page.at(-1);
    if (last === undefined) return;
    reading = begun(read(keyOf(last)));
    yield page;
  }
}

/** The rows of these keys. */
export async function* pagesIn<Row, Key>(
  keys: readonly Key[],
  size: number,
  read: (keys: readonly Key[]) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  const readFrom = (start: number): Promise<readonly Row[]> | undefined =>
    start < keys.length ? begun(read(keys.slice(start, start + size))) : undefined;
  let reading = readFrom(0);
  for (let start = size; reading !== undefined; start += size) {
    const page = await reading;
    reading = readFrom(start);
    yield page;
  }
}

/** Of work that is awaited later, or not at all if something else fails first. */
function begun<Value>(work: Promise<Value>): Promise<Value> {
  work.catch(() => undefined);
  return work;
}

export class PortedIndex implements PortedNumbers {
  given = new Map<Msisdn, string>();
  imported = NumberBlocks.empty<string>();

  get(number: Msisdn): string | undefined {
    return this.given.get(number) ?? this.imported.get(number);
  }
}

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

/** Rows that are parsed and put in place within some 2 ms. */
const rowsOfPage = 1000;

/** Returns what puts the changes into the index, without waiting. */
export async function loadPortedNumbers(
  tx: Queryable,
  { portedNumbers, portedBlocks }: ConfigurationChanges,
  index: PortedIndex,
): Promise<() => void> {
  const names = new Names();
  const isWhole = portedNumbers === "all";
  const pages = isWhole
    ? pagesOf(
        "",
        (after) => listGivenPorted(tx, { after, limit: rowsOfPage }),
        ({ number }) => number,
      )
    : pagesIn(portedNumbers, rowsOfPage, (numbers) => listGivenPorted(tx, { numbers }));
  const given = new Map<Msisdn, string>();
  // Validated when they were written.
  for await (const page of pages)
    for (const { number, operator } of page) given.set(number as Msisdn, names.of(operator));
  const imported = await loadNumberBlocks(tx, {
    table: importedNumbers,
    changed: portedBlocks,
    before: index.imported,
    names,
  });
  return () => {
    index.imported = imported;
    if (isWhole) index.given = given;
    else {
      for (const number of portedNumbers) index.given.delete(number as Msisdn);
      for (const [number, operator] of given) index.given.set(number, operator);
    }
  };
}
