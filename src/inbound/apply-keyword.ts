// What a subscriber's message changes on the opt-out list of its line.
import type { Directory } from "../directory/directory.ts";
import { optOutElement } from "../events/representations.ts";
import { mobileNumberOf, optOutModeOf } from "../sms/opt-out-index.ts";
import type { Queryable } from "../store/database.ts";
import { writeEvents } from "../store/event-log.ts";
import { addOptOuts, removeOptOut, type RemovedOptOut } from "../store/opt-outs.ts";

export interface Said {
  /** The number of the line. */
  readonly line: string;
  readonly sender: string;
  readonly content: string;
  /** The account that gets the event about the change; 0: none. */
  readonly accountId: number;
}

/** Puts the sender on the line's list, or takes it off, if that is what the text says. */
export async function applyKeyword(
  tx: Queryable,
  { lines, optOutWords }: Pick<Directory, "lines" | "optOutWords">,
  { line: lineNumber, sender, content, accountId }: Said,
): Promise<void> {
  const line = lines.get(lineNumber);
  if (line === undefined || optOutModeOf(line) === "off") return;
  const word = optOutWords.read(content);
  const number = word && mobileNumberOf(sender);
  if (number === undefined) return;
  const entry =
    word === "stop"
      ? (await addOptOuts(tx, { line: lineNumber, numbers: [number], how: "message" }))[0]
      : countedFor(accountId, await removeOptOut(tx, { line: lineNumber, number }));
  const type = word === "stop" ? "recipient.optedOut" : "recipient.optedIn";
  if (entry !== undefined) await writeEvents(tx, [{ accountId, type, detail: optOutElement(entry) }]);
}

/** The removed entry that the account may know of: not one that another account had put. */
function countedFor(accountId: number, removed: readonly RemovedOptOut[]): RemovedOptOut | undefined {
  return removed.find((entry) => entry.accountId === null) ?? removed.find((entry) => entry.accountId === accountId);
}
