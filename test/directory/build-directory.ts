// A directory of given rows, for tests without a database, and to compare with one that is loaded.
import { AccountIndex } from "../../src/directory/account-index.ts";
import { type Directory, directoryOf } from "../../src/directory/directory.ts";
import { buildNetwork, type DirectoryLimits, idsOf, lineOf } from "../../src/directory/network.ts";
import { PortedIndex } from "../../src/directory/load-numbers.ts";
import type { Msisdn } from "../../src/sms/msisdn.ts";
import { NumberBlocks } from "../../src/sms/number-blocks.ts";
import type { ConfigurationRows } from "../../src/store/configuration.ts";

/** Of all rows at once, without imported numbers. */
export function buildDirectory(rows: ConfigurationRows, limits: DirectoryLimits): Directory {
  const connectors = idsOf(rows.objects.connectors);
  const lines = new Map(rows.objects.lines.map((row) => [row.name, lineOf(row, connectors)]));
  const accounts = new AccountIndex();
  for (const account of rows.accounts) accounts.put(accounts.stored(account));
  const ported = new PortedIndex();
  for (const { number, operator } of rows.portedNumbers) ported.given.set(number as Msisdn, operator);
  const numbers = { ported, listed: NumberBlocks.empty<string>() };
  const network = buildNetwork({ ...rows, removedConnectors: [] }, lines, numbers, limits);
  return directoryOf(rows.version, network, accounts, numbers);
}
