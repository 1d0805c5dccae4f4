// hodhod erase: empties one person's number and texts, where the law or the person asks for it.
import { CommandFailed, wrongUsage } from "../platform/command-failed.ts";
import { type ErasedOfPerson, erasePerson } from "../maintenance/erase-person.ts";
import type { Msisdn } from "../sms/msisdn.ts";
import type { Command, CommandContext, CommandLine } from "./command.ts";
import { commandActor, withDatabase } from "./database.ts";
import { expectMobile } from "./number-files.ts";
import { counted, note, print, printJson, printTable, progressLines } from "./output.ts";
import { ask, isTerminal } from "./terminal.ts";

const notTouched = [
  "Not erased:",
  "  - messages that still wait, and rows of campaigns that are not sent yet",
  "  - parts of received messages of which another part is missing: within a day they become a received message",
  "  - opt-outs and block lists, which protect this person, and their entries in the audit",
  "  - ported numbers, which tell the operator of a number",
  "  - stored answers of an Idempotency-Key, which are kept for HODHOD_IDEMPOTENCY_HOURS (24 by default)",
  "  - backups",
];

export const commands: readonly Command[] = [
  {
    name: "erase",
    arguments: "<number>",
    options: { yes: "do not ask", json: "print the result as JSON" },
    help: `Erases the number and the texts of one person in sent and received messages, their receipts, events and campaign rows.
Bills and statuses stay. This cannot be undone. The command works in small steps beside a running gateway. If it is
interrupted, run it again.`,
    examples: ["hodhod erase 09121112233", "hodhod erase 09121112233 --yes"],
    run: erase,
  },
];

async function erase(context: CommandContext, given: CommandLine): Promise<void> {
  const number = expectMobile(given.args[0]);
  if (!given.has("yes") && !(await isConfirmed(context, number))) throw new CommandFailed("nothing was erased");
  const erased = await withDatabase(context, { mode: "write" }, (db) =>
    erasePerson(db, { number, by: commandActor(), progress: progressLines(context, describeProgress) }),
  );
  if (given.has("json")) printJson(context, erased);
  else printErased(context, number, erased);
}

async function isConfirmed(context: CommandContext, number: Msisdn): Promise<boolean> {
  if (!isTerminal(context.stdin)) {
    throw wrongUsage("erasing cannot be undone, and there is no terminal to ask at", "add --yes");
  }
  for (const line of notTouched) note(context, line);
  return ask(context, `Erase the number and the texts of ${number}? This cannot be undone.`);
}

function describeProgress({ messages, received }: ErasedOfPerson, at: string): string {
  return `erased so far: ${messages} sent and ${received} received; now at ${at}`;
}

function printErased(context: CommandContext, number: Msisdn, erased: ErasedOfPerson): void {
  const rows = [
    ["messages sent", erased.messages],
    ["messages received", erased.received],
    ["parts received", erased.parts],
    ["receipts", erased.receipts],
    ["events", erased.events],
    ["rows of campaigns", erased.campaignRows],
    ["test messages in the audit", erased.traces],
  ].map((row) => row.map(String));
  printTable(context, [`erased for ${number}`, " rows"], rows);
  for (const line of notTouched) print(context, line);
  if (erased.waiting > 0) {
    print(
      context,
      `${counted(erased.waiting, "message")} still waiting. Cancel what should not be sent, and erase again when it has ended.`,
    );
  }
}
