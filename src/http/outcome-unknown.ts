// A change of which nobody knows whether it was done: the database was lost while it was committed.
// 503 would say that nothing was stored.
import { DatabaseUnavailable } from "../store/database-errors.ts";

export class OutcomeUnknown extends Error {
  constructor(cause: Error) {
    super("the database was lost while a change was committed", { cause });
    this.name = "OutcomeUnknown";
  }
}

/** The error of a change, as it may be answered. */
export function unknownIfInDoubt(error: unknown): unknown {
  return error instanceof DatabaseUnavailable && error.inDoubt ? new OutcomeUnknown(error) : error;
}

/** The result of a change, or its error as it may be answered. */
export function tellDoubt<Result>(change: Promise<Result>): Promise<Result> {
  return change.catch((error: unknown) => {
    throw unknownIfInDoubt(error);
  });
}
