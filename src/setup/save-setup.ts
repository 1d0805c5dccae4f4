// Writes the differences found by setup-changes.ts, in an order in which every reference has its
// target. Runs in one transaction that holds the lock of the configuration, and increments its
// version last.
import { setTimeout as delay } from "node:timers/promises";
import { endCounting } from "../store/account-usage.ts";
import { raiseConfigurationVersion } from "../store/configuration-version.ts";
import {
  type ApiKeysToSave,
  apiKeysToInsert,
  deleteApiKeys,
  type KeptApiKeys,
  deleteStaffNamed,
  replaceUsers,
  upsertStaff,
  type UsersToSave,
} from "../store/credentials.ts";
import type { Queryable } from "../store/database.ts";
import {
  accountLinesToInsert,
  type AccountLinesToSave,
  accountsToInsert,
  deleteAccountLines,
  deleteAccounts,
  deleteLines,
  deleteTariffs,
  deleteTemplates,
  replaceLineConnectors,
  saveTariffs,
  updateAccounts,
  updateSettings,
  upsertLines,
  upsertTemplates,
} from "../store/setup-accounts.ts";
import {
  deleteConnectors,
  deleteOperators,
  deletePortedNumbers,
  replaceRoutes,
  replaceRules,
  saveOperators,
  upsertConnectors,
  upsertPortedNumbers,
} from "../store/setup-network.ts";
import { findAccountIds, findEndpointOwners } from "../store/endpoint-changes.ts";
import { replaceEndpoints } from "./change-endpoints.ts";
import type { SetupChange, SetupKind } from "./setup-changes.ts";
import type { AccountState, SetupState } from "./sections.ts";

/** Returns the version with which nodes see the changes. */
export async function saveSetup(
  tx: Queryable,
  desired: SetupState,
  changes: readonly SetupChange[],
  passwordsSetBy: string,
): Promise<bigint> {
  const plan = new SavePlan(changes);
  await removeDependents(tx, plan);
  await saveNetwork(tx, desired, plan);
  await saveAccounts(tx, desired, plan, passwordsSetBy);
  if (plan.touches("template")) await upsertTemplates(tx, plan.pick("template", "id", desired.templates));
  if (plan.touches("route")) await replaceRoutes(tx, desired.routes);
  if (plan.touches("rules")) await replaceRules(tx, desired);
  if (plan.touches("settings")) await updateSettings(tx, desired.settings);
  await removeOthers(tx, plan);
  if (plan.touches("staff")) {
    await removeAll(tx, plan.removed("staff"), deleteStaffNamed);
    await upsertStaff(tx, plan.pick("staff", "username", desired.staff));
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
    const byKind = new Map<SetupKind, SetupChange[]>();
    for (const change of changes) {
      const same = byKind.get(change.kind);
      if (same === undefined) byKind.set(change.kind, [change]);
      else same.push(change);
    }
    this.#changes = byKind;
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

async function removeDependents(tx: Queryable, plan: SavePlan): Promise<void> {
  await removeAll(tx, plan.removed("portedNumber"), deletePortedNumbers);
  await removeAll(tx, plan.removed("template"), deleteTemplates);
  await removeAll(tx, plan.removed("account"), deleteAccounts);
}

/** Removes objects that others no longer refer to. */
async function removeOthers(tx: Queryable, plan: SavePlan): Promise<void> {
  await removeAll(tx, plan.removed("tariff"), deleteTariffs);
  await removeAll(tx, plan.removed("line"), deleteLines);
  await removeAll(tx, plan.removed("connector"), deleteConnectors);
  await removeAll(tx, plan.removed("operator"), deleteOperators);
}

async function removeAll(
  tx: Queryable,
  names: readonly string[],
  remove: (tx: Queryable, names: readonly string[]) => Promise<void>,
): Promise<void> {
  if (names.length > 0) await remove(tx, names);
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
    const tariffs = plan.pick("tariff", "name", desired.tariffs);
    await saveTariffs(
      tx,
      tariffs.map(({ name, prices }) => ({
        name,
        prices: prices.map(({ price, ...match }) => ({ ...match, price: price.toString() })),
      })),
    );
  }
  const created = plan.states("account", "create", desired.accounts);
  const changed = plan.states("account", "change", desired.accounts);
  const accounts = [...created, ...changed];
  const changedNames = changed.map(({ name }) => name);
  const kept = accounts.length === 0 ? (new Map() as KeptApiKeys) : await clearChanged(tx, changedNames);
  let running: Promise<unknown> = Promise.resolve();
  for (const group of groupsOf(created)) running = tx.query(await madeBeside(running, () => accountsToInsert(group)));
  const accountLines = await madeBeside(running, () => accountLinesToInsert(accounts.map(linesOf)));
  if (changed.length > 0) await updateAccounts(tx, changed);
  if (plan.touches("line")) {
    const lines = plan.pick("line", "number", desired.lines);
    await upsertLines(tx, lines);
    await replaceLineConnectors(tx, lines);
  }
  if (accounts.length === 0) return;
  running = tx.query(accountLines);
  for (const group of groupsOf(accounts)) {
    running = tx.query(await madeBeside(running, () => apiKeysToInsert(group.map(apiKeysOf), kept)));
  }
  await running;
  await replaceUsers(tx, accounts.map(usersOf), changedNames, passwordsSetBy);
  await saveEndpoints(tx, accounts, changedNames);
}

/** What is stored by one statement while the next one is made. */
const accountsOfGroup = 10_000;

function* groupsOf(accounts: readonly NamedAccount[]): Iterable<readonly NamedAccount[]> {
  for (let start = 0; start < accounts.length; start += accountsOfGroup) {
    yield accounts.slice(start, start + accountsOfGroup);
  }
}

function linesOf({ name, state: { lines } }: NamedAccount): AccountLinesToSave {
  return { account: name, lines };
}

function apiKeysOf({ name, state: { apiKeys } }: NamedAccount): ApiKeysToSave {
  return { account: name, apiKeys };
}

/**
 * Removes the rows of existing accounts that are written again. Returns what is kept of their keys.
 */
async function clearChanged(tx: Queryable, names: readonly string[]): Promise<KeptApiKeys> {
  // Before a ceiling is set, because nodes that had not yet noticed its removal may have gone on
  // counting.
  await endCounting(tx, names);
  if (names.length === 0) return new Map();
  await deleteAccountLines(tx, names);
  return deleteApiKeys(tx, names);
}

/** The time in which a statement with many rows reaches the database. */
const sendingMs = 30;

/** Runs `make` while the database works on a statement. */
async function madeBeside<Made>(running: Promise<unknown>, make: () => Made): Promise<Made> {
  // It is awaited in any case, but not if something else fails first.
  running.catch(() => undefined);
  await Promise.race([running, delay(sendingMs, undefined, { ref: false })]);
  const made = make();
  await running;
  return made;
}

function usersOf({ name, state: { users } }: NamedAccount): UsersToSave {
  return { account: name, users: Array.from(users, ([username, user]) => ({ ...user, username })) };
}

/** Most accounts have none. */
async function saveEndpoints(
  tx: Queryable,
  accounts: readonly NamedAccount[],
  changed: readonly string[],
): Promise<void> {
  const owners = changed.length === 0 ? new Set<string>() : await findEndpointOwners(tx, changed);
  const concerned = accounts.filter(({ name, state }) => state.webhooks.size > 0 || owners.has(name));
  if (concerned.length === 0) return;
  const ids = await findAccountIds(
    tx,
    concerned.map(({ name }) => name),
  );
  for (const { name, state } of concerned) {
    const id = ids.get(name);
    if (id === undefined) continue;
    const desired = [...state.webhooks].map(([given, { secret, ...endpoint }]) => ({
      ...{ name: given, ...endpoint, secret: secret ?? undefined },
    }));
    await replaceEndpoints(tx, id, desired);
  }
}

type NamedAccount = Named<AccountState>;
