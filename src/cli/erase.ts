// hodhod erase: empties one person's number and texts, where the law or the person asks for it.
import { Command } from "commander";
import { CommandFailed } from "../platform/command-failed.ts";
import { type ErasedOfPerson, erasePerson } from "../maintenance/erase-person.ts";
import { cleanNumber, type Msisdn, parseRecipient } from "../sms/msisdn.ts";
import { ask, isTerminal } from "./ask.ts";
import { commandActor } from "./command-actor.ts";
import { note, print, printJson, type CommandContext } from "./command-context.ts";
import { withExamples } from "./command-parts.ts";
import { progressLines } from "./progress-lines.ts";
import { tableLines } from "./text-table.ts";
import { withDatabase } from "./with-database.ts";

interface EraseFlags {
  readonly yes?: boolean;
  readonly json?: boolean;
}

const description = `Erases the number and the texts of one person in sent and received messages, their receipts, events and campaign rows.
Bills and statuses stay. This cannot be undone. The command works in small steps beside a running gateway. If it is
interrupted, run it again.`;

const notTouched = [
  "Not erased:",
  "  - messages that still wait, and rows of campaigns that are not sent yet",
  "  - parts of received messages of which another part is missing: within a day they become a received message",
  "  - opt-outs and block lists, which protect this person, and their entries in the audit",
  "  - ported numbers, which tell the operator of a number",
  "  - stored answers of an Idempotency-Key, which are kept for HODHOD_IDEMPOTENCY_HOURS (24 by default)",
  "  - backups",
];

export function eraseCommand(context: CommandContext): Command {
  const command = new Command("erase")
    .description(description)
    .argument("<number>", "any form of a mobile number")
    .option("--yes", "do not ask")
    .option("--json", "print the result as JSON")
    .action((number: string, flags: EraseFlags) => erase(context, number, flags));
  return withExamples(command, "hodhod erase 09121112233", "hodhod erase 09121112233 --yes");
}

async function erase(context: CommandContext, given: string, { yes = false, json = false }: EraseFlags): Promise<void> {
  const number = parseRecipient(cleanNumber(given, "json"));
  if (number === undefined) {
    throw new CommandFailed(`${given} is not a mobile number`, { hint: "write it as 09121234567", usage: true });
  }
  if (!yes && !(await isConfirmed(context, number))) throw new CommandFailed("nothing was erased");
  const erased = await withDatabase(context, { mode: "write" }, (db) =>
    erasePerson(db, { number, by: commandActor(), progress: progressLines(context, describeProgress) }),
  );
  if (json) printJson(context, erased);
  else printErased(context, number, erased);
}

async function isConfirmed(context: CommandContext, number: Msisdn): Promise<boolean> {
  if (!isTerminal(context.stdin)) {
    throw new CommandFailed("erasing cannot be undone, and there is no terminal to ask at", {
      hint: "add --yes",
      usage: true,
    });
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
  for (const line of tableLines([`erased for ${number}`, " rows"], rows)) print(context, line);
  for (const line of notTouched) print(context, line);
  if (erased.waiting > 0) {
    const are = erased.waiting === 1 ? "1 message waits" : `${erased.waiting} messages wait`;
    print(context, `${are}. Cancel what should not be sent, and erase again when it has ended.`);
  }
}
