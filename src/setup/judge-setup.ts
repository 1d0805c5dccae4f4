// Decides what a setup means for the stored configuration: the state to reach and the changes on
// the way, or all faults. Pure.
import { findBadCertificates } from "./check-certificates.ts";
import { checkSetup } from "./check-setup.ts";
import { desireState, type PasswordHashes } from "./desired-state.ts";
import { SetupFaults, type SetupFault } from "./fault.ts";
import { findChanges, type SetupChange } from "./setup-changes.ts";
import type { Setup } from "./setup.ts";
import type { SetupState } from "./setup-state.ts";

export interface Judged {
  readonly desired: SetupState;
  readonly changes: readonly SetupChange[];
  readonly warnings: readonly SetupFault[];
}

export interface SetupToJudge {
  readonly setup: Setup;
  readonly stored: SetupState;
  /** What keys that the setup does not give are taken from; absent: the stored state. */
  readonly base?: SetupState;
  readonly passwords: PasswordHashes;
  /** Faults that were found before. */
  readonly reading?: readonly SetupFault[];
  /** Faults of the state that the setup asks for. */
  readonly check?: (state: SetupState) => readonly SetupFault[];
  /** The last step to the state, such as the removal of what the setup does not name. */
  readonly finish?: (state: SetupState) => SetupState;
}

/** Throws SetupFaults with all faults: those of reading, and those that depend on other objects. */
export function judgeSetup(input: SetupToJudge): Judged {
  const { setup, stored, base = stored, passwords, reading = [], check, finish } = input;
  const { state, faults: lacking } = desireState(base, setup, passwords);
  const { faults: references, warnings } = checkSetup(setup, state);
  const certificates = findBadCertificates(setup, stored);
  const faults = withoutEchoes([...reading, ...lacking, ...references, ...certificates, ...(check?.(state) ?? [])]);
  if (faults.length > 0) throw new SetupFaults(faults);
  const desired = finish?.(state) ?? state;
  if (countAdministrators(stored) > 0 && countAdministrators(desired) === 0) {
    throw new SetupFaults([{ path: ["staff"], message: "this would leave no administrator who can sign in" }]);
  }
  return { desired, changes: findChanges(stored, desired), warnings };
}

function countAdministrators({ staff }: SetupState): number {
  return [...staff.values()].filter(({ role, enabled }) => role === "administrator" && enabled).length;
}

/**
 * Keeps the first fault at each place, so that a key with a wrong value is not also reported as
 * missing.
 */
export function withoutEchoes(faults: readonly SetupFault[]): readonly SetupFault[] {
  const seen = new Set<string>();
  return faults.filter(({ path: place }) => {
    const key = JSON.stringify(place);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
