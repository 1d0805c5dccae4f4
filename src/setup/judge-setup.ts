// Decides what a setup means for the stored configuration: the state to reach and the changes on
// the way, or all faults; and stores it. One way for files, commands and the console.
import { type Actor, insertAuditEntries } from "../store/audit.ts";
import type { Queryable } from "../store/database.ts";
import { checkSetup, findMovedConnectors } from "./check-setup.ts";
import { desireState } from "./desired-state.ts";
import { SetupFaults, type SetupFault, withoutEchoes } from "./fault.ts";
import { saveSetup } from "./save-setup.ts";
import { auditSetup, findChanges, type SetupChange } from "./setup-changes.ts";
import type { Setup, SetupState } from "./sections.ts";

export interface Judged {
  readonly desired: SetupState;
  readonly changes: readonly SetupChange[];
}

export interface SetupToJudge {
  readonly setup: Setup;
  readonly stored: SetupState;
  /** What keys that the setup does not give are taken from; absent: the stored state. */
  readonly base?: SetupState | undefined;
  /** Faults that were found before. */
  readonly reading: readonly SetupFault[];
  /** It comes from the console: a connector goes elsewhere only with its password. */
  readonly isRemote: boolean;
  /** The last step to the state, such as the removal of what the setup does not name. */
  readonly finish?: ((state: SetupState) => SetupState) | undefined;
}

/**
 * Pure. Throws SetupFaults with all faults: those of reading, and those that depend on other
 * objects.
 */
export function judgeSetup(input: SetupToJudge): Judged {
  const { setup, stored, base = stored, reading, isRemote, finish } = input;
  const { state, faults: lacking } = desireState(base, setup);
  const check = { setup, stored, desired: state };
  const moved = isRemote ? findMovedConnectors(check) : [];
  const faults = withoutEchoes([...reading, ...lacking, ...checkSetup(check), ...moved]);
  if (faults.length > 0) throw new SetupFaults(faults);
  const desired = finish?.(state) ?? state;
  if (countAdministrators(stored) > 0 && countAdministrators(desired) === 0)
    throw new SetupFaults([{ path: ["staff"], key: "lastAdministrator" }]);
  return { desired, changes: findChanges(stored, desired) };
}

function countAdministrators({ staff }: SetupState): number {
  return [...staff.values()].filter(({ role, enabled }) => role === "administrator" && enabled).length;
}

/**
 * With its entries in the audit, in a transaction that holds the lock of the configuration. Returns
 * the version with which nodes see the changes.
 */
export async function storeSetup(
  tx: Queryable,
  by: Actor,
  stored: SetupState,
  { desired, changes }: Judged,
): Promise<bigint> {
  await insertAuditEntries(tx, by, auditSetup(stored, desired, changes));
  // A password that a person of the staff gives in the console is not the user's own.
  return saveSetup(tx, desired, changes, by.who.startsWith("staff:") ? by.who : "");
}
