// Decides what must be read to judge a setup file, or one change in the console: the network, and
// the objects that the setup names. Everything, if the setup removes objects that it does not name.
import type { ConfigurationScope } from "../store/configuration.ts";
import type { Queryable } from "../store/database.ts";
import { referencesIn } from "./references.ts";
import type { Setup } from "./sections.ts";
import { listConcernedAccounts } from "../store/configured-accounts.ts";

export const wholeScope: ConfigurationScope = { withStaff: true };

/** What a change looks at, besides what its setup names. */
export interface LookedAt {
  readonly accounts?: readonly string[];
  readonly templates?: readonly string[];
  readonly portedNumbers?: readonly string[];
}

/** For a file of more accounts it is cheaper to read all. */
const mostAccounts = 1000;

export async function concernedScope(tx: Queryable, setup: Setup, also: LookedAt = {}): Promise<ConfigurationScope> {
  const { accounts, templates, portedNumbers } = setup;
  if (accounts.length > mostAccounts) return wholeScope;
  const referred = [...referencesIn(setup)].flatMap(({ section, name }) => (section === "accounts" ? [name] : []));
  const concerned = await listConcernedAccounts(tx, {
    accounts: [...(also.accounts ?? []), ...accounts.map(({ name }) => name), ...referred],
    apiKeys: accounts.flatMap(({ values: { apiKeys = [] } }) => apiKeys.flatMap(({ values: { key } }) => key ?? [])),
    usernames: accounts.flatMap(({ values: { users = [] } }) => users.map(({ name }) => name)),
    // That of a new account is its name, unless it has another.
    domains: accounts.map(({ name, values: { domain = name } }) => domain.toLowerCase()),
  });
  return {
    withStaff: true,
    accounts: concerned,
    templates: [...templates.map(({ name }) => name), ...(also.templates ?? [])],
    portedNumbers: [...portedNumbers.map(({ name }) => name), ...(also.portedNumbers ?? [])],
  };
}
