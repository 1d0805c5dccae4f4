// Brings a directory to the state of the database: reads what changed, or everything, page by page.
// The event loop turns between any two pages, so the load of 50,000 accounts holds up no call. What
// was read is put in its place after the commit, without waiting.
import { type AccountPage, listAccountPage, listAccountsById, readAccounts } from "../store/configured-accounts.ts";
import { NumberBlocks } from "../sms/number-blocks.ts";
import {
  type ConfigurationChanges,
  everything,
  findConfigurationChanges,
  findConfigurationMark,
} from "../store/configuration-version.ts";
import { listRemovedConnectors, listTokenKeys } from "../store/configuration.ts";
import { listObjectPage, listObjectRows, objectSections } from "../store/configured-objects.ts";
import type { Queryable, Transactional } from "../store/database.ts";
import { AccountIndex, type StoredAccount } from "./account-index.ts";
import { type Directory, directoryOf } from "./directory.ts";
import {
  buildNetwork,
  type DirectoryLimits,
  idsOf,
  type KnownLine,
  type KnownLines,
  lineOf,
  type Network,
} from "./network.ts";
import { loadNumberBlocks, loadPortedNumbers, Names, pagesOf, PortedIndex } from "./load-numbers.ts";
import { planOnce, preferIndexes, readAsOfNow } from "../store/transaction-settings.ts";
import { listedNumbers } from "../store/number-lists.ts";

/** A directory with what the next one starts from. */
export interface LoadedDirectory {
  readonly directory: Directory;
  /** Of the configuration that it shows. */
  readonly mark: string;
  readonly network: Network;
  readonly accounts: AccountIndex;
  readonly ported: PortedIndex;
  /** The numbers of the block lists, by name. */
  readonly listed: NumberBlocks<string>;
}

/** What is parsed and put in place within some 2 ms. */
const accountsOfPage = 100;
const rowsOfPage = 1000;

/** `before`: the accounts and ported numbers that it shares with the next one are changed in place. */
export async function loadDirectory(
  db: Pick<Transactional, "transaction">,
  limits: DirectoryLimits,
  before?: LoadedDirectory,
  onReading?: (accounts: number | "all") => void,
): Promise<LoadedDirectory> {
  const finish = await db.transaction((tx) => readDirectory(tx, limits, before, onReading));
  return finish();
}

async function readDirectory(
  tx: Queryable,
  limits: DirectoryLimits,
  before: LoadedDirectory | undefined,
  onReading?: (accounts: number | "all") => void,
): Promise<() => LoadedDirectory> {
  await readAsOfNow(tx);
  // A plan that was made with few accounts must also serve when there are many.
  await preferIndexes(tx);
  const { version, mark } = await findConfigurationMark(tx);
  const changes = before === undefined ? everything : await findConfigurationChanges(tx, before.mark);
  onReading?.(changes.accounts === "all" ? "all" : changes.accounts.length);
  const ported = before?.ported ?? new PortedIndex();
  const replacePorted = await loadPortedNumbers(tx, changes, ported);
  const listed = await loadNumberBlocks(tx, {
    table: listedNumbers,
    changed: changes.listedBlocks,
    before: before?.listed ?? NumberBlocks.empty(),
    names: new Names(),
  });
  const network = await loadNetwork(tx, changes, { ported, listed }, limits, before);
  const accountsAfter = await loadAccounts(tx, changes, before?.accounts);
  return () => {
    replacePorted();
    const accounts = accountsAfter();
    const directory = directoryOf(version, network, accounts, { ported, listed });
    return { directory, mark, network, accounts, ported, listed };
  };
}

async function loadNetwork(
  tx: Queryable,
  changes: ConfigurationChanges,
  numbers: Pick<LoadedDirectory, "ported" | "listed">,
  limits: DirectoryLimits,
  before: LoadedDirectory | undefined,
): Promise<Network> {
  if (before !== undefined && !changes.network) {
    const { network } = before;
    const { listed } = numbers;
    return listed === before.listed ? network : { ...network, listed };
  }
  const objects = await listObjectRows(tx, networkSections);
  const lines = await loadLines(tx, idsOf(objects.connectors));
  const removedConnectors = await listRemovedConnectors(tx);
  return buildNetwork({ objects, removedConnectors, tokenKeys: await listTokenKeys(tx) }, lines, numbers, limits);
}

/** There may be as many lines as accounts. */
const networkSections = objectSections.filter((section) => section !== "lines");

async function loadLines(tx: Queryable, connectors: ReadonlyMap<string, number>): Promise<KnownLines> {
  const lines = new Map<string, KnownLine>();
  const pages = pagesOf(
    "",
    (after) => listObjectPage(tx, { section: "lines", after, limit: rowsOfPage }),
    ({ name }) => name,
  );
  for await (const page of pages) for (const row of page) lines.set(row.name, lineOf(row, connectors));
  return lines;
}

/** Returns what answers the index with the changes, without waiting. */
async function loadAccounts(
  tx: Queryable,
  { accounts: changed }: ConfigurationChanges,
  before = new AccountIndex(),
): Promise<() => AccountIndex> {
  if (changed.length === 0) return () => before;
  await planOnce(tx);
  if (changed === "all") {
    const index = new AccountIndex();
    const pages = pagesOf(
      0,
      (after) => listAccountPage(tx, { after, limit: accountsOfPage }),
      ({ last }) => last,
    );
    for await (const page of pages) for (const account of page.flatMap(readAccounts)) index.put(index.stored(account));
    return () => index;
  }
  const found: StoredAccount[] = [];
  for await (const page of pagesOfAccounts(tx, changed))
    for (const account of page.flatMap(readAccounts)) found.push(before.stored(account));
  return () => {
    before.replace(changed, found);
    return before;
  };
}

/** Those of these ids. */
function pagesOfAccounts(tx: Queryable, accounts: readonly number[]): AsyncGenerator<readonly AccountPage[]> {
  const ids = Int32Array.from(accounts).sort();
  return pagesOf(
    0,
    async (after) => {
      const start = ids.findIndex((id) => id > after);
      return start < 0 ? [] : listAccountsById(tx, [...ids.subarray(start, start + accountsOfPage)]);
    },
    ({ last }) => last,
  );
}
