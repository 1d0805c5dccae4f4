// What has to be read to judge a setup file: the network and the objects that the file is about.
// Everything, if it removes the others.
import type { ConfigurationScope } from "../store/configuration.ts";
import type { Queryable } from "../store/database.ts";
import { listConcernedAccounts } from "../store/setup-scope.ts";
import type { Setup } from "./setup.ts";

export const wholeScope: ConfigurationScope = { withStaff: true };

/** For a file of more accounts it is cheaper to read all. */
const mostAccounts = 1000;

export async function concernedScope(tx: Queryable, setup: Setup): Promise<ConfigurationScope> {
  const { accounts, templates, lines, portedNumbers } = setup;
  if (accounts.length > mostAccounts) return wholeScope;
  const templateIds = templates.map(({ id }) => id);
  const names = [
    ...accounts.map(({ name }) => name),
    ...templates.flatMap(({ account }) => account ?? []),
    ...lines.flatMap(({ inbound }) => inbound ?? []),
  ];
  const concerned = await listConcernedAccounts(tx, {
    accounts: names,
    apiKeys: accounts.flatMap(({ apiKeys = [] }) => apiKeys.flatMap(({ sha256Hex }) => sha256Hex ?? [])),
    usernames: accounts.flatMap(({ users = [] }) => users.map(({ username }) => username)),
    // That of a new account is its name, unless it has another.
    domains: accounts.flatMap(({ name, domain = name }) => domain.toLowerCase()),
    templates: templateIds,
  });
  return {
    withStaff: true,
    accounts: concerned,
    templates: templateIds,
    portedNumbers: portedNumbers.map(({ number }) => number),
  };
}
