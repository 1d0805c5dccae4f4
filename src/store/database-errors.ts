// Errors of PostgreSQL and of the connection to it, classified by what a caller can do about them.
// All other errors are broken assumptions of this program and pass through unchanged.

import { CommandFailed } from "../platform/command-failed.ts";

/**
 * The database cannot be reached, or cannot do the work now. `inDoubt`: the statement was sent and
 * no answer came, so it may or may not be committed; otherwise it is certainly not committed.
 */
export class DatabaseUnavailable extends Error {
  readonly inDoubt: boolean;
  readonly retriable = true;
  constructor(message: string, options: { inDoubt: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = "DatabaseUnavailable";
    this.inDoubt = options.inDoubt;
  }
}

/** This transaction conflicted with another one and was rolled back. It can simply be run again. */
export class TransactionConflict extends Error {
  /** SQLSTATE: serialization_failure, deadlock_detected or lock_not_available. */
  readonly code: string;
  readonly retriable = true;
  constructor(code: string, cause: Error) {
    super(cause.message, { cause });
    this.name = "TransactionConflict";
    this.code = code;
  }
}

/** A server, database or schema that this program cannot use. Trying again does not help. */
export class DatabaseUnfit extends CommandFailed {
  override readonly name: string = "DatabaseUnfit";
}

/** Whether the same work may succeed later, because the database was the cause and not the work. */
export function isRetriable(error: unknown): boolean {
  return error instanceof Error && (error as Error & { retriable?: unknown }).retriable === true;
}

/** A lock was waited for longer than lock_timeout. */
export const lockNotAvailable = "55P03";

/** A statement names a table that is not there. */
export const undefinedTable = "42P01";

const conflictStates = new Set(["40001", "40P01", lockNotAvailable]);

// The server ended the session (57P01…), was starting or stopping (57P03), or is a standby (25006).
const sessionEndStates = new Set(["57P01", "57P02", "57P03", "57P04", "57P05", "25P03", "25006", "40003"]);

// Certainly rolled back: statement_timeout or a cancel (57014), no connection left, disk full, out
// of memory (class 53).
const overloadStates = /^(57014|53...|58030)$/;

// Codes that Node and the driver give to a failed or broken connection.
const socketCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ENOENT",
  "EACCES",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "EHOSTDOWN",
  "ENOTFOUND",
  "EAI_AGAIN",
  // The queue of a unix socket is full, because the server is busy or stands still.
  "EAGAIN",
  // This machine or process has no port or descriptor left.
  "EADDRNOTAVAIL",
  "EMFILE",
  "ENFILE",
]);
const driverWords =
  /connection terminated|connection ended|timeout exceeded when trying to connect|query read timeout|connection error and is not queryable|client was closed|timeout expired/i;

/** SQLSTATE of a server's error, or code of a system error. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error ? (error as Error & { code?: unknown }).code : undefined;
  return typeof code === "string" ? code : "";
}

/** Whether the connection cannot be used after this error. */
export function breaksConnection(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return breaksConnection(error.cause);
  const code = codeOf(error);
  if (code.startsWith("08") || sessionEndStates.has(code) || socketCodes.has(code)) return true;
  return error instanceof Error && driverWords.test(error.message);
}

/**
 * Converts an error of the driver to its class. `sent`: the statement could have committed by
 * itself, so a broken connection leaves its outcome unknown.
 */
export function classify(error: unknown, sent: boolean): unknown {
  if (error instanceof DatabaseUnavailable || error instanceof TransactionConflict) return error;
  const code = codeOf(error);
  if (error instanceof Error && conflictStates.has(code)) return new TransactionConflict(code, error);
  if (overloadStates.test(code)) return unavailable(error, false);
  if (breaksConnection(error)) return unavailable(error, sent && code !== "25006" && code !== "57P03");
  return error;
}

function unavailable(cause: unknown, inDoubt: boolean): DatabaseUnavailable {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new DatabaseUnavailable(`the database is not available: ${why}`, { inDoubt, cause });
}

const conflictAttempts = 5;

/** Does the work again, a few times, after a conflict with another transaction. */
export async function repeatConflicts<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const again = error instanceof TransactionConflict || isStalePlan(error);
      if (!again || attempt >= conflictAttempts) throw error;
    }
  }
}

/**
 * The server forgot the prepared statement, or an altered table invalidated its plan. Nothing was
 * done.
 */
export function isStalePlan(error: unknown): boolean {
  const code = codeOf(error);
  return code === "26000" || (code === "0A000" && error instanceof Error && /cached plan/.test(error.message));
}
