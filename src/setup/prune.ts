// What --prune leaves of a state: the objects that the file names, directly or as a reference, and
// those that they need. So objects in use stay, and no reference dangles. Pure.
import type { RuleLists } from "../sms/rule-lists.ts";
import type { Setup } from "./setup.ts";
import type { SetupState } from "./setup-state.ts";

/** `desired` is the state with the file already applied. */
export function pruneState(desired: SetupState, setup: Setup): SetupState {
  const routes = setup.routes === undefined ? [] : desired.routes;
  const rules = pruneRules(desired.rules, setup.rules);
  const templates = keep(desired.templates, named(setup.templates, "id"));
  const ported = keep(desired.portedNumbers, named(setup.portedNumbers, "number"));

  const neededAccounts = named(setup.accounts, "name");
  for (const { account } of templates.values()) neededAccounts.add(account);
  for (const { inbound } of setup.lines) if (inbound) neededAccounts.add(inbound);
  for (const name of accountsOfRules(rules)) neededAccounts.add(name);
  const accounts = keep(desired.accounts, neededAccounts);

  const neededTariffs = named(setup.tariffs, "name");
  for (const { tariff } of accounts.values()) neededTariffs.add(tariff);
  const tariffs = keep(desired.tariffs, neededTariffs);

  const lines = keep(desired.lines, neededLines(setup, { ...desired, rules, routes, templates, accounts, tariffs }));
  const neededConnectors = named(setup.connectors, "name");
  for (const { connectors } of [...routes, ...lines.values()]) {
    for (const connector of connectors ?? []) neededConnectors.add(connector);
  }

  const neededOperators = named(setup.operators, "name");
  for (const operator of [...ported.values(), ...desired.importedOperators]) neededOperators.add(operator);
  for (const { operator } of routes) neededOperators.add(operator);
  for (const prices of tariffs.values()) for (const { operator } of prices) neededOperators.add(operator);

  return {
    ...desired,
    operators: keep(desired.operators, neededOperators),
    portedNumbers: ported,
    connectors: keep(desired.connectors, neededConnectors),
    routes,
    rules,
    lines: withoutLostInbound(lines, accounts),
    tariffs,
    accounts,
    templates,
    staff: setup.staff === undefined ? desired.staff : keep(desired.staff, named(setup.staff, "username")),
  };
}

function named<Key extends string>(objects: readonly Readonly<Record<Key, string>>[], key: Key): Set<string> {
  return new Set(objects.map((object) => object[key]));
}

function keep<State>(states: ReadonlyMap<string, State>, needed: ReadonlySet<string>): Map<string, State> {
  return new Map([...states].filter(([name]) => needed.has(name)));
}

/** As routes: a list that the file does not have is empty afterwards. */
function pruneRules(desired: RuleLists, given: Setup["rules"]): RuleLists {
  return {
    blockLists: given.blockLists === undefined ? [] : desired.blockLists,
    sendingHours: given.sendingHours === undefined ? [] : desired.sendingHours,
    contentRules: given.contentRules === undefined ? [] : desired.contentRules,
    inboundRules: given.inboundRules === undefined ? [] : desired.inboundRules,
  };
}

function accountsOfRules({ blockLists, sendingHours, contentRules, inboundRules }: RuleLists): readonly string[] {
  const scoped = [...blockLists, ...sendingHours, ...contentRules].flatMap(({ accounts }) => accounts);
  return [...scoped, ...inboundRules.map(({ account }) => account)];
}

function linesOfRules({ blockLists, sendingHours, contentRules, inboundRules }: RuleLists): readonly string[] {
  const scoped = [...blockLists, ...sendingHours, ...contentRules].flatMap(({ lines }) => lines);
  return [...scoped, ...inboundRules.map(({ line }) => line)];
}

function neededLines(setup: Setup, { settings, rules, routes, templates, accounts, tariffs }: SetupState): Set<string> {
  const needed = named(setup.lines, "number");
  for (const number of [settings.service, settings.advertising]) if (number !== null) needed.add(number);
  for (const account of accounts.values()) for (const number of account.lines) needed.add(number);
  for (const { sender } of templates.values()) if (sender !== null) needed.add(sender);
  for (const { line } of routes) needed.add(line);
  for (const line of linesOfRules(rules)) needed.add(line);
  for (const prices of tariffs.values()) for (const { line } of prices) needed.add(line);
  return needed;
}

/**
 * A line does not keep alive an account that once received its messages, unless the file says so.
 */
function withoutLostInbound(lines: SetupState["lines"], accounts: SetupState["accounts"]): SetupState["lines"] {
  return new Map(
    [...lines].map(([number, line]) => [
      number,
      line.inbound === null || accounts.has(line.inbound) ? line : { ...line, inbound: null },
    ]),
  );
}
