// GET review and POST review/decision: messages that a content rule keeps until staff decide. Who
// decides sees texts, so each page that is looked at is written down.
import { array, input, oneOf, orAbsent, orDefault, plainText, uuidText } from "../json-schema.ts";
import { type Decision, decideReview } from "../../intake/decide-review.ts";
import { reportUnsent } from "../../events/message-ends.ts";
import { reasonCode } from "../../sms/message-status.ts";
import { insertAuditEntries } from "../../store/audit.ts";
import { type ReviewChoice, type ReviewedMessage, listReview } from "../../store/review.ts";
import { uuidv7Time } from "../../platform/uuid.ts";
import { type ConsoleEndpoints, pageFrom, pageParameters } from "./console-endpoint.ts";
import { ApiError } from "../../texts/errors.ts";
import type { ConsoleCall } from "./console-call.ts";

const beforeAll = "00000000-0000-0000-0000-000000000000";
const decisions = ["allow", "refuse"] as const satisfies readonly Decision[];
/** Ids of one call. */
const mostIds = 1_000;
/** Of one call, so that it ends within a few seconds. */
const mostDecided = 10_000;

const decision = input({
  decision: oneOf(decisions),
  sentMessageIds: orAbsent(array(uuidText(), { maxItems: mostIds, uniqueItems: true })),
  batchId: orAbsent(uuidText()),
  rule: orAbsent(plainText()),
});

function describe(message: ReviewedMessage) {
  const { messageId, batchId, account, rule, sender, recipient, content, sendAt, validUntil } = message;
  return {
    ...{ sentMessageId: messageId, batchId, account, rule, senderNumber: sender, recipientNumber: recipient, content },
    ...{ acceptedAt: new Date(uuidv7Time(messageId)), sendAt, validUntil },
  };
}

function readDecision(call: ConsoleCall): { readonly decision: Decision; readonly choice: ReviewChoice } {
  const { decision: made, sentMessageIds: messageIds, batchId, rule } = call.readBody(decision);
  const given = [messageIds, batchId, rule].filter((each) => each !== undefined);
  if (given.length !== 1) throw ApiError.invalidParameter("sentMessageIds", "review.choice");
  if (batchId !== undefined) return { decision: made, choice: { batchId } };
  return { decision: made, choice: rule === undefined ? { messageIds: messageIds ?? [] } : { rule } };
}

const listParameters = {
  ...pageParameters,
  after: orDefault(uuidText(), beforeAll),
  account: orAbsent(plainText()),
  rule: orAbsent(plainText("Name of a content rule.")),
};

export const reviewEndpoints = {
  "GET /review": {
    needs: "reviewTexts",
    summary: "The messages that wait for a decision, with their texts",
    description: "Those that were accepted first come first. Each call that answers texts is written into the audit.",
    query: listParameters,
    handle: async (call) => {
      const { account: name, rule, after, count } = call.readQuery(listParameters);
      const account = await call.accountNamed(name);
      const filter = { accountId: account?.id, rule };
      const found = await call.reads.transaction((tx) => listReview(tx, filter, { after, limit: count + 1 }));
      const items = found.slice(0, count);
      if (items.length > 0) {
        const seen = items.map(({ messageId }) => messageId);
        await insertAuditEntries(call.work, call.actor, [
          { action: "use", kind: "messageText", name: "", account: account?.name, after: { sentMessageIds: seen } },
        ]);
      }
      return pageFrom(found, count, ({ messageId }) => messageId, describe);
    },
  },
  "POST /review/decision": {
    needs: "reviewTexts",
    summary: "Allow or refuse messages, of a batch, or all that one rule keeps",
    description:
      "Exactly one of sentMessageIds, batchId and rule. What is allowed goes at its time, or at once where that is past; what is refused ends with " +
      `1309 and its refund. A call decides at most ${mostDecided} messages; those that are decided or over are passed over.`,
    body: decision,
    handle: async (call) => {
      const { decision: given, choice } = readDecision(call);
      const by = call.actor;
      const count = await decideReview(call.work, by, { decision: given, choice, most: mostDecided });
      if (given === "refuse") reportUnsent(call.parts.telemetry, reasonCode.notAllowed, count);
      return { messages: count, more: count === mostDecided };
    },
  },
} satisfies ConsoleEndpoints;
