// Changes the configuration for the console as `hodhod apply` does: with the same readers and
// checks, in one transaction with its entry in the audit. The nodes then follow. A faulty change
// changes nothing.
import { createHmac } from "node:crypto";
import type { Actor } from "../store/audit.ts";
import { lockConfiguration } from "../store/configuration-version.ts";
import {
  type ConfigurationRows,
  type ConfigurationScope,
  loadConfiguration,
  readConfiguration,
} from "../store/configuration.ts";
import type { Queryable, Transactional } from "../store/database.ts";
import { asSetup, bareState, concernedScope, type LookedAt, removeObject, versionOf } from "./configured-object.ts";
import { type SetupFault, SetupFaults } from "./fault.ts";
import { withoutAnsweredKeys } from "./describe-object.ts";
import { type Judged, judgeSetup, storeSetup } from "./judge-setup.ts";
import { stateOf } from "./load-state.ts";
import { SetupPasswords } from "./passwords.ts";
import type { ReadSetup } from "./read-setup.ts";
import { findUses, mostUses } from "./references.ts";
import { isList, isNamed, type ObjectName, type Setup, type SetupState } from "./sections.ts";
import { findChanges, type SetupChange } from "./setup-changes.ts";
import { readSetupValue } from "./setup-file.ts";
import { listUsesOfLine, listUsesOfTariff } from "../store/configured-accounts.ts";
import { countPortedNumbers } from "../store/number-lists.ts";

/** The configuration, or the part of it that was asked for. */
export interface StoredSetup {
  readonly state: SetupState;
  /** Identifies the version of an object, for its ETag; undefined where there is none. */
  readonly tagOf: (object: ObjectName) => string | undefined;
}

/** `tx`: a transaction that has run no statement yet. */
export async function loadSetup(tx: Queryable, scope: ConfigurationScope): Promise<StoredSetup> {
  return storedSetup(await loadConfiguration(tx, scope));
}

function storedSetup(rows: ConfigurationRows): StoredSetup {
  const key = rows.tokenKeys.at(-1)?.secret ?? "";
  return withTags(stateOf(rows), key);
}

interface KeyedSetup extends StoredSetup {
  readonly key: Buffer | string;
}

/**
 * Hashed with a key, because the version of an object contains secrets. Nobody must be able to test
 * passwords against a tag.
 */
function withTags(state: SetupState, key: Buffer | string): KeyedSetup {
  const tagOf = (object: ObjectName): string | undefined => {
    const version = versionOf(state, object);
    return version === undefined
      ? undefined
      : createHmac("sha256", key).update(`version of an object\n${version}`).digest("base64url").slice(0, 22);
  };
  return { state, key, tagOf };
}

/** What shall be changed. */
export type SetupEdit =
  /**
   * As in a setup file: the objects that are named, with the keys that change. Lists replace lists.
   */
  | { readonly given: object }
  /** The object takes these keys and no others; secrets that are not given stay. */
  | { readonly replace: ObjectName; readonly keys: object }
  | { readonly remove: ObjectName };

export interface SetupChangeOptions {
  readonly by: Actor;
  /** The objects that `edit` looks at. No other accounts, templates and ported numbers are read. */
  readonly about: LookedAt;
  /**
   * Says what to change, or throws. Called with what is stored while nobody else can change it, and
   * perhaps more than once.
   */
  readonly edit: (stored: StoredSetup) => SetupEdit;
}

export interface ChangedSetup {
  readonly changes: readonly SetupChange[];
  /** After the change. */
  readonly stored: StoredSetup;
}

const mostAttempts = 3;

/**
 * Throws SetupFaults with all faults; their places are those of a setup file, or within the object
 * that is replaced.
 */
export async function changeSetup(db: Transactional, options: SetupChangeOptions): Promise<ChangedSetup> {
  let passwords: SetupPasswords | undefined;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await db.transaction((tx) => tryToChange(tx, options, passwords));
    if ("changes" in outcome) return outcome;
    if (attempt === mostAttempts) throw new Error("the passwords of the setup changed again and again meanwhile");
    // Hashing takes its time, so it happens without the lock.
    passwords = new SetupPasswords(outcome.setup);
    await passwords.prepare(outcome.state);
  }
}

interface PasswordsLack {
  readonly setup: Setup;
  readonly state: SetupState;
}

async function tryToChange(
  tx: Queryable,
  { by, about, edit }: SetupChangeOptions,
  passwords: SetupPasswords | undefined,
): Promise<ChangedSetup | PasswordsLack> {
  await lockConfiguration(tx);
  const edited = await readForEdit(tx, about, edit);
  const { stored, wanted, read } = edited;
  const { state } = stored;
  if ("remove" in wanted) await expectUnused(tx, state, wanted.remove);
  const hashes = passwords ?? new SetupPasswords(read.setup);
  if (!hashes.isPrepared(state)) return { setup: read.setup, state };
  const judged = await judgeStored(tx, edited, hashes);
  if (judged.changes.length > 0) await storeSetup(tx, by, state, judged);
  return { changes: judged.changes, stored: withTags(judged.desired, stored.key) };
}

interface EditRead {
  readonly stored: KeyedSetup;
  readonly wanted: SetupEdit;
  readonly read: ReadSetup;
  readonly scope: ConfigurationScope;
}

/** Reads what the edit looks at. If the edit names more objects, reads again with these. */
async function readForEdit(tx: Queryable, about: LookedAt, edit: SetupChangeOptions["edit"]): Promise<EditRead> {
  const editOf = async (scope: ConfigurationScope): Promise<EditRead> => {
    const stored = await readStored(tx, scope);
    const wanted = edit(stored);
    return { stored, wanted, read: readEdit(wanted), scope };
  };
  const scope = await concernedScope(tx, readSetupValue({}).setup, about);
  const first = await editOf(scope);
  const wider = await concernedScope(tx, first.read.setup, {
    ...about,
    ...("remove" in first.wanted && (await usesInAccounts(tx, first.wanted.remove))),
  });
  return covers(scope, wider) ? first : editOf(wider);
}

/** Without the ported numbers, because there may be millions. */
function allBut({ portedNumbers = [] }: ConfigurationScope): ConfigurationScope {
  return { portedNumbers };
}

/** Some accounts and templates that use what shall be removed, if any does. */
async function usesInAccounts(tx: Queryable, { section, name }: ObjectName): Promise<LookedAt> {
  if (section === "lines") return listUsesOfLine(tx, name, mostUses + 1);
  return section === "tariffs" ? listUsesOfTariff(tx, name, mostUses + 1) : {};
}

function covers(scope: ConfigurationScope, wider: ConfigurationScope): boolean {
  return (["accounts", "templates", "portedNumbers"] as const).every((table) => {
    const read = new Set(scope[table]);
    return scope[table] === undefined || wider[table]?.every((name) => read.has(name)) === true;
  });
}

async function readStored(tx: Queryable, scope: ConfigurationScope): Promise<KeyedSetup> {
  const rows = await readConfiguration(tx, { ...scope, withStaff: false });
  return withTags(stateOf(rows), rows.tokenKeys.at(-1)?.secret ?? "");
}

async function judgeStored(
  tx: Queryable,
  { stored, wanted, read, scope }: EditRead,
  hashes: SetupPasswords,
): Promise<Judged> {
  try {
    return judgeEdit(stored.state, wanted, read, hashes);
  } catch (error) {
    if (scope.accounts === undefined || !(error instanceof SetupFaults)) throw error;
    // The hints of faults name objects that were not read.
    return judgeEdit((await readStored(tx, allBut(scope))).state, wanted, read, hashes);
  }
}

async function expectUnused(tx: Queryable, state: SetupState, object: ObjectName): Promise<void> {
  const use = findUses(state, object);
  if (use !== undefined) throw new SetupFaults([use]);
  const [ported] = object.section === "operators" ? await countPortedNumbers(tx, object.name) : [];
  const count = ported === undefined ? 0 : ported.given + ported.imported;
  if (count > 0) throw new SetupFaults([{ path: [], key: "usedByPorted", values: { count } }]);
}

function readEdit(edit: SetupEdit): ReadSetup {
  if ("remove" in edit) return readSetupValue({});
  if ("given" in edit) return readSetupValue(edit.given);
  const { replace, keys } = edit;
  const { setup, faults } = readSetupValue(asSetup(replace, withoutAnsweredKeys(keys)));
  const { section } = replace;
  const lacksList = isList(section) && setup[section] === undefined;
  return lacksList ? { setup, faults: [...faults, { path: [section], key: "missing" }] } : { setup, faults };
}

function judgeEdit(
  stored: SetupState,
  edit: SetupEdit,
  { setup, faults }: ReadSetup,
  passwords: SetupPasswords,
): Judged {
  if ("remove" in edit) {
    const desired = removeObject(stored, edit.remove);
    return { desired, changes: findChanges(stored, desired) };
  }
  const input = { setup, stored, passwords, reading: faults, isRemote: true };
  if ("given" in edit) return judgeSetup(input);
  try {
    return judgeSetup({ ...input, base: bareState(stored, edit.replace) });
  } catch (error) {
    throw error instanceof SetupFaults ? new SetupFaults(error.faults.map(withinObject(edit.replace))) : error;
  }
}

/** `operators[0].prefixes[1]` → `prefixes[1]` */
function withinObject({ section }: ObjectName): (fault: SetupFault) => SetupFault {
  return (fault) => (fault.path[0] === section && isNamed(section) ? { ...fault, path: fault.path.slice(2) } : fault);
}
