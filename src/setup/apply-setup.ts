// The use case behind `hodhod apply` (decisions §6): reads and validates the file, and stores the
// differences in one transaction. Any fault means that nothing changes. Safe while gateways and
// other applies run.
import path from "node:path";
import { type Actor, gatewayActor, insertAuditEntries } from "../store/audit.ts";
import { lockConfiguration } from "../store/configuration-version.ts";
import { loadConfiguration, readConfiguration } from "../store/configuration.ts";
import type { Database } from "../store/database.ts";
import { findOpeningCredits } from "../store/ledger.ts";
import { auditSetup } from "./audit-changes.ts";
import { checkSetup } from "./check-setup.ts";
import { accountsWithSpentCredit, creditWarnings } from "./credit-warnings.ts";
import { desireState, type PasswordHashes } from "./desired-state.ts";
import { SetupFaults, type LocatedFault, type SetupFault } from "./fault.ts";
import { SetupPasswords } from "./passwords.ts";
import { pruneState } from "./prune.ts";
import { readSetup } from "./read-setup.ts";
import { resolveReferences } from "./references.ts";
import { saveSetup } from "./save-setup.ts";
import { withDefaultOperators } from "./seed-operators.ts";
import { findChanges, type SetupChange } from "./setup-changes.ts";
import { parseSetupDocument, type SetupDocument } from "./setup-document.ts";
import type { ConnectorSetup, Setup } from "./setup.ts";
import { stateOf, type SetupState } from "./setup-state.ts";
import { readRegularFile } from "../trusted-file.ts";

export interface SetupSource {
  /** The text of the setup file. */
  readonly text: string;
  /** Names of certificate and password files are relative to this folder. */
  readonly folder: string;
  /** Values for `${NAME}`; absent: none. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

export interface ApplyOptions {
  readonly prune: boolean;
  readonly dryRun: boolean;
  /** Asked before stored objects are removed. False: nothing changes. Absent: they are removed. */
  readonly confirm?: (changes: readonly SetupChange[]) => Promise<boolean>;
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

export interface SetupFile {
  readonly setup: Setup;
  readonly document: SetupDocument;
  /** Faults that the file shows without the database. */
  readonly faults: readonly SetupFault[];
}

export interface AppliedSetup {
  readonly changes: readonly SetupChange[];
  readonly warnings: readonly LocatedFault[];
  /** The configuration version with the changes; absent if nothing was stored. */
  readonly version?: bigint;
}

interface Plan {
  readonly desired: SetupState;
  readonly changes: readonly SetupChange[];
  readonly warnings: readonly SetupFault[];
}

/** Reads the file without a database. Throws SetupFaults if it is neither YAML nor JSON. */
export function readSetupFile({ text, folder, environment = {} }: SetupSource): SetupFile {
  const document = parseSetupDocument(text);
  const { value, faults: unresolved } = resolveReferences(document.value, { folder, environment });
  const { setup: read, faults } = readSetup(value);
  const { setup, faults: fileFaults } = readCertificates(read, folder);
  return { setup, document, faults: withoutEchoes([...unresolved, ...faults, ...fileFaults]) };
}

/**
 * Throws SetupFaults with all faults that the file shows without the database, before one is
 * opened.
 */
export function expectSound({ faults, document }: SetupFile): void {
  if (faults.length > 0) throw new SetupFaults(locate(faults, document));
}

/** Throws SetupFaults with all faults, including those that depend on the stored objects. */
export async function applySetup(
  db: Database,
  options: ApplyOptions & (SetupSource | { readonly file: SetupFile }),
): Promise<AppliedSetup> {
  const { setup, document, faults: reading } = "file" in options ? options.file : readSetupFile(options);
  const passwords = new SetupPasswords(setup);
  const { prune, dryRun, confirm, by = gatewayActor } = options;
  const loaded = stateOf(await db.transaction(loadConfiguration));
  const before = dryRun ? withDefaultOperators(loaded) : loaded;
  judge({ setup, stored: before, passwords: presentPasswords(setup), prune, reading, document });
  await passwords.prepare(before);
  const plan = judge({ setup, stored: before, passwords, prune, reading, document });
  const openings = await findOpeningCredits(db, accountsWithSpentCredit(before, setup.accounts));
  const warnings = locate([...plan.warnings, ...creditWarnings(setup.accounts, openings)], document);
  if (dryRun) return { changes: plan.changes, warnings };
  if (plan.changes.length === 0) return { changes: [], warnings };
  const losses = removalsOf(plan.changes);
  if (confirm && losses.size > 0 && !(await confirm(plan.changes))) throw new ApplyDeclined("nothing was changed");
  return db.transaction(async (tx) => {
    await lockConfiguration(tx);
    const stored = stateOf(await readConfiguration(tx));
    await passwords.prepare(stored);
    const { desired, changes } = judge({ setup, stored, passwords, prune, reading: [], document });
    if (confirm && [...removalsOf(changes)].some((loss) => !losses.has(loss))) {
      throw new ApplyDeclined(
        "another command changed the configuration meanwhile, and more would be removed: nothing was changed",
      );
    }
    if (changes.length === 0) return { changes, warnings };
    await insertAuditEntries(tx, by, auditSetup(stored, desired, changes));
    return { changes, warnings, version: await saveSetup(tx, desired, changes) };
  });
}

function removalsOf(changes: readonly SetupChange[]): ReadonlySet<string> {
  return new Set(changes.flatMap(({ action, kind, name }) => (action === "remove" ? [`${kind} ${name}`] : [])));
}

/** Replaces the hashes while the file is validated, because hashing is expensive. */
function presentPasswords({ accounts }: Setup): PasswordHashes {
  const given = new Set(
    accounts.flatMap(({ name, users = [] }) =>
      users.flatMap(({ username, password }) => (password === undefined ? [] : JSON.stringify([name, username]))),
    ),
  );
  return { hashFor: (account, username) => (given.has(JSON.stringify([account, username])) ? "" : undefined) };
}

interface PlanInput {
  readonly setup: Setup;
  readonly stored: SetupState;
  readonly passwords: PasswordHashes;
  readonly prune: boolean;
  /** Faults found while the file was read. */
  readonly reading: readonly SetupFault[];
  readonly document: SetupDocument;
}

/** Throws with all faults: those of reading, and those that depend on other objects. */
function judge({ setup, stored, passwords, prune, reading, document }: PlanInput): Plan {
  const { state, faults: lacking } = desireState(stored, setup, passwords);
  const { faults: references, warnings } = checkSetup(setup, state);
  const faults = withoutEchoes([...reading, ...lacking, ...references]);
  if (faults.length > 0) throw new SetupFaults(locate(faults, document));
  const desired = prune ? pruneState(state, setup) : state;
  return { desired, changes: findChanges(stored, desired), warnings };
}

/**
 * Keeps the first fault at each place, so that a key with a wrong value is not also reported as
 * missing.
 */
function withoutEchoes(faults: readonly SetupFault[]): readonly SetupFault[] {
  const seen = new Set<string>();
  return faults.filter(({ path: place }) => {
    const key = JSON.stringify(place);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function locate(faults: readonly SetupFault[], document: SetupDocument): readonly LocatedFault[] {
  const located = faults.map((fault): LocatedFault => {
    const line = document.lineOf(fault.path);
    return line === undefined ? fault : { ...fault, line };
  });
  return located.sort((left, right) => (left.line ?? 0) - (right.line ?? 0));
}

/**
 * Replaces the names of certificate files with their text, so that every node has them. PEM text is
 * left unchanged.
 */
function readCertificates(setup: Setup, folder: string): { setup: Setup; faults: SetupFault[] } {
  const faults: SetupFault[] = [];
  const connectors = setup.connectors.map((connector): ConnectorSetup => {
    const { tls } = connector.settings;
    if (tls === undefined || tls === false || tls.ca === undefined || tls.ca.includes("-----BEGIN")) return connector;
    const ca = readPem(path.resolve(folder, tls.ca));
    if (ca !== undefined) return { ...connector, settings: { ...connector.settings, tls: { ...tls, ca } } };
    const message = `${tls.ca} cannot be read or contains no certificate`;
    const hint = "a file of certificates in PEM format, of at most 1 MiB";
    faults.push({ path: [...connector.path, "tls", "ca"], message, hint });
    return connector;
  });
  return { setup: { ...setup, connectors }, faults };
}

const longestPem = 1_048_576;

function readPem(file: string): string | undefined {
  try {
    const text = readRegularFile(file, { mostBytes: longestPem })?.toString("utf8") ?? "";
    return text.includes("-----BEGIN CERTIFICATE-----") ? text.trim() : undefined;
  } catch {
    return undefined;
  }
}
