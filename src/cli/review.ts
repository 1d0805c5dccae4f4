// hodhod review: lists the messages that a content rule holds for review, and allows or refuses
// them.
import { exitCode, wrongUsage } from "../platform/command-failed.ts";
import { type Decision, decideReview } from "../intake/decide-review.ts";
import { listReview, type ReviewChoice, type ReviewedMessage } from "../store/review.ts";
import { isUuid } from "../platform/uuid.ts";
import type { Command, CommandLine } from "./command.ts";
import { commandActor, findAccount, withDatabase } from "./database.ts";
import { counted, formatTime, readPages, print, printJson, printList, rowsOfPage } from "./output.ts";

const firstId = "00000000-0000-0000-0000-000000000000";

const list: Command = {
  name: "review list",
  options: {
    "account <name>": "only messages of this account",
    "rule <name>": "only messages that this rule holds",
    json: "print the list as JSON",
  },
  help: "Lists the messages in review with their texts, oldest first.",
  examples: ["hodhod review list", "hodhod review list --account shop --rule links"],
  run: async (context, given) => {
    const [account, rule] = [given.text("account"), given.text("rule")];
    await withDatabase(context, { mode: "read" }, async (db) => {
      const accountId = account === undefined ? undefined : (await findAccount(db, account)).id;
      const pages = readPages<ReviewedMessage>((last) =>
        db.transaction((tx) =>
          listReview(tx, { accountId, rule }, { after: last?.messageId ?? firstId, limit: rowsOfPage }),
        ),
      );
      await printList(context, pages, {
        json: given.has("json") ? (message) => message : undefined,
        headings: ["sentMessageId", "account", "rule", "from", "to", "send at (UTC)", "until (UTC)", "text"],
        row: (message) => [
          ...[message.messageId, message.account, message.rule, message.sender, message.recipient],
          message.sendAt === null ? "" : formatTime(message.sendAt),
          formatTime(message.validUntil),
          // On one line: line breaks and control characters are shown as escapes.
          JSON.stringify(message.content).replace(/\p{Cf}/gu, ""),
        ],
        none: "No message waits for review.",
      });
    });
  },
};

function decide(decision: Decision, help: string): Command {
  return {
    name: `review ${decision}`,
    arguments: "[sentMessageId...]",
    options: {
      "batch <batchId>": "all messages of this batch that are in review",
      "rule <name>": "all messages that this rule holds",
      json: "print the result as JSON",
    },
    help: `${help} Give their ids, or --batch, or --rule.`,
    examples: [
      `hodhod review ${decision} 0199a7c2-5b1e-7000-9d4e-0123456789ab`,
      `hodhod review ${decision} --rule links`,
    ],
    run: async (context, given) => {
      const choice = readChoice(given);
      const count = await withDatabase(context, { mode: "write" }, (db) =>
        decideReview(db, commandActor(), { decision, choice }),
      );
      if (given.has("json")) printJson(context, { decision, messages: count });
      else print(context, `${counted(count, "message")} ${decision === "allow" ? "allowed" : "refused"}`);
      return count === 0 ? exitCode.failed : 0;
    },
  };
}

export const commands: readonly Command[] = [
  list,
  decide("allow", "Sends messages in review at their time, or at once if that has passed."),
  decide("refuse", "Ends messages in review as not sent (4) with 1309, and refunds them."),
];

function readChoice(given: CommandLine): ReviewChoice {
  const [ids, batch, rule] = [given.args, given.text("batch"), given.text("rule")];
  const ways = [ids.length > 0, batch !== undefined, rule !== undefined].filter(Boolean).length;
  if (ways !== 1) throw wrongUsage("give either ids, or --batch, or --rule");
  const wrong = [...ids, ...(batch === undefined ? [] : [batch])].find((id) => !isUuid(id));
  if (wrong !== undefined) throw wrongUsage(`${wrong} is not an id of the API`);
  if (batch !== undefined) return { batchId: batch.toLowerCase() };
  return rule === undefined ? { messageIds: [...new Set(ids.map((id) => id.toLowerCase()))] } : { rule };
}
