// Decides what must be read to judge a setup file, or one change in the console: the network, and
// the objects that the setup names. Everything, if the setup removes objects that it does not name.
import type { ConfigurationScope } from "../store/configuration.ts";
import type { Queryable } from "../store/database.ts";
import { listConcernedAccounts, listTemplatesOf } from "../store/setup-scope.ts";
import type { Setup } from "./setup.ts";

export const wholeScope: ConfigurationScope = { withStaff: true };

/** What a change looks at, besides what its setup names. */
export interface LookedAt {
  readonly accounts?: readonly string[];
  readonly templates?: readonly string[];
  /** All templates of these accounts. */
  readonly templatesOf?: readonly string[];
  readonly portedNumbers?: readonly string[];
}

/** For a file of more accounts it is cheaper to read all. */
const mostAccounts = 1000;

type ConcernedSetup = Pick<Setup, "accounts" | "templates" | "lines" | "portedNumbers"> & {
  readonly rules: Partial<Setup["rules"]>;
};

export async function concernedScope(
  tx: Queryable,
  { accounts, templates, lines, portedNumbers, rules }: ConcernedSetup,
  also: LookedAt = {},
): Promise<ConfigurationScope> {
  if (accounts.length > mostAccounts) return wholeScope;
  const { templatesOf = [] } = also;
  const owned = templatesOf.length === 0 ? [] : await listTemplatesOf(tx, templatesOf);
  const templateIds = [...new Set([...templates.map(({ id }) => id), ...(also.templates ?? []), ...owned])];
  const names = [
    ...(also.accounts ?? []),
    ...templatesOf,
    ...accounts.map(({ name }) => name),
    ...templates.flatMap(({ account }) => account ?? []),
    ...lines.flatMap(({ inbound }) => inbound ?? []),
    ...accountsNamedBy(rules),
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
    portedNumbers: [...portedNumbers.map(({ number }) => number), ...(also.portedNumbers ?? [])],
  };
}

function accountsNamedBy({ blockLists, sendingHours, contentRules, inboundRules }: ConcernedSetup["rules"]): string[] {
  const scoped = [...(blockLists ?? []), ...(sendingHours ?? []), ...(contentRules ?? [])];
  return [...scoped.flatMap(({ rule }) => rule.accounts), ...(inboundRules ?? []).map(({ rule }) => rule.account)];
}
