// Writes the differences found by setup-changes.ts. Runs in one transaction that holds the lock of the
// configuration, and increments its version last. Also gives a new gateway the mobile operators of the
// country.
import { replaceEndpoints } from "./change-endpoints.ts";
import {
  type AccountState,
  listNames,
  type ListSection,
  type NamedSection,
  objectTables,
  type RowOf,
  type SetupState,
} from "./sections.ts";
import type { SetupChange } from "./setup-changes.ts";
import { defaultOperators } from "../sms/numbering-plan.ts";
import { endCounting } from "../store/account-usage.ts";
import { isConfigurationEmpty, lockConfiguration, raiseConfigurationVersion } from "../store/configuration-version.ts";
import { deleteObjects, replaceList, saveObjects } from "../store/configured-objects.ts";
import {
  deleteApiKeys,
  deleteStaffNamed,
  insertApiKeys,
  type KeptApiKeys,
  replaceUsers,
  upsertPeople,
} from "../store/credentials.ts";
import type { Database, Queryable } from "../store/database.ts";
import { deletePorted, upsertPorted } from "../store/number-lists.ts";
import {
  deleteAccounts,
  deleteTemplates,
  insertAccounts,
  updateAccounts,
  upsertTemplates,
} from "../store/setup-accounts.ts";
import { findEndpointOwners } from "../store/webhook-endpoints.ts";

/** Returns the version with which nodes see the changes. */
export async function saveSetup(
  tx: Queryable,
  desired: SetupState,
  changes: readonly SetupChange[],
  passwordsSetBy: string,
): Promise<bigint> {
  const plan = new SavePlan(desired, changes);
  await deletePorted(tx, plan.removed("portedNumbers"));
  await deleteTemplates(tx, plan.removed("templates"));
  await deleteAccounts(tx, plan.removed("accounts"));
  await saveRows(tx, desired, plan);
  const numbers = plan.states("portedNumbers");
  await upsertPorted(
    tx,
    numbers.map(({ name: number, state }) => ({ number, ...state })),
  );
  await saveAccounts(tx, plan, passwordsSetBy);
  const templates = plan.states("templates");
  await upsertTemplates(
    tx,
    templates.map(({ name: id, state }) => ({ id, ...state })),
  );
  await deleteStaffNamed(tx, plan.removed("staff"));
  await upsertPeople(
    tx,
    plan.states("staff").map(({ name: username, state }) => ({ username, ...state })),
  );
  return raiseConfigurationVersion(tx);
}

interface Named<State> {
  readonly name: string;
  readonly state: State;
}

/** What to write and to remove, by section. */
class SavePlan {
  readonly #desired: SetupState;
  readonly #changes: readonly SetupChange[];

  constructor(desired: SetupState, changes: readonly SetupChange[]) {
    this.#desired = desired;
    this.#changes = changes;
  }

  touches(section: SetupChange["section"]): boolean {
    return this.#changes.some((change) => change.section === section);
  }

  removed(section: NamedSection): readonly string[] {
    return this.#changes.flatMap((each) => (each.section === section && each.action === "remove" ? [each.name] : []));
  }

  /** Those that are created or changed, or one of both. */
  states<Section extends NamedSection>(
    section: Section,
    actions: readonly SetupChange["action"][] = ["create", "change"],
  ): readonly Named<ValueOf<SetupState[Section]>>[] {
    const states = this.#desired[section] as ReadonlyMap<string, ValueOf<SetupState[Section]>>;
    return this.#changes.flatMap((change) => {
      const state = change.section === section && actions.includes(change.action) && states.get(change.name);
      return state ? [{ name: change.name, state }] : [];
    });
  }
}

type ValueOf<States> = States extends ReadonlyMap<string, infer State> ? State : never;

async function saveRows(tx: Queryable, desired: SetupState, plan: SavePlan): Promise<void> {
  for (const section of objectTables) {
    await deleteObjects(tx, section, plan.removed(section));
    const states: readonly Named<object>[] = plan.states(section);
    await saveObjects(
      tx,
      states.map(({ name, state: body }) => ({ section, name, body })),
    );
  }
  for (const section of listNames) {
    if (!plan.touches(section)) continue;
    const rows: readonly RowOf<ListSection>[] = desired[section];
    await replaceList(
      tx,
      section,
      rows.map((body, index) => ({ name: rowName(section, body, index), body })),
    );
  }
  if (plan.touches("settings"))
    await saveObjects(tx, [{ section: "settings", name: "settings", body: desired.settings }]);
}

/** Messages that wait keep their route, wherever it stands. */
function rowName(section: ListSection, row: RowOf<ListSection>, index: number): string {
  return section === "routes" && "operator" in row ? `${row.line} ${row.operator}` : String(index);
}

async function saveAccounts(tx: Queryable, plan: SavePlan, passwordsSetBy: string): Promise<void> {
  const created = plan.states("accounts", ["create"]);
  const changed = plan.states("accounts", ["change"]);
  const accounts = [...created, ...changed];
  if (accounts.length === 0) return;
  const changedNames = changed.map(({ name }) => name);
  // Before a ceiling is set, because nodes that had not yet noticed its removal may have gone on
  // counting.
  await endCounting(tx, changedNames);
  const kept: KeptApiKeys = await deleteApiKeys(tx, changedNames);
  for (const group of groupsOf(created)) await insertAccounts(tx, group);
  if (changed.length > 0) await updateAccounts(tx, changed);
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
    await saveObjects(
      tx,
      Array.from(operatorsOfCountry, ([name, body]) => ({ section: "operators", name, body })),
    );
    await raiseConfigurationVersion(tx);
    return true;
  });
}

export const operatorsOfCountry: SetupState["operators"] = new Map(
  defaultOperators.map(({ name, prefixes }) => [name, { prefixes: prefixes.toSorted(), enabled: true }]),
);
