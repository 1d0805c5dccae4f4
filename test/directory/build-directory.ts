// A directory of given rows, for tests without a database, and to compare with one that is loaded.
import { AccountIndex } from "../../src/directory/account-index.ts";
import { BucketMap } from "../../src/directory/bucket-map.ts";
import { type Directory, directoryOf } from "../../src/directory/directory.ts";
import { addLine, buildNetwork, type DirectoryLimits, emptyLineIndex } from "../../src/directory/network.ts";
import { PortedIndex } from "../../src/directory/ported-index.ts";
import type { Msisdn } from "../../src/sms/msisdn.ts";
import { NumberBlocks } from "../../src/sms/number-blocks.ts";
import type { ConfigurationRows } from "../../src/store/configuration.ts";
import type { WholeAccount } from "../../src/store/configuration-pages.ts";

/** Of all rows at once, without imported numbers. */
export function buildDirectory(rows: ConfigurationRows, limits: DirectoryLimits): Directory {
  const lineIndex = emptyLineIndex();
  for (const row of rows.lines) addLine(lineIndex, row);
  const accounts = AccountIndex.empty().edit();
  for (const account of wholeAccounts(rows)) accounts.put(account);
  const ported = new PortedIndex(BucketMap.of(listPortedNumbers(rows.portedNumbers)), NumberBlocks.empty());
  const numbers = { ported, listed: NumberBlocks.empty<string>() };
  const network = buildNetwork(rows, lineIndex, numbers, limits);
  return directoryOf(rows.version, network, accounts.finish(), numbers);
}

/** Accounts with all rows that belong to them. */
function* wholeAccounts(rows: ConfigurationRows): Iterable<WholeAccount> {
  const [users, apiKeys, templates] = [
    groupByAccount(rows.users),
    groupByAccount(rows.apiKeys),
    groupByAccount(rows.templates),
  ];
  for (const account of rows.accounts) {
    const { id } = account;
    yield {
      ...account,
      users: users.get(id) ?? [],
      apiKeys: apiKeys.get(id) ?? [],
      templates: templates.get(id) ?? [],
    };
  }
}

function groupByAccount<Row extends { readonly accountId: number }>(rows: readonly Row[]): Map<number, Row[]> {
  const groups = new Map<number, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.accountId);
    if (group === undefined) groups.set(row.accountId, [row]);
    else group.push(row);
  }
  return groups;
}

/** The numbers were validated when they were written, so the cast is safe. */
function* listPortedNumbers(rows: ConfigurationRows["portedNumbers"]): Iterable<readonly [Msisdn, string]> {
  for (const { operator, number } of rows) yield [number as Msisdn, operator];
}
