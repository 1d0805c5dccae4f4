// Brings a directory to the state of the database: reads what changed, or everything, page by page,
// and puts it into the next value. The event loop turns between any two pages, so the load of
// 50,000 accounts holds up no call.
import type { Msisdn } from "../sms/msisdn.ts";
import {
  everything,
  findConfigurationChanges,
  findConfigurationMark,
  type ConfigurationChanges,
} from "../store/configuration-changes.ts";
import {
  listAccountPage,
  listAccountsById,
  listApiKeysOf,
  listLinePage,
  listPortedNumbersIn,
  listTemplatesOf,
  listUsersOf,
} from "../store/configuration-pages.ts";
import { readConfiguration, type AccountRow, type ConfigurationTable } from "../store/configuration.ts";
import type { Queryable } from "../store/database.ts";
import { listPortedNumberPage } from "../store/setup-network.ts";
import { readAsOfNow } from "../store/snapshot.ts";
import { AccountIndex, type AccountIndexDraft } from "./account-index.ts";
import { BucketMap } from "./bucket-map.ts";
import { directoryOf, type Directory } from "./directory.ts";
import {
  addLine,
  buildNetwork,
  emptyLineIndex,
  type DirectoryLimits,
  type LineIndex,
  type Network,
} from "./network.ts";

/** A directory with what the next one starts from. */
export interface LoadedDirectory {
  readonly directory: Directory;
  /** Of the configuration that it shows. */
  readonly mark: string;
  readonly network: Network;
  readonly accounts: AccountIndex;
  readonly ported: BucketMap<Msisdn, string>;
}

/** Rows that are parsed and put in place within some 2 ms. */
const accountsOfPage = 200;
const rowsOfPage = 1000;

/** `tx`: a transaction that has run no statement yet. */
export async function loadDirectory(
  tx: Queryable,
  limits: DirectoryLimits,
  before?: LoadedDirectory,
): Promise<LoadedDirectory> {
  await readAsOfNow(tx);
  const { version, mark } = await findConfigurationMark(tx);
  const changes = before === undefined ? everything : await findConfigurationChanges(tx, before.mark);
  const ported = await loadPortedNumbers(tx, changes, before?.ported ?? BucketMap.empty());
  const network = await loadNetwork(tx, changes, ported, limits, before);
  const accounts = await loadAccounts(tx, changes, before?.accounts ?? AccountIndex.empty());
  return { directory: directoryOf(version, network, accounts), mark, network, accounts, ported };
}

async function loadPortedNumbers(
  tx: Queryable,
  { portedNumbers }: ConfigurationChanges,
  before: BucketMap<Msisdn, string>,
): Promise<BucketMap<Msisdn, string>> {
  if (portedNumbers.length === 0) return before;
  const draft = (portedNumbers === "all" ? BucketMap.empty<Msisdn, string>() : before).edit();
  const pages =
    portedNumbers === "all"
      ? pagesOf(
          "",
          (after) => listPortedNumberPage(tx, { after, limit: rowsOfPage }),
          ({ number }) => number,
        )
      : pagesIn(portedNumbers, rowsOfPage, async (numbers) => {
          for (const number of numbers) draft.delete(number as Msisdn);
          return listPortedNumbersIn(tx, numbers);
        });
  // Thousands of numbers have the same operator: one text for all.
  const names = new Map<string, string>();
  for await (const page of pages) {
    for (const { number, operator } of page) {
      const name = names.get(operator) ?? operator;
      names.set(name, name);
      // Validated when it was written.
      draft.set(number as Msisdn, name);
    }
  }
  return draft.finish();
}

const networkTables: readonly ConfigurationTable[] = [
  "operators",
  "connectors",
  "removedConnectors",
  "routes",
  "tariffs",
  "tokenKeys",
];

async function loadNetwork(
  tx: Queryable,
  changes: ConfigurationChanges,
  ported: BucketMap<Msisdn, string>,
  limits: DirectoryLimits,
  before: LoadedDirectory | undefined,
): Promise<Network> {
  if (before !== undefined && !changes.network) {
    const { network } = before;
    return ported === before.ported ? network : { ...network, plan: { ...network.plan, ported } };
  }
  const lines = await loadLines(tx);
  return buildNetwork(await readConfiguration(tx, { tables: networkTables }), lines, ported, limits);
}

async function loadLines(tx: Queryable): Promise<LineIndex> {
  const index = emptyLineIndex();
  const pages = pagesOf(
    "",
    (after) => listLinePage(tx, { after, limit: rowsOfPage }),
    ({ number }) => number,
  );
  for await (const page of pages) for (const row of page) addLine(index, row);
  return index;
}

async function loadAccounts(
  tx: Queryable,
  { accounts }: ConfigurationChanges,
  before: AccountIndex,
): Promise<AccountIndex> {
  if (accounts.length === 0) return before;
  const draft = before.edit();
  const pages =
    accounts === "all"
      ? pagesOf(
          0,
          (after) => listAccountPage(tx, { after, limit: accountsOfPage }),
          ({ id }) => id,
        )
      : pagesIn(accounts, accountsOfPage, (ids) => listAccountsById(tx, ids));
  const gone = new Set(accounts === "all" ? before.byId.keys() : accounts);
  for await (const page of pages) {
    await putAccounts(tx, draft, page);
    for (const { id } of page) gone.delete(id);
  }
  for await (const ids of pagesIn([...gone], rowsOfPage, (some) => turn(some))) for (const id of ids) draft.remove(id);
  return draft.finish();
}

async function putAccounts(tx: Queryable, draft: AccountIndexDraft, accounts: readonly AccountRow[]): Promise<void> {
  const ids = accounts.map(({ id }) => id);
  const [users, apiKeys, templates] = [
    await listUsersOf(tx, ids),
    await listApiKeysOf(tx, ids),
    await listTemplatesOf(tx, ids),
  ];
  draft.put({ accounts, users, apiKeys, templates });
}

/** All rows, in the order of their keys. */
async function* pagesOf<Row, Key>(
  first: Key,
  read: (after: Key) => Promise<readonly Row[]>,
  keyOf: (row: Row) => Key,
): AsyncGenerator<readonly Row[]> {
  for (let after = first; ;) {
    const page = await read(after);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = keyOf(last);
  }
}

/** The rows of these keys. */
async function* pagesIn<Row, Key>(
  keys: readonly Key[],
  size: number,
  read: (keys: readonly Key[]) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let start = 0; start < keys.length; start += size) yield await read(keys.slice(start, start + size));
}

/** The same, after other work of the event loop. */
function turn<Value>(value: Value): Promise<Value> {
  return new Promise((resolve) => setImmediate(() => resolve(value)));
}
