// hodhod find: lists the messages to one number across all accounts, newest first, for support
// staff. Never shows a text.
import { Command } from "commander";
import { cleanNumber, parseRecipient, type Msisdn } from "../sms/msisdn.ts";
import type { Database } from "../store/database.ts";
import { walkPages } from "../store/messages-to-number.ts";
import { findMessagesTo, type FoundMessage } from "../store/staff-lookups.ts";
import { CommandFailed } from "../platform/command-failed.ts";
import { print, type CommandContext } from "./command-context.ts";
import { withExamples } from "./command-parts.ts";
import { statusWords } from "./gateway-client.ts";
import { writeJsonList } from "./json-list.ts";
import { formatTime, readTime, timeForm } from "./read-time.ts";
import { tableLines } from "./text-table.ts";
import { withDatabase } from "./with-database.ts";

interface FindFlags {
  readonly since?: string;
  readonly json?: boolean;
}

const messagesAPage = 1000;

const description = `Lists the messages to a number across all accounts, newest first, with their current status. The list includes
messages that were accepted a moment ago. hodhod message shows the history of one message.`;

export function findCommand(context: CommandContext): Command {
  const command = new Command("find")
    .description(description)
    .argument("<number>", "the recipient's number, such as 09121234567 or +989121234567")
    .option("--since <time>", `leave out messages accepted before: ${timeForm}`)
    .option("--json", "print the messages as JSON")
    .action((number: string, flags: FindFlags) => find(context, number, flags));
  return withExamples(command, "hodhod find 09121234567", "hodhod find 09121234567 --since 2026-11-20 --json");
}

async function find(context: CommandContext, number: string, flags: FindFlags): Promise<void> {
  const recipient = parseRecipient(cleanNumber(number, "json"));
  if (recipient === undefined) {
    throw new CommandFailed(`${number} is not a mobile number`, { hint: "write it as 09121234567", usage: true });
  }
  const since = flags.since === undefined ? 0 : readTime("--since", flags.since);
  await withDatabase(context, { mode: "read" }, async (db) => {
    const pages = listPages(db, recipient, since);
    if (flags.json === true) await writeJsonList(context, pages, messageJson);
    else await writeText(context, pages, flags.since);
  });
}

/** Week by week, so that the newest messages are shown before older weeks are read. */
async function* listPages(db: Database, recipient: Msisdn, since: number): AsyncGenerator<readonly FoundMessage[]> {
  const pages = walkPages<FoundMessage>(db, {
    fromMs: since,
    limit: messagesAPage,
    read: (tx, range, limit) => findMessagesTo(tx, { recipient, range, limit }),
    idOf: ({ sentMessageId }) => sentMessageId,
  });
  for await (const { page } of pages) if (page.length > 0) yield page;
}

async function writeText(
  context: CommandContext,
  pages: AsyncIterable<readonly FoundMessage[]>,
  since?: string,
): Promise<void> {
  let isEmpty = true;
  for await (const page of pages) {
    const rows = page.map(({ acceptedAt, account, sentMessageId, batchId, ...state }) => [
      formatTime(acceptedAt),
      describeStatus(state),
      account,
      sentMessageId,
      batchId,
    ]);
    const text = tableLines(["time (UTC)", "status", "account", "sentMessageId", "batchId"], rows);
    for (const line of isEmpty ? text : text.slice(1)) print(context, line);
    isEmpty = false;
  }
  if (isEmpty) print(context, `There are no messages to this number${since === undefined ? "" : ` since ${since}`}.`);
}

function describeStatus({ status, reason }: Pick<FoundMessage, "status" | "reason">): string {
  const word = statusWords[status];
  return reason === null ? word : `${word} ${reason}`;
}

function messageJson({ acceptedAt, account, sentMessageId, batchId, sender, status, reason }: FoundMessage): object {
  return {
    sentMessageId,
    batchId,
    account,
    time: acceptedAt,
    senderNumber: sender,
    messageStatus: status,
    ...(reason !== null && { errorCode: reason }),
  };
}
