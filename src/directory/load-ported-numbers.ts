// Brings the ported numbers of a directory to the state of the database: reads those that changed,
// or all, page by page.
import type { Msisdn } from "../sms/msisdn.ts";
import { NumberBlocks } from "../sms/number-blocks.ts";
import type { ConfigurationChanges } from "../store/configuration-changes.ts";
import { listPortedNumbersIn } from "../store/configuration-pages.ts";
import type { Queryable } from "../store/database.ts";
import { listPortedBlockPage, listPortedBlocksIn, type PortedBlock } from "../store/ported-blocks.ts";
import { listPortedNumberPage } from "../store/setup-network.ts";
import { BucketMap } from "./bucket-map.ts";
import { pagesIn, pagesOf } from "./pages.ts";
import { PortedIndex } from "./ported-index.ts";

/** Rows that are parsed and put in place within some 2 ms. */
const rowsOfPage = 1000;
/** A full block of one operator is 128 KiB. */
const blocksOfPage = 16;

/** The same index where nothing changed. */
export async function loadPortedNumbers(
  tx: Queryable,
  { portedNumbers, portedBlocks }: ConfigurationChanges,
  before: PortedIndex,
): Promise<PortedIndex> {
  const names = new Names();
  const given = portedNumbers.length === 0 ? before.given : await loadGiven(tx, portedNumbers, before.given, names);
  const imported =
    portedBlocks.length === 0 ? before.imported : await loadImported(tx, portedBlocks, before.imported, names);
  return given === before.given && imported === before.imported ? before : new PortedIndex(given, imported);
}

/** Thousands of numbers have the same operator: one text for all. */
class Names {
  readonly #known = new Map<string, string>();

  of(name: string): string {
    const known = this.#known.get(name) ?? name;
    this.#known.set(known, known);
    return known;
  }
}

async function loadGiven(
  tx: Queryable,
  changed: ConfigurationChanges["portedNumbers"],
  before: PortedIndex["given"],
  names: Names,
): Promise<PortedIndex["given"]> {
  const draft = (changed === "all" ? BucketMap.empty<Msisdn, string>() : before).edit();
  const pages =
    changed === "all"
      ? pagesOf(
          "",
          (after) => listPortedNumberPage(tx, { after, limit: rowsOfPage }),
          ({ number }) => number,
        )
      : pagesIn(changed, rowsOfPage, async (numbers) => {
          for (const number of numbers) draft.delete(number as Msisdn);
          return listPortedNumbersIn(tx, numbers);
        });
  // Validated when they were written.
  for await (const page of pages) {
    for (const { number, operator } of page) draft.set(number as Msisdn, names.of(operator));
  }
  return draft.finish();
}

const beforeAll: Pick<PortedBlock, "block" | "operatorId"> = { block: -1, operatorId: 0 };

async function loadImported(
  tx: Queryable,
  changed: ConfigurationChanges["portedBlocks"],
  before: PortedIndex["imported"],
  names: Names,
): Promise<PortedIndex["imported"]> {
  const draft = (isAll(changed) ? NumberBlocks.empty<string>() : before).edit();
  if (isAll(changed)) {
    const pages = pagesOf<PortedBlock, typeof beforeAll>(
      beforeAll,
      (after) => listPortedBlockPage(tx, after),
      (row) => row,
    );
    for await (const page of pages) {
      for (const { block, operator, numbers } of page) draft.add(block, { value: names.of(operator), numbers });
    }
    return draft.finish();
  }
  const pages = pagesIn(changed, blocksOfPage, async (blocks) => {
    for (const block of blocks) draft.clear(block);
    return listPortedBlocksIn(tx, blocks);
  });
  for await (const page of pages) {
    // A copy, because the octets of an answer belong to a larger piece of memory, which a block
    // that stays for months would keep.
    for (const { block, operator, numbers } of page) {
      draft.add(block, { value: names.of(operator), numbers: new Uint8Array(numbers) });
    }
  }
  return draft.finish();
}

/** To read many blocks one by one takes longer, and leaves them in small pieces of memory. */
const mostBlocks = 1000;

function isAll(changed: ConfigurationChanges["portedBlocks"]): changed is "all" {
  return changed === "all" || changed.length > mostBlocks;
}
