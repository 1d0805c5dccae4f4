// The use case behind `hodhod apply` (decisions §6): reads and validates the file, and stores the
// differences in one transaction. Any fault means that nothing changes. Safe while gateways and
// other applies run.
import { type Actor, gatewayActor, listLastConsoleChanges } from "../store/audit.ts";
import { lockConfiguration } from "../store/configuration-version.ts";
import { readConfiguration } from "../store/configuration.ts";
import type { Queryable, Transactional } from "../store/database.ts";
import { findOpeningCredits } from "../store/ledger.ts";
import { analyzeBalances } from "../store/setup-accounts.ts";
import { concernedScope, wholeScope } from "./configured-object.ts";
import type { PasswordHashes } from "./desired-state.ts";
import { type LocatedFault, SetupFaults } from "./fault.ts";
import { type Judged, judgeSetup, type SetupToJudge, storeSetup } from "./judge-setup.ts";
import { stateOf } from "./load-state.ts";
import { passwordsOf, SetupPasswords } from "./passwords.ts";
import { pruneState } from "./references.ts";
import { withDefaultOperators } from "./save-setup.ts";
import { type SetupChange, tracesOf } from "./setup-changes.ts";
import type { SetupDocument } from "./setup-document.ts";
import { locate, readSetupFile, type SetupFile, type SetupSource } from "./setup-file.ts";
import type { Setup, SetupState } from "./sections.ts";
import { accountsWithSpentCredit, findWarnings } from "./check-setup.ts";
import { readAsOfNow } from "../store/transaction-settings.ts";

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
  const { setup, document, faults: reading } = "file" in options ? options.file : readSetupFile(options);
  const passwords = new SetupPasswords(setup);
  const { prune, dryRun, confirm, by = gatewayActor, isRemote = false } = options;
  const judged = (stored: SetupState, hashes: PasswordHashes): Judged =>
    judge({ setup, stored, passwords: hashes, prune, isRemote, reading, document });
  const { before, version, judgement } = await judgeStored(db, setup, {
    whole: prune,
    dryRun,
    judged: (stored) => judged(stored, presentPasswords(setup)),
  });
  await passwords.prepare(before);
  const plan = passwordsOf(setup).length === 0 ? judgement : judged(before, passwords);
  const openings = await findOpeningCredits(db, accountsWithSpentCredit(before, setup.accounts));
  const warnings = locate(findWarnings({ setup, stored: before, desired: plan.desired }, openings), document);
  const described = await withLastChanges(db, before, plan);
  if (dryRun) return { changes: described, warnings };
  if (plan.changes.length === 0) return { changes: [], warnings };
  const losses = removalsOf(plan.changes);
  if (confirm && losses.size > 0 && !(await confirm(described))) throw new ApplyDeclined("nothing was changed");
  const applied = await db.transaction(async (tx): Promise<AppliedSetup> => {
    const locked = await lockConfiguration(tx);
    const isAsJudged = locked === version;
    const stored = isAsJudged ? before : (await readStored(tx, setup, prune)).state;
    if (!isAsJudged) await passwords.prepare(stored);
    const now = isAsJudged ? plan : judged(stored, passwords);
    const { changes } = now;
    if (confirm && [...removalsOf(changes)].some((loss) => !losses.has(loss))) {
      throw new ApplyDeclined(
        "another command changed the configuration meanwhile, and more would be removed: nothing was changed",
      );
    }
    options.expect?.(changes);
    if (changes.length === 0) return { changes, warnings };
    const undone = await withLastChanges(tx, stored, now);
    return { changes: undone, warnings, version: await storeSetup(tx, by, stored, now) };
  });
  // The setup is stored, whether or not this succeeds.
  if (hasManyNewAccounts(applied)) await analyzeBalances(db).catch(() => undefined);
  return applied;
}

function hasManyNewAccounts({ changes }: AppliedSetup): boolean {
  return changes.filter(({ kind, action }) => kind === "account" && action === "create").length >= manyAccounts;
}

interface JudgedStored {
  readonly before: SetupState;
  /** Of the configuration that was judged. */
  readonly version: bigint;
  readonly judgement: Judged;
}

interface ToJudge {
  /** Everything is read, not only what the file is about. */
  readonly whole: boolean;
  readonly dryRun: boolean;
  readonly judged: (stored: SetupState) => Judged;
}

/** Throws SetupFaults. */
async function judgeStored(db: Transactional, setup: Setup, { whole, dryRun, judged }: ToJudge): Promise<JudgedStored> {
  const { state, version } = await db.transaction(async (tx) => {
    await readAsOfNow(tx);
    return readStored(tx, setup, whole);
  });
  const again = (): Promise<JudgedStored> => judgeStored(db, setup, { whole: true, dryRun, judged });
  // Only the whole configuration shows whether nothing has been set up yet.
  if (dryRun && !whole && state.operators.size + state.connectors.size === 0) return again();
  const before = dryRun ? withDefaultOperators(state) : state;
  try {
    return { before, version, judgement: judged(before) };
  } catch (error) {
    // The hints of faults name objects that were not read.
    if (!whole && error instanceof SetupFaults) return again();
    throw error;
  }
}

async function readStored(
  tx: Queryable,
  setup: Setup,
  whole: boolean,
): Promise<{ readonly state: SetupState; readonly version: bigint }> {
  const rows = await readConfiguration(tx, whole ? wholeScope : await concernedScope(tx, setup));
  return { state: stateOf(rows), version: rows.version };
}

/** Adds to each change who made the last change of that object in the console. */
async function withLastChanges(
  db: Queryable,
  stored: SetupState,
  { desired, changes }: Judged,
): Promise<readonly AppliedChange[]> {
  const traces = tracesOf(stored, desired, changes);
  const last = traces.length === 0 ? [] : await listLastConsoleChanges(db, traces);
  const byChange = new Map(last.map(({ change, who, at }) => [change, { who, at }]));
  return changes.map((change, number) => {
    const lastChange = byChange.get(number);
    return lastChange === undefined ? change : { ...change, lastChange };
  });
}

function removalsOf(changes: readonly SetupChange[]): ReadonlySet<string> {
  return new Set(changes.flatMap(({ action, kind, name }) => (action === "remove" ? [`${kind} ${name}`] : [])));
}

/** Replaces the hashes while the file is validated, because hashing is expensive. */
function presentPasswords(setup: Setup): PasswordHashes {
  const given = new Set(passwordsOf(setup).map(({ account, username }) => JSON.stringify([account, username])));
  return { hashFor: (account, username) => (given.has(JSON.stringify([account, username])) ? "" : undefined) };
}

interface PlanInput extends Omit<SetupToJudge, "finish"> {
  readonly prune: boolean;
  readonly document: SetupDocument;
}

/** Throws with all faults, each with its line. */
function judge({ prune, document, ...input }: PlanInput): Judged {
  try {
    return judgeSetup({ ...input, ...(prune && { finish: (state) => pruneState(state, input.setup) }) });
  } catch (error) {
    throw error instanceof SetupFaults ? new SetupFaults(locate(error.faults, document)) : error;
  }
}
