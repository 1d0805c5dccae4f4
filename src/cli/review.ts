// hodhod review: lists the messages that a content rule holds for review, and allows or refuses
// them.
import { Command } from "commander";
import { CommandFailed, exitCode } from "../platform/command-failed.ts";
import { type Decision, decideReview } from "../intake/decide-review.ts";
import type { Database } from "../store/database.ts";
import { listReview, type ReviewChoice, type ReviewedMessage, type ReviewFilter } from "../store/review.ts";
import { isUuid } from "../platform/uuid.ts";
import { commandActor } from "./command-actor.ts";
import { type CommandContext, print, printJson } from "./command-context.ts";
import { setResult, withExamples } from "./command-parts.ts";
import { counted } from "./counted.ts";
import { findAccount } from "./find-account.ts";
import { writeJsonList } from "./json-list.ts";
import { formatTime } from "./read-time.ts";
import { withDatabase } from "./with-database.ts";

interface ListFlags {
  readonly account?: string;
  readonly rule?: string;
  readonly json?: boolean;
}

interface DecideFlags {
  readonly batch?: string;
  readonly rule?: string;
  readonly json?: boolean;
}

const description = `Messages that a content rule holds for review wait until staff allow them, refuse them, or their validity ends. Refused
messages end as not sent (4) with 1309, and their charge is refunded.`;

const pageSize = 500;

export function reviewCommand(context: CommandContext): Command {
  return new Command("review")
    .description(description)
    .addCommand(listCommand(context))
    .addCommand(
      decideCommand(context, "allow", "Sends messages in review at their time, or at once if that has passed."),
    )
    .addCommand(
      decideCommand(context, "refuse", "Ends messages in review as not sent (4) with 1309, and refunds them."),
    );
}

function listCommand(context: CommandContext): Command {
  const command = new Command("list")
    .description("Lists the messages in review with their texts, oldest first.")
    .option("--account <name>", "only messages of this account")
    .option("--rule <name>", "only messages that this rule holds")
    .option("--json", "print the list as JSON")
    .action((flags: ListFlags) =>
      withDatabase(context, { mode: "read" }, async (db) => {
        const accountId = flags.account === undefined ? undefined : (await findAccount(db, flags.account)).id;
        const pages = pagesOf(db, { accountId, rule: flags.rule });
        if (flags.json === true) await writeJsonList(context, pages, (message) => message);
        else await writeList(context, pages);
      }),
    );
  return withExamples(command, "hodhod review list", "hodhod review list --account shop --rule links");
}

async function* pagesOf(db: Database, filter: ReviewFilter): AsyncGenerator<readonly ReviewedMessage[]> {
  let next: string | undefined = "00000000-0000-0000-0000-000000000000";
  while (next !== undefined) {
    const after: string = next;
    const page: ReviewedMessage[] = await db.transaction((tx) => listReview(tx, filter, { after, limit: pageSize }));
    if (page.length > 0) yield page;
    next = page.length === pageSize ? page.at(-1)?.messageId : undefined;
  }
}

async function writeList(context: CommandContext, pages: AsyncIterable<readonly ReviewedMessage[]>): Promise<void> {
  let isEmpty = true;
  for await (const page of pages) {
    for (const message of page) print(context, describe(message));
    isEmpty = false;
  }
  if (isEmpty) print(context, "No message waits for review.");
}

/** One line each: line breaks and control characters of a text are shown as escapes. */
function describe({
  messageId,
  account,
  rule,
  sender,
  recipient,
  content,
  sendAt,
  validUntil,
}: ReviewedMessage): string {
  const time = sendAt === null ? "" : `, to be sent at ${formatTime(sendAt)}`;
  const head = `${messageId}  ${account}  ${rule}  from ${sender} to ${recipient}${time}, until ${formatTime(validUntil)}`;
  return `${head}: ${JSON.stringify(content).replace(/\p{Cf}/gu, "")}`;
}

function decideCommand(context: CommandContext, decision: Decision, does: string): Command {
  const command = new Command(decision)
    .description(`${does} Give their ids, or --batch, or --rule.`)
    .argument("[sentMessageId...]", "as returned by the API")
    .option("--batch <batchId>", "all messages of this batch that are in review")
    .option("--rule <name>", "all messages that this rule holds")
    .option("--json", "print the result as JSON")
    .action(async (ids: string[], flags: DecideFlags) => {
      const choice = readChoice(ids, flags);
      const count = await withDatabase(context, { mode: "write" }, (db) =>
        decideReview(db, commandActor(), { decision, choice }),
      );
      if (flags.json === true) printJson(context, { decision, messages: count });
      else print(context, `${counted(count, "message")} ${decision === "allow" ? "allowed" : "refused"}`);
      if (count === 0) setResult(command, exitCode.failed);
    });
  return withExamples(
    command,
    `hodhod review ${decision} 0199a7c2-5b1e-7000-9d4e-0123456789ab`,
    `hodhod review ${decision} --rule links`,
  );
}

function readChoice(ids: readonly string[], { batch, rule }: DecideFlags): ReviewChoice {
  const given = [ids.length > 0, batch !== undefined, rule !== undefined].filter(Boolean).length;
  if (given !== 1) throw new CommandFailed("give either ids, or --batch, or --rule", { usage: true });
  const wrong = [...ids, ...(batch === undefined ? [] : [batch])].find((id) => !isUuid(id));
  if (wrong !== undefined) throw new CommandFailed(`${wrong} is not an id of the API`, { usage: true });
  if (batch !== undefined) return { batchId: batch.toLowerCase() };
  return rule === undefined ? { messageIds: [...new Set(ids.map((id) => id.toLowerCase()))] } : { rule };
}
