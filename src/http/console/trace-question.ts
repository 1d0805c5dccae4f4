// What a trace of a number is asked for, and what has to be read to answer it.
import type { Account, Directory } from "../../directory/directory.ts";
import { ApiError } from "../../texts/errors.ts";
import { cleanNumber, parseRecipient } from "../../sms/msisdn.ts";
import { findLine } from "../../sms/sender-line.ts";
import { findAccountSummary, listBinds } from "../../store/staff-lookups.ts";
import type { ConsoleContext } from "./console-context.ts";
import type { KnownState, TraceQuestion } from "./trace-number.ts";

/** Throws 1001. */
export function readQuestion(directory: Directory, given: Readonly<Record<string, unknown>>): TraceQuestion {
  const recipient = parseRecipient(cleanNumber(readText(given, "recipientNumber") ?? "", "json"));
  if (recipient === undefined) throw ApiError.invalidParameter("recipientNumber", "console.number");
  const accountName = readText(given, "account");
  const account = accountName === undefined ? undefined : directory.findAccount(accountName);
  if (accountName !== undefined && account === undefined)
    throw ApiError.invalidParameter("account", "console.unknownAccount");
  const senderNumber = readText(given, "senderNumber");
  const sender = senderNumber === undefined ? undefined : cleanNumber(senderNumber, "json");
  if (sender !== undefined && account === undefined && findLine(sender, directory.lines) === undefined)
    throw ApiError.invalidParameter("senderNumber", "console.unknownLine");
  return { recipient, account, senderNumber: sender, content: readText(given, "content") };
}

/** Absent and "" are the same. Throws 1001 for what is no text. */
function readText(given: Readonly<Record<string, unknown>>, field: string): string | undefined {
  const value = given[field];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string") throw ApiError.invalidParameter(field, "field.notText");
  return value;
}

/** What the configuration in memory does not hold: which links are up, and the credit. */
export async function stateFor(context: ConsoleContext, account: Account | undefined): Promise<KnownState> {
  const binds = await listBinds(context.reads);
  const bound = new Set(binds.filter((bind) => bind.bound === true).map(({ connectorId }) => connectorId));
  const summary = account && (await findAccountSummary(context.reads, account.name));
  return { bound, credit: summary?.unlimited === false ? summary.balance : undefined };
}
