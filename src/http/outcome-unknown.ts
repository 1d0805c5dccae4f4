// What follows a change: this node follows it at once, and if the database was lost while it was
// committed, nobody knows whether it was done. 503 would say that nothing was stored.
import { DatabaseUnavailable } from "../store/database-errors.ts";
import type { ServerParts } from "./server-parts.ts";

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
export function withUnknownOutcome<Result>(change: Promise<Result>): Promise<Result> {
  return change.catch((error: unknown) => {
    throw unknownIfInDoubt(error);
  });
}

/**
 * The next call to this node finds the change. Call it when the change is committed. Never rejects:
 * if the change cannot be read now, this node gets it a moment later, like all others.
 */
export async function followChange({ parts }: { readonly parts: Pick<ServerParts, "directory"> }): Promise<void> {
  await parts.directory.refresh().catch(() => undefined);
}
