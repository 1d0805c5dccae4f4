// The one way in which the configuration changes, for `hodhod apply` and for the console:
// what is stored is read and judged; then, in one transaction that holds the lock, the differences
// are stored with their entries in the audit. Any fault means that nothing changes. The nodes follow.
// Safe while gateways and other changes run.
import { createHmac } from "node:crypto";
import { type Actor, gatewayActor, listLastChanges } from "../store/audit.ts";
import { isConfigurationEmpty, lockConfiguration } from "../store/configuration-version.ts";
import {
  type ConfigurationRows,
  type ConfigurationScope,
  loadConfiguration,
  readConfiguration,
} from "../store/configuration.ts";
import { listUsesOfLine, listUsesOfTariff } from "../store/configured-accounts.ts";
import type { Queryable, Transactional } from "../store/database.ts";
import { findOpeningCredits } from "../store/ledger.ts";
import { countPortedNumbers } from "../store/number-lists.ts";
import { analyzeBalances } from "../store/setup-accounts.ts";
import { readAsOfNow } from "../store/transaction-settings.ts";
import { accountsWithSpentCredit, findWarnings } from "./check-setup.ts";
import {
  asSetup,
  bareState,
  concernedScope,
  type LookedAt,
  mayGive,
  removeObject,
  versionOf,
  wholeScope,
} from "./configured-object.ts";
import { withoutAnsweredKeys } from "./describe-object.ts";
import { type LocatedFault, type SetupFault, SetupFaults } from "./fault.ts";
import { type Judged, judgeSetup, storeSetup } from "./judge-setup.ts";
import { stateOf } from "./load-state.ts";
import { hashPasswords, type KnownHashes } from "./passwords.ts";
import { findUses, mostUses, pruneState } from "./references.ts";
import { operatorsOfCountry } from "./save-setup.ts";
import { isList, isNamed, type ObjectName, type SetupState } from "./sections.ts";
import type { SetupChange } from "./setup-changes.ts";
import type { SetupDocument } from "./setup-document.ts";
import {
  locate,
  type ReadSetup,
  readSetupFile,
  readSetupValue,
  type SetupFile,
  type SetupSource,
} from "./read-setup.ts";

/** The configuration, or the part of it that was asked for. */
export interface StoredSetup {
  readonly state: SetupState;
  /** Identifies the version of an object, for its ETag; undefined where there is none. */
  readonly tagOf: (object: ObjectName) => string | undefined;
}

/** `tx`: a transaction that has run no statement yet. */
export async function loadSetup(tx: Queryable, scope: ConfigurationScope): Promise<StoredSetup> {
  const rows = await loadConfiguration(tx, scope);
  return withTags(stateOf(rows), tagKeyOf(rows));
}

type TagKey = Buffer | string;

function tagKeyOf({ tokenKeys }: ConfigurationRows): TagKey {
  return tokenKeys.at(-1)?.secret ?? "";
}

/**
 * Hashed with a key, because the version of an object contains secrets. Nobody must be able to test
 * passwords against a tag.
 */
function withTags(state: SetupState, key: TagKey): StoredSetup {
  const tagOf = (object: ObjectName): string | undefined => {
    const version = versionOf(state, object);
    return version === undefined
      ? undefined
      : createHmac("sha256", key).update(`version of an object\n${version}`).digest("base64url").slice(0, 22);
  };
  return { state, tagOf };
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
   * Says what to change, or throws. Called with what is stored, and perhaps more than once: what it
   * said counts only if nobody has changed the configuration meanwhile.
   */
  readonly edit: (stored: StoredSetup) => SetupEdit;
}

/**
 * Throws SetupFaults with all faults; their places are those of a setup file, or within the object
 * that is replaced. Returns the configuration after the change.
 */
export async function changeSetup(
  db: Transactional,
  { by, about, edit }: SetupChangeOptions,
): Promise<StoredSetup & { readonly changes: readonly SetupChange[] }> {
  const { desired, changes, key } = await change(db, {
    ...{ by, about, isRemote: true, dryRun: false },
    wantedOf: (stored) => wantedBy(edit(stored)),
  });
  return { ...withTags(desired, key), changes };
}

export interface ApplyOptions {
  readonly prune: boolean;
  readonly dryRun: boolean;
  /**
   * Asked before stored objects are removed. False: nothing changes. Absent: they are removed
   * without asking.
   */
  readonly confirm?: (changes: readonly SetupChange[]) => Promise<boolean>;
  /**
   * Called before something is stored, when nobody else can change it any more. What it throws
   * leaves everything as it is.
   */
  readonly expect?: (changes: readonly SetupChange[]) => void;
  /**
   * The setup comes from the console. It may send a connector elsewhere only if it gives the
   * password.
   */
  readonly isRemote?: boolean;
  /** Who applies it, for the audit; absent: the gateway itself. */
  readonly by?: Actor;
}

/**
 * Nothing was changed: the removal was declined, or the changes differ from those that were
 * confirmed.
 */
export class ApplyDeclined extends Error {
  override readonly name = "ApplyDeclined";
}

/** A change, with who made the one before it in the console. */
export interface AppliedChange extends SetupChange {
  readonly lastChange?: { readonly who: string; readonly at: Date };
}

export interface AppliedSetup {
  readonly changes: readonly AppliedChange[];
  readonly warnings: readonly LocatedFault[];
  /** The configuration version with the changes; absent if nothing was stored. */
  readonly version?: bigint;
}

/** With this many new accounts it is worth 10 ms to update the planner's statistics. */
const manyAccounts = 500;

/** Throws SetupFaults with all faults, including those that depend on the stored objects. */
export async function applySetup(
  db: Transactional,
  options: ApplyOptions & (SetupSource | { readonly file: SetupFile }),
): Promise<AppliedSetup> {
  const { document, ...read } = "file" in options ? options.file : readSetupFile(options);
  const { prune, dryRun, confirm, expect, by = gatewayActor, isRemote = false } = options;
  const wanted: Wanted = {
    ...read,
    ...(prune && { finish: (state: SetupState) => pruneState(state, read.setup) }),
    place: (faults) => locate(faults, document),
  };
  const applied = await change(db, {
    ...{ by, about: {}, wanted, whole: prune, isRemote, dryRun, confirm, expect },
    describe: (on, judgement) => describeChanges(on, judgement, document),
  });
  const { changes, warnings, version } = applied;
  const created = changes.filter(({ kind, action }) => kind === "account" && action === "create");
  // The setup is stored, whether or not this succeeds.
  if (version !== undefined && created.length >= manyAccounts) await analyzeBalances(db).catch(() => undefined);
  return { changes, warnings, ...(version !== undefined && { version }) };
}

/** What a change comes to. */
interface Wanted extends ReadSetup {
  /** What keys that the setup does not give are taken from; absent: the stored state. */
  readonly base?: (stored: SetupState) => SetupState;
  /** The last step to the state, such as the removal of what the setup does not name. */
  readonly finish?: (state: SetupState) => SetupState;
  readonly removes?: ObjectName;
  readonly place?: (faults: readonly SetupFault[]) => readonly LocatedFault[];
}

function wantedBy(edit: SetupEdit): Wanted {
  if ("given" in edit) return readSetupValue(edit.given);
  if ("remove" in edit) {
    const { remove } = edit;
    return { ...readSetupValue({}), removes: remove, finish: (state) => removeObject(state, remove) };
  }
  const { replace } = edit;
  const { section } = replace;
  const keys = Object.entries(withoutAnsweredKeys(edit.keys));
  const own = keys.filter(([key]) => mayGive(replace, key));
  const foreign = keys.flatMap(([key]): SetupFault[] =>
    mayGive(replace, key) ? [] : [{ path: [key], key: "unknownKey", values: { key } }],
  );
  const { setup, faults } = readSetupValue(asSetup(replace, Object.fromEntries(own)));
  const lacksList = isList(section) && setup[section] === undefined;
  return {
    setup,
    faults: [...faults, ...foreign, ...(lacksList ? [{ path: [section], key: "missing" } as const] : [])],
    base: (stored) => bareState(stored, replace),
    place: (found) => found.map((fault) => withinObject(fault, replace)),
  };
}

/** `operators[0].prefixes[1]` → `prefixes[1]` */
function withinObject(fault: SetupFault, { section }: ObjectName): SetupFault {
  return fault.path[0] === section && isNamed(section) ? { ...fault, path: fault.path.slice(2) } : fault;
}

interface ChangeOptions extends Pick<ApplyOptions, "dryRun"> {
  readonly by: Actor;
  readonly about: LookedAt;
  readonly isRemote: boolean;
  /** Where it does not depend on what is stored. */
  readonly wanted?: Wanted;
  readonly wantedOf?: (stored: StoredSetup) => Wanted;
  /** Everything is read, not only what the setup is about. */
  readonly whole?: boolean;
  readonly confirm?: ApplyOptions["confirm"] | undefined;
  readonly expect?: ApplyOptions["expect"] | undefined;
  readonly describe?: (on: Queryable, judgement: Judgement) => Promise<Omit<AppliedSetup, "version">>;
}

/** What was read, and what follows. */
interface Judgement extends Judged {
  readonly stored: SetupState;
  /** Of the configuration that was judged. */
  readonly version: bigint;
  readonly key: TagKey;
  readonly wanted: Wanted;
}

interface Changed extends AppliedSetup {
  readonly desired: SetupState;
  readonly key: TagKey;
}

async function change(db: Transactional, options: ChangeOptions): Promise<Changed> {
  const { dryRun, confirm, by } = options;
  const known: KnownHashes = new Map();
  const describe = async (on: Queryable, judgement: Judgement): Promise<Changed> => ({
    ...((await options.describe?.(on, judgement)) ?? { changes: judgement.changes, warnings: [] }),
    ...{ desired: judgement.desired, key: judgement.key },
  });
  const judged = await db.transaction(async (tx) => {
    await readAsOfNow(tx);
    return judgeStored(tx, options);
  });
  const seen = await withHashes(judged, options, known);
  const described = await describe(db, seen);
  if (dryRun || seen.changes.length === 0) return described;
  const losses = removalsOf(seen.changes);
  if (confirm && losses.size > 0 && !(await confirm(described.changes))) throw new ApplyDeclined("nothing was changed");
  return db.transaction(async (tx) => {
    const isAsSeen = (await lockConfiguration(tx)) === seen.version;
    const now = isAsSeen ? seen : await withHashes(await judgeStored(tx, options), options, known);
    if (confirm && [...removalsOf(now.changes)].some((loss) => !losses.has(loss))) {
      throw new ApplyDeclined(
        "another command changed the configuration meanwhile, and more would be removed: nothing was changed",
      );
    }
    options.expect?.(now.changes);
    const outcome = isAsSeen ? described : await describe(tx, now);
    if (now.changes.length === 0) return outcome;
    return { ...outcome, version: await storeSetup(tx, by, now.stored, now) };
  });
}

function removalsOf(changes: readonly SetupChange[]): ReadonlySet<string> {
  return new Set(changes.flatMap(({ action, kind, name }) => (action === "remove" ? [`${kind} ${name}`] : [])));
}

/** Reads what the change looks at. If it names more objects, reads again with these. Throws SetupFaults. */
async function judgeStored(tx: Queryable, options: ChangeOptions): Promise<Judgement> {
  const { about, whole = false, wanted: given, wantedOf = () => given ?? wantedBy({ given: {} }) } = options;
  const read = async (scope: ConfigurationScope) => {
    const rows = await readConfiguration(tx, scope);
    const isNew = options.dryRun && (await isConfigurationEmpty(tx));
    const state = { ...stateOf(rows), ...(isNew && { operators: operatorsOfCountry }) };
    return { stored: state, version: rows.version, key: tagKeyOf(rows) };
  };
  const first = whole ? wholeScope : await concernedScope(tx, given?.setup ?? readSetupValue({}).setup, about);
  let found = await read(first);
  let wanted = wantedOf(withTags(found.stored, found.key));
  if (given === undefined) {
    const uses = wanted.removes && (await usesInAccounts(tx, wanted.removes));
    const wider = await concernedScope(tx, wanted.setup, { ...about, ...uses });
    if (!covers(first, wider)) {
      found = await read(wider);
      wanted = wantedOf(withTags(found.stored, found.key));
    }
  }
  if (wanted.removes !== undefined) await expectUnused(tx, found.stored, wanted.removes);
  return { ...found, wanted, ...judge(found.stored, wanted, options) };
}

/** Throws with all faults, each with its place. */
function judge(stored: SetupState, wanted: Wanted, { isRemote }: Pick<ChangeOptions, "isRemote">): Judged {
  const { setup, faults: reading, finish, place } = wanted;
  try {
    return judgeSetup({ setup, stored, base: wanted.base?.(stored), reading, isRemote, finish });
  } catch (error) {
    throw error instanceof SetupFaults && place !== undefined ? new SetupFaults(place(error.faults)) : error;
  }
}

/** Faults were found before, because hashing is expensive. */
async function withHashes(judgement: Judgement, options: ChangeOptions, known: KnownHashes): Promise<Judgement> {
  const { stored, wanted } = judgement;
  const setup = await hashPasswords(wanted.setup, stored, known);
  if (setup === wanted.setup) return judgement;
  return { ...judgement, ...judge(stored, { ...wanted, setup }, options) };
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

async function expectUnused(tx: Queryable, state: SetupState, object: ObjectName): Promise<void> {
  const use = findUses(state, object);
  if (use !== undefined) throw new SetupFaults([use]);
  const [ported] = object.section === "operators" ? await countPortedNumbers(tx, object.name) : [];
  const count = ported === undefined ? 0 : ported.given + ported.imported;
  if (count > 0) throw new SetupFaults([{ path: [], key: "usedByPorted", values: { count } }]);
}

/** With the warnings, and with who made the last change of each object in the console. */
async function describeChanges(
  on: Queryable,
  { stored, desired, changes, wanted: { setup } }: Judgement,
  document: SetupDocument,
): Promise<Omit<AppliedSetup, "version">> {
  const openings = await findOpeningCredits(on, accountsWithSpentCredit(stored, setup.accounts));
  const warnings = locate(findWarnings({ setup, desired }, openings), document);
  const known = changes.flatMap(({ action, kind, name }) => (action === "create" ? [] : [{ kind, name }]));
  const byHand = (await listLastChanges(on, known)).filter(({ who }) => /^(?:staff|user):/.test(who));
  const last = new Map(byHand.map(({ kind, name, who, at }) => [`${kind} ${name}`, { who, at }]));
  const described = changes.map((each) => {
    const lastChange = last.get(`${each.kind} ${each.name}`);
    return lastChange === undefined ? each : { ...each, lastChange };
  });
  return { changes: described, warnings };
}
