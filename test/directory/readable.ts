// All that readers can ask a directory, as plain values to compare.
import type { Msisdn } from "../../src/sms/msisdn.ts";
import type { NumberingPlan } from "../../src/sms/numbering-plan.ts";
import type { Account, Directory } from "../../src/directory/directory.ts";

/** What may be asked for, also where it is not there. */
export interface Questions {
  readonly apiKeys: readonly string[];
  readonly logins: readonly (readonly [domain: string, username: string])[];
  readonly userIds: readonly number[];
  readonly lines: readonly string[];
  readonly templates: readonly string[];
  readonly ported: readonly string[];
}

export function readable(directory: Directory, asked: Questions): object {
  const { accounts, plan, lines, routes, connectors, receiptGroups, disabledOperators, tokenKeys } = directory;
  const { version, maximumParts, retentionDays, timeZone } = directory;
  return {
    version,
    maximumParts,
    retentionDays,
    timeZone,
    routes,
    connectors,
    disabledOperators,
    tokenKeys,
    receiptGroups: sorted(receiptGroups),
    prefixes: sorted(plan.prefixes),
    longestPrefix: plan.longestPrefix,
    portedCount: directory.portedNumbers,
    listedCount: directory.blockLists.size,
    // Their order is that in which they were read.
    listed: asked.ported.map((number) => [number, [...directory.blockLists.valuesOf(number as Msisdn)].sort()]),
    ported: portedIn(plan, asked),
    lines: sorted(lines),
    accountCount: accounts.size,
    accounts: [...accounts.values()]
      .sort((one, other) => one.id - other.id)
      .map((account) => readAccount(account, asked)),
    byName: [...accounts.values()].map(({ name }) => directory.findAccount(name)?.id).sort(),
    apiKeys: asked.apiKeys.map((key) => named(directory.findApiKey(key))),
    logins: asked.logins.map(([domain, username]) => named(directory.findUser(domain, username))),
    users: asked.userIds.map((id) => named(directory.userById(id))),
    inbound: asked.lines.map((line) => [directory.inboundAccountOf(line), directory.inboundConnectorsOf(line)]),
  };
}

function readAccount({ terms, ...account }: Account, asked: Questions): object {
  const { lines, plan, tariff, blockedRecipients, disabledOperators, routes, systemLines, maximumParts } = terms;
  return {
    ...account,
    terms: { tariff, blockedRecipients, disabledOperators, routes, systemLines, maximumParts },
    lines: [...lines],
    ported: portedIn(plan, asked),
    found: asked.templates.map((id) => terms.template(id)),
  };
}

function portedIn({ ported }: NumberingPlan, asked: Questions): readonly unknown[] {
  return asked.ported.map((number) => [number, ported.get(number as Msisdn)]);
}

/** Known by the account, which is compared by itself. */
function named(known: { readonly account: Account } | undefined): object | undefined {
  return known && { ...known, account: known.account.id };
}

function sorted<Key extends string | number, Value>(map: ReadonlyMap<Key, Value>): readonly (readonly [Key, Value])[] {
  return [...map].sort(([one], [other]) => (one < other ? -1 : 1));
}
