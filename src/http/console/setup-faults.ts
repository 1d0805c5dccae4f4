// What is wrong with a change of the configuration, as an answer: 1001 with the place of each
// fault.
import { ApiError } from "../../texts/errors.ts";
import { type LocatedFault, SetupFaults, formatPath, localizedFault } from "../../setup/fault.ts";

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
