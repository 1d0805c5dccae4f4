// Brings the ported numbers of a directory to the state of the database: reads those that changed,
// or all, page by page.
import type { Msisdn } from "../sms/msisdn.ts";
import type { Queryable } from "../store/database.ts";
import { BucketMap } from "./bucket-map.ts";
import { loadNumberBlocks, Names } from "./load-number-blocks.ts";
import { pagesIn, pagesOf } from "./pages.ts";
import { PortedIndex } from "./ported-index.ts";
import { importedNumbers, listGivenPorted } from "../store/number-lists.ts";
import type { ConfigurationChanges } from "../store/configuration-version.ts";

/** Rows that are parsed and put in place within some 2 ms. */
const rowsOfPage = 1000;

/** The same index where nothing changed. */
export async function loadPortedNumbers(
  tx: Queryable,
  { portedNumbers, portedBlocks }: ConfigurationChanges,
  before: PortedIndex,
): Promise<PortedIndex> {
  const names = new Names();
  const given = portedNumbers.length === 0 ? before.given : await loadGiven(tx, portedNumbers, before.given, names);
  const imported = await loadNumberBlocks(tx, {
    table: importedNumbers,
    changed: portedBlocks,
    before: before.imported,
    names,
  });
  return given === before.given && imported === before.imported ? before : new PortedIndex(given, imported);
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
          (after) => listGivenPorted(tx, { after, limit: rowsOfPage }),
          ({ number }) => number,
        )
      : pagesIn(changed, rowsOfPage, async (numbers) => {
          for (const number of numbers) draft.delete(number as Msisdn);
          return listGivenPorted(tx, { numbers });
        });
  // Validated when they were written.
  for await (const page of pages) {
    for (const { number, operator } of page) draft.set(number as Msisdn, names.of(operator));
  }
  return draft.finish();
}
