// A change of the configuration by a call. What is wrong with it is answered with 1001 and the place of
// each fault.
import { ApiError } from "../../texts/errors.ts";
import { formatPath, localizedFault, type LocatedFault, SetupFaults } from "../../setup/fault.ts";
import { changeSetup, type SetupEdit, type StoredSetup } from "../../setup/change-setup.ts";
import type { LookedAt } from "../../setup/concerned-rows.ts";
import type { ConsoleCall } from "./console-call.ts";

const mostFaults = 100;

/** Turns faults of a setup into 1001 with their places. */
export async function withFaults<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof SetupFaults ? faultsError(error.faults) : error;
  }
}

function faultsError(faults: readonly LocatedFault[]): ApiError {
  return ApiError.invalidParameters(
    faults.slice(0, mostFaults).map((fault) => ({
      field: fault.path.length === 0 ? "name" : formatPath(fault.path),
      messageKey: "setup.fault",
      values: { fault: localizedFault(fault) },
    })),
  );
}

/** `about`: what `edit` looks at. */
export async function changeConfiguration(
  call: ConsoleCall,
  about: LookedAt,
  edit: (stored: StoredSetup) => SetupEdit,
): Promise<StoredSetup> {
  const changed = await withFaults(() => changeSetup(call.changes, { by: call.actor, about, edit }));
  return changed.stored;
}
