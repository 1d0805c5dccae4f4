// Writes the differences found by setup-changes.ts, in an order in which every reference has its
// target. Runs in one transaction that holds the lock of the configuration, and increments its
// version last. Also gives a new gateway the mobile operators of the country.
import { groupBy } from "../platform/group-by.ts";
import { replaceEndpoints } from "./change-endpoints.ts";
import type { AccountState, SetupState } from "./sections.ts";
import type { SetupChange, SetupKind } from "./setup-changes.ts";
import { defaultOperators } from "../sms/numbering-plan.ts";
import { endCounting } from "../store/account-usage.ts";
import { isConfigurationEmpty, lockConfiguration, raiseConfigurationVersion } from "../store/configuration-version.ts";
import {
  deleteApiKeys,
  deleteStaffNamed,
  insertApiKeys,
  type KeptApiKeys,
  replaceUsers,
  upsertPeople,
} from "../store/credentials.ts";
import type { Database, Queryable } from "../store/database.ts";
import {
  insertAccountLines,
  insertAccounts,
  replaceLineConnectors,
  saveTariffs,
  updateAccounts,
  updateSettings,
  upsertLines,
  upsertTemplates,
} from "../store/setup-accounts.ts";
import {
  deleteConnectors,
  deleteObjects,
  deleteParts,
  replaceRoutes,
  replaceRules,
  saveOperators,
  upsertConnectors,
  upsertPortedNumbers,
} from "../store/setup-network.ts";
import { findEndpointOwners } from "../store/webhook-endpoints.ts";

/** Returns the version with which nodes see the changes. */
export async function saveSetup(
  tx: Queryable,
  desired: SetupState,
  changes: readonly SetupChange[],
  passwordsSetBy: string,
): Promise<bigint> {
  const plan = new SavePlan(changes);
  await deleteObjects(tx, "ported_number", plan.removed("portedNumber"));
  await deleteObjects(tx, "template", plan.removed("template"));
  await deleteObjects(tx, "account", plan.removed("account"));
  await saveNetwork(tx, desired, plan);
  await saveAccounts(tx, desired, plan, passwordsSetBy);
  if (plan.touches("template")) await upsertTemplates(tx, plan.pick("template", "id", desired.templates));
  if (plan.touches("route")) await replaceRoutes(tx, desired.routes);
  if (plan.touches("rules")) await replaceRules(tx, desired);
  if (plan.touches("settings")) await updateSettings(tx, desired.settings);
  // Others no longer refer to them.
  await deleteObjects(tx, "tariff", plan.removed("tariff"));
  await deleteObjects(tx, "sender_line", plan.removed("line"));
  await deleteConnectors(tx, plan.removed("connector"));
  await deleteObjects(tx, "operator", plan.removed("operator"));
  if (plan.touches("staff")) {
    await deleteStaffNamed(tx, plan.removed("staff"));
    await upsertPeople(tx, plan.pick("staff", "username", desired.staff));
  }
  return raiseConfigurationVersion(tx);
}

interface Named<State> {
  readonly name: string;
  readonly state: State;
}

/** The names to write and to remove, by kind. */
class SavePlan {
  readonly #changes: ReadonlyMap<SetupKind, readonly SetupChange[]>;

  constructor(changes: readonly SetupChange[]) {
    this.#changes = groupBy(changes, ({ kind }) => kind);
  }

  touches(kind: SetupKind): boolean {
    return this.#changes.has(kind);
  }

  removed(kind: SetupKind): readonly string[] {
    return this.#names(kind, ["remove"]);
  }

  /** The created and changed objects, with their names under `key`. */
  pick<Key extends string, State extends object>(
    kind: SetupKind,
    key: Key,
    states: ReadonlyMap<string, State>,
  ): (State & Record<Key, string>)[] {
    return this.#names(kind, ["create", "change"]).flatMap((name) => {
      const state = states.get(name);
      return state === undefined ? [] : [{ ...state, [key]: name } as State & Record<Key, string>];
    });
  }

  /** As they are: of tens of thousands no copy is made. */
  states<State>(
    kind: SetupKind,
    action: "create" | "change",
    states: ReadonlyMap<string, State>,
  ): readonly Named<State>[] {
    const named: Named<State>[] = [];
    for (const change of this.#changes.get(kind) ?? []) {
      const state = change.action === action ? states.get(change.name) : undefined;
      if (state !== undefined) named.push({ name: change.name, state });
    }
    return named;
  }

  #names(kind: SetupKind, actions: readonly SetupChange["action"][]): readonly string[] {
    return (this.#changes.get(kind) ?? []).filter(({ action }) => actions.includes(action)).map(({ name }) => name);
  }
}

async function saveNetwork(tx: Queryable, desired: SetupState, plan: SavePlan): Promise<void> {
  if (plan.touches("operator")) await saveOperators(tx, plan.pick("operator", "name", desired.operators));
  if (plan.touches("connector")) {
    const connectors = plan.pick("connector", "name", desired.connectors);
    await upsertConnectors(
      tx,
      connectors.map(({ name, enabled, paused, ...settings }) => ({ name, enabled, paused, settings })),
    );
  }
  if (plan.touches("portedNumber")) {
    await upsertPortedNumbers(tx, plan.pick("portedNumber", "number", desired.portedNumbers));
  }
}

async function saveAccounts(tx: Queryable, desired: SetupState, plan: SavePlan, passwordsSetBy: string): Promise<void> {
  if (plan.touches("tariff")) {
    await saveTariffs(tx, plan.pick("tariff", "name", desired.tariffs));
  }
  const created = plan.states("account", "create", desired.accounts);
  const changed = plan.states("account", "change", desired.accounts);
  const accounts = [...created, ...changed];
  const changedNames = changed.map(({ name }) => name);
  const kept = accounts.length === 0 ? (new Map() as KeptApiKeys) : await clearChanged(tx, changedNames);
  for (const group of groupsOf(created)) await insertAccounts(tx, group);
  if (changed.length > 0) await updateAccounts(tx, changed);
  if (plan.touches("line")) {
    const lines = plan.pick("line", "number", desired.lines);
    await upsertLines(tx, lines);
    await replaceLineConnectors(tx, lines);
  }
  if (accounts.length === 0) return;
  await insertAccountLines(tx, accounts);
  for (const group of groupsOf(accounts)) await insertApiKeys(tx, group, kept);
  await replaceUsers(tx, accounts, { stored: changedNames, setBy: passwordsSetBy });
  await saveEndpoints(tx, accounts, changedNames);
}

/** What one statement stores. */
const accountsOfGroup = 10_000;

function* groupsOf(accounts: readonly NamedAccount[]): Iterable<readonly NamedAccount[]> {
  for (let start = 0; start < accounts.length; start += accountsOfGroup) {
    yield accounts.slice(start, start + accountsOfGroup);
  }
}

/**
 * Removes the rows of existing accounts that are written again. Returns what is kept of their keys.
 */
async function clearChanged(tx: Queryable, names: readonly string[]): Promise<KeptApiKeys> {
  // Before a ceiling is set, because nodes that had not yet noticed its removal may have gone on
  // counting.
  await endCounting(tx, names);
  if (names.length === 0) return new Map();
  await deleteParts(tx, "account_line", names);
  return deleteApiKeys(tx, names);
}

/** Most accounts have none. */
async function saveEndpoints(
  tx: Queryable,
  accounts: readonly NamedAccount[],
  changed: readonly string[],
): Promise<void> {
  const given = new Map(accounts.map(({ name, state }) => [name, state.webhooks]));
  const withSome = accounts.flatMap(({ name, state }) => (state.webhooks.size > 0 ? [name] : []));
  for (const { id, name, hasEndpoints } of await findEndpointOwners(tx, [...changed, ...withSome])) {
    const webhooks = [...(given.get(name) ?? [])];
    if (!hasEndpoints && webhooks.length === 0) continue;
    const desired = webhooks.map(([endpoint, { secret, ...keys }]) => ({
      ...{ name: endpoint, ...keys, secret: secret ?? undefined },
    }));
    await replaceEndpoints(tx, id, desired);
  }
}

type NamedAccount = Named<AccountState>;

/**
 * Call it after the migrations. Safe on several nodes at once. Returns whether this call stored
 * them.
 */
export async function seedOperators(db: Database): Promise<boolean> {
  return db.transaction(async (tx) => {
    await lockConfiguration(tx);
    if (!(await isConfigurationEmpty(tx))) return false;
    const operators = defaultOperators.map(({ name, prefixes }) => ({ name, prefixes, enabled: true }));
    await saveOperators(tx, operators);
    await raiseConfigurationVersion(tx);
    return true;
  });
}

/** The state that seedOperators would leave, for commands that may not write. */
export function withDefaultOperators(state: SetupState): SetupState {
  if (state.operators.size + state.accounts.size + state.connectors.size > 0) return state;
  const operators = defaultOperators.map(
    ({ name, prefixes }) => [name, { enabled: true, prefixes: prefixes.toSorted() }] as const,
  );
  return { ...state, operators: new Map(operators) };
}
