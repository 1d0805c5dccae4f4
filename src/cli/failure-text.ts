// How a failure is told: one line that says what is wrong, and a hint on what to do. Never a stack trace, unless the log level
// asks for it; never a secret.
import { ConfigError, readConfig } from "../config.ts";
import { DataFolderInUse } from "../postgres/owner-lock.ts";
import { formatFault, SetupFaults } from "../setup/fault.ts";
import { DatabaseUnavailable } from "../store/database-errors.ts";
import { CommandFailed, exitCode, note, type CommandContext } from "./command-context.ts";

interface Telling {
  readonly lines: readonly string[];
  readonly hint?: string | undefined;
  readonly exitCode: number;
}

/** Writes to the error output and answers the exit code. */
export function tellFailure(context: CommandContext, error: unknown): number {
  const telling = tell(error);
  const [first = "", ...rest] = telling.lines;
  note(context, `hodhod: ${first}`);
  for (const line of rest) note(context, `  ${line}`);
  if (telling.hint !== undefined) note(context, `hint: ${telling.hint}`);
  if (wantsStack() && error instanceof Error) note(context, error.stack ?? "");
  return telling.exitCode;
}

function tell(error: unknown): Telling {
  if (error instanceof CommandFailed) {
    return { lines: [error.message], hint: error.hint, exitCode: error.exitCode };
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
    const hint = "is PostgreSQL running, and is DATABASE_URL right? Without it, Hodhod runs a database of its own";
    return { lines: [`the database cannot be reached: ${reasonOf(error)}`], hint, exitCode: exitCode.failed };
  }
  if (error instanceof DataFolderInUse) return { lines: [error.message], exitCode: exitCode.failed };
  return { lines: [reasonOf(error)], hint: "HODHOD_LOG_LEVEL=debug shows where", exitCode: exitCode.failed };
}

/** The innermost message that says something, in one line, without the secrets of a connection's address. */
function reasonOf(error: unknown): string {
  const parts: string[] = [];
  for (let current = error; current instanceof Error; current = current.cause) parts.push(current.message);
  const text = parts.findLast((part) => part !== "") ?? String(error);
  return text.replace(/\s*\n\s*/g, " ").replace(/(\/\/[^:/\s]*:)[^@\s]*@/g, "$1***@");
}

function wantsStack(): boolean {
  try {
    return ["debug", "trace"].includes(readConfig().logLevel);
  } catch {
    return false;
  }
}
