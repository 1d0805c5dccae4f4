// hodhod find and cancel: messages across all accounts, for support staff. Never shows a text.
import { type CanceledMessages, cancelWaiting } from "../intake/cancel.ts";
import { exitCode, wrongUsage } from "../platform/command-failed.ts";
import { isUuid } from "../platform/uuid.ts";
import type { Msisdn } from "../sms/msisdn.ts";
import type { Database } from "../store/database.ts";
import { walkPages } from "../store/message-reads.ts";
import { findMessagesTo, type FoundMessage } from "../store/staff-lookups.ts";
import type { Command, CommandContext } from "./command.ts";
import { commandActor, withDatabase } from "./database.ts";
import { statusWords } from "./gateway-client.ts";
import { expectMobile } from "./number-files.ts";
import { counted, formatTime, print, printJson, printList, rowsOfPage, readTime, timeForm } from "./output.ts";

const findCommand: Command = {
  name: "find",
  arguments: "<number>",
  options: {
    "since <time>": `leave out messages accepted before: ${timeForm}`,
    json: "print the messages as JSON",
  },
  help: `Lists the messages to a number across all accounts, newest first, with their current status. The list includes
messages that were accepted a moment ago. hodhod message shows the history of one message.`,
  examples: ["hodhod find 09121234567", "hodhod find 09121234567 --since 2026-11-20 --json"],
  run: async (context, given) => {
    const recipient = expectMobile(given.args[0]);
    const since = readTime("since", given);
    await withDatabase(context, { mode: "read" }, (db) =>
      printList(context, listPages(db, recipient, since ?? 0), {
        json: given.has("json") ? messageJson : undefined,
        headings: ["time (UTC)", "status", "account", "sentMessageId", "batchId"],
        row: ({ acceptedAt, account, sentMessageId, batchId, status, reason }) => [
          formatTime(acceptedAt),
          reason === null ? statusWords[status] : `${statusWords[status]} ${reason}`,
          ...[account, sentMessageId, batchId],
        ],
        none: `There are no messages to this number${since === undefined ? "" : ` since ${given.text("since")}`}.`,
      }),
    );
  },
};

/** Week by week, so that the newest messages are shown before older weeks are read. */
async function* listPages(db: Database, recipient: Msisdn, since: number): AsyncGenerator<readonly FoundMessage[]> {
  const pages = walkPages<FoundMessage>(db, {
    fromMs: since,
    limit: rowsOfPage,
    read: (tx, range, limit) => findMessagesTo(tx, { recipient, range, limit }),
    idOf: ({ sentMessageId }) => sentMessageId,
  });
  for await (const { page } of pages) if (page.length > 0) yield page;
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

const cancelCommand: Command = {
  name: "cancel",
  arguments: "<id...>",
  options: { json: "print the result as JSON" },
  help: `Cancels waiting messages of any account, by batchIds or sentMessageIds: they end as not sent (4) with 1305, and their
charge is refunded. A message that was submitted to an operator, even in part, is not changed. The exit code is 1 if an
id is unknown or if none of its messages could be canceled.`,
  examples: [
    "hodhod cancel 0199a7c2-5b1e-7000-9d4e-0123456789ab",
    "hodhod cancel --json 0199a7c2-5b1e-7000-9d4e-0123456789ab 0199a7c2-6c00-7000-8a11-0123456789ab",
  ],
  run: async (context, given) => {
    const outcomes = await cancelAll(context, given.args);
    if (given.has("json")) printJson(context, outcomes);
    else for (const outcome of outcomes) print(context, describeOutcome(outcome));
    return outcomes.every((outcome) => "canceled" in outcome && outcome.canceled > 0) ? 0 : exitCode.failed;
  },
};

type Outcome = { readonly id: string } & (CanceledMessages | { readonly unknown: true });

async function cancelAll(context: CommandContext, given: readonly string[]): Promise<readonly Outcome[]> {
  const wrong = given.find((id) => !isUuid(id));
  if (wrong !== undefined) throw wrongUsage(`${wrong} is neither a batchId nor a sentMessageId`);
  const ids = [...new Set(given.map((id) => id.toLowerCase()))];
  return withDatabase(context, { mode: "write" }, async (db) => {
    const outcomes: Outcome[] = [];
    for (const id of ids)
      outcomes.push({ id, ...((await cancelWaiting(db, id, { by: commandActor() })) ?? { unknown: true as const }) });
    return outcomes;
  });
}

function describeOutcome(outcome: Outcome): string {
  const { id } = outcome;
  if ("unknown" in outcome) return `${id}: unknown batch or message`;
  const { canceled, canceledBefore, onTheirWay, over } = outcome;
  const parts = [
    ...(canceled > 0 ? [`${counted(canceled, "message")} canceled and refunded`] : []),
    ...(canceledBefore > 0 ? [`${counted(canceledBefore, "message")} already canceled`] : []),
    ...(onTheirWay > 0 ? [`${counted(onTheirWay, "message")} already on the way to the operator`] : []),
    ...(over > 0 ? [`${counted(over, "message")} already sent or ended`] : []),
  ];
  return `${id}: ${parts.join("; ")}`;
}

export const commands: readonly Command[] = [findCommand, cancelCommand];
