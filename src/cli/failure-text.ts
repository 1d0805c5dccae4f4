// Reports a failure in one line that says what is wrong, and a hint on what to do. A stack trace is
// shown only at log level debug or trace, and secrets are never shown.
import { ConfigError, readConfig } from "../platform/config.ts";
import { formatFault, SetupFaults } from "../setup/fault.ts";
import { codeOf, DatabaseUnavailable } from "../store/database-errors.ts";
import { CommandFailed, exitCode } from "../platform/command-failed.ts";
import { ApiError, findingText } from "../texts/errors.ts";
import type { CommandContext } from "./command.ts";
import { note } from "./output.ts";

interface FailureReport {
  readonly lines: readonly string[];
  readonly hint?: string | undefined;
  readonly exitCode: number;
}

/** Writes to the error output and returns the exit code. */
export function reportFailure(context: CommandContext, error: unknown): number {
  const report = describe(error);
  const [first = "", ...rest] = report.lines.map(withoutSecrets);
  note(context, `hodhod: ${first}`);
  for (const line of rest) note(context, `  ${line}`);
  if (report.hint !== undefined) note(context, `hint: ${report.hint}`);
  if (wantsStack() && error instanceof Error) note(context, error.stack ?? "");
  return report.exitCode;
}

function describe(error: unknown): FailureReport {
  if (error instanceof CommandFailed) {
    const lines = [error.message, ...error.details].flatMap((text) => text.split("\n"));
    return { lines, hint: error.hint, exitCode: error.exitCode };
  }
  if (error instanceof ApiError) {
    const { validationErrors } = error.details;
    const lines = validationErrors?.map((finding) => findingText(finding, "en")) ?? [error.message];
    return { lines, exitCode: exitCode.failed };
  }
  if (error instanceof SetupFaults) {
    const hint = "nothing was changed; correct the file and apply it again";
    return { lines: [error.message, ...error.faults.map(formatFault)], hint, exitCode: exitCode.usage };
  }
  if (error instanceof ConfigError) {
    const hint = ".env.example describes every variable";
    return { lines: ["the environment is wrong", ...error.problems], hint, exitCode: exitCode.usage };
  }
  if (error instanceof DatabaseUnavailable) {
    const { reason, hint } = whyUnavailable(error);
    return { lines: [`cannot reach the database: ${reason}`], hint, exitCode: exitCode.failed };
  }
  if (preparedElsewhere.has(codeOf(error))) {
    return { lines: [reasonOf(error)], hint: poolerHint, exitCode: exitCode.failed };
  }
  const hint = isRefusal(error) ? undefined : "set HODHOD_LOG_LEVEL=debug to see the stack trace";
  return { lines: [reasonOf(error)], hint, exitCode: exitCode.failed };
}

/** SQLSTATEs: a prepared statement exists already, or does not exist. */
const preparedElsewhere = new Set(["42P05", "26000"]);
const poolerHint =
  "DATABASE_URL seems to lead to a pooler that gives each transaction another session. PgBouncer needs version 1.21 or newer, " +
  "max_prepared_statements and HODHOD_DATABASE_DIRECT_URL for that (docs/operate/several-nodes.md, PgBouncer)";
/** Of too_many_connections. */
const noConnectionLeft = "53300";

function whyUnavailable(error: DatabaseUnavailable): { readonly reason: string; readonly hint: string } {
  const reason = reasonOf(error);
  if (codeOf(error.cause) === noConnectionLeft) {
    const hint =
      "PostgreSQL has no connection left for this role: end sessions that nobody needs, raise max_connections or the limit of " +
      "the role, or lower HODHOD_DATABASE_POOL_SIZE of the gateways (docs/operate/several-nodes.md, Connections)";
    return { reason, hint };
  }
  const hint =
    "check that PostgreSQL is running and that DATABASE_URL is right; without DATABASE_URL, Hodhod runs its own database";
  // The driver says first that it gave up, and then, as the cause, that the connection ended.
  const isSilent = error.cause instanceof Error && /due to connection timeout/.test(error.cause.message);
  return { reason: isSilent ? "it does not answer in time" : reason, hint };
}

/**
 * Refused by the operating system, or by the database at login (SQLSTATE classes 28, 3D and 42501).
 * A stack trace adds nothing.
 */
function isRefusal(error: unknown): boolean {
  const { code, syscall } = (error ?? {}) as { readonly code?: unknown; readonly syscall?: unknown };
  return typeof syscall === "string" || (typeof code === "string" && /^(28|3D)...$|^42501$/.test(code));
}

/** The innermost message that is not empty, in one line; of a file, `cannot open 'x': permission denied`. */
function reasonOf(error: unknown): string {
  const parts: string[] = [];
  for (let current = error; current instanceof Error; current = current.cause) parts.push(current.message);
  const text = parts.findLast((part) => part !== "") ?? String(error);
  return text.replace(/\s*\n\s*/g, " ").replace(/^E[A-Z]+: (.+), ([a-z]+) ('.+')$/, "cannot $2 $3: $1");
}

function withoutSecrets(text: string): string {
  return text.replace(/(\/\/[^:/\s]*:)[^@\s]*@/g, "$1***@");
}

function wantsStack(): boolean {
  try {
    return ["debug", "trace"].includes(readConfig().logLevel);
  } catch {
    return false;
  }
}
