// GET send, POST send and POST preview: what customers send by hand goes through the ordinary
// intake, with the permissions and checks of the clients' API. Below: batches, and canceling.
import { hasPermission, type Permission } from "../../credentials/abilities.ts";
import { array, integer, object, oneOf, orAbsent, plainText, time, uuidText } from "../json-schema.ts";
import type { AcceptedBatch, AcceptedMessage } from "../../intake/assemble-call.ts";
import type { Account } from "../../directory/directory.ts";
import { ApiError, errorCatalogue } from "../../texts/errors.ts";
import { type AnswerLanguage, localize } from "../../texts/localize.ts";
import { maximumListItems } from "../../sms/pairing.ts";
import type { PreparedMessage, RejectedMessage } from "../../sms/prepare-message.ts";
import { findSpendableCredit } from "../../store/ledger.ts";
import {
  acceptSend,
  headerKey,
  keyOf,
  readIdempotencyKey,
  refuseInvalid,
  refuseSingle,
} from "../messages/accept-send.ts";
import { limitRate } from "../authenticate.ts";
import { type ConsoleEndpoint, consoleJson } from "./console-endpoint.ts";
import { faultText } from "./message-fields.ts";
import { readSendRequest, sendBody, type SendRequest } from "./send-request.ts";
import type { ConsoleCall } from "./console-call.ts";
import { cancelWaiting } from "../../intake/cancel.ts";
import { reportUnsent } from "../../events/message-ends.ts";
import { reasonCode } from "../../sms/message-status.ts";
import { uuidv7Time } from "../../platform/uuid.ts";
import { summarizeBatch } from "../../store/message-reads.ts";

const sendsAny = ["sendText", "sendBulk", "sendTemplate"] as const;
const sendingPermissions: readonly Permission[] = ["send", "send-bulk", "send-template", "preview", "cancel"];

const judged = {
  senderNumber: plainText(),
  recipientNumber: plainText(),
  operator: orAbsent(plainText()),
  encoding: orAbsent(oneOf(["gsm7", "ucs2"])),
  parts: orAbsent(integer()),
  cost: orAbsent(integer("In rials.")),
  errorCode: orAbsent(integer("Why this message is not sent; 1308: it is sent when staff allow it.")),
  errorMessage: orAbsent(plainText()),
};

const previewed = object({
  messages: array(object(judged)),
  accepted: integer(),
  refused: integer(),
  parts: integer("Of all accepted messages."),
  cost: integer("Of all accepted messages."),
  credit: orAbsent(
    integer("What the account can spend now; absent without a limit, and without the permission `balance`."),
  ),
});

const sent = object({
  batchId: uuidText(),
  sendAt: orAbsent(time("When it will be sent.")),
  messages: array(object({ sentMessageId: orAbsent(uuidText()), ...judged }), "In the order of the recipients."),
});

const options = object({
  lines: array(object({ number: plainText(), kind: plainText() })),
  templates: array(
    object({ id: plainText(), content: plainText(), sender: orAbsent(plainText()) }, "Approved ones only."),
  ),
  may: array(plainText(), "Permissions of the account that concern sending."),
  maximumParts: integer(),
  maximumRecipients: integer("Of one call."),
});

/** The body of the 200. */
function accept(
  call: ConsoleCall,
  account: Account,
  { drafts, sendAt, priority, findings, fields }: SendRequest,
): Promise<string> {
  const idempotency = keyOf(readIdempotencyKey(headerKey(call)), "console/send", fields);
  const language = call.language;
  const invalid = [...findings, ...idempotency.findings];
  if (invalid.length > 0)
    return refuseInvalid(call, account, idempotency.key, { findings: invalid, all: () => invalid });
  const render = (batch: AcceptedBatch): string => renderBatch(batch, sendAt, language);
  return acceptSend(call, { account, drafts, sendAt, priority }, idempotency.key, { render, refuse });
}

function renderBatch({ batchId, messages }: AcceptedBatch, sendAt: Date | undefined, language: AnswerLanguage): string {
  return consoleJson({
    batchId,
    sendAt,
    messages: messages.map((message) => ({
      ...(message.kind === "prepared" && { sentMessageId: message.id }),
      ...describeVerdict(message, language),
    })),
  });
}

function describeVerdict(
  verdict: PreparedMessage | AcceptedMessage | RejectedMessage,
  language: AnswerLanguage,
): object {
  const { senderNumber, recipientNumber } = verdict;
  if (verdict.kind === "rejected") {
    const fault = verdict.faults[0];
    return { senderNumber, recipientNumber, errorCode: fault.code, errorMessage: faultText(fault, language) };
  }
  const { operator, encoding, parts, cost, review } = verdict;
  return {
    ...{ senderNumber, recipientNumber, operator, encoding, parts, cost },
    ...(review !== undefined && {
      errorCode: errorCatalogue.inReview.code,
      errorMessage: localize(errorCatalogue.inReview, language),
    }),
  };
}

/** The fault of the only message, or of each recipient by its place. */
function refuse(messages: readonly RejectedMessage[]): ApiError {
  if (messages.length === 1) return refuseSingle(messages);
  const validationErrors = messages.map(({ faults: [{ messageKey, values }] }, index) => ({
    field: `recipientNumbers[${index}]`,
    messageKey,
    values,
  }));
  return new ApiError("nothingToSend", { validationErrors });
}

export const sendingEndpoints: readonly ConsoleEndpoint[] = [
  {
    method: "GET",
    path: "/send",
    needs: sendsAny,
    summary: "What can be sent, and from which lines",
    result: options,
    errors: [404],
    handle: async (call) => {
      const account = call.ownAccount;
      const { lines, maximumParts } = account.terms;
      return {
        lines: Array.from(lines.values(), ({ number, kind }) => ({ number, kind })),
        templates: (call.may("readTemplates") ? account.templates : [])
          .filter(({ approved }) => approved)
          .map(({ id, content, sender }) => ({ id, content, sender })),
        may: sendingPermissions.filter((permission) => hasPermission(account, permission)),
        maximumParts,
        maximumRecipients: maximumListItems,
      };
    },
  },
  {
    method: "POST",
    path: "/preview",
    needs: "preview",
    isFree: true,
    summary: "Parts, encoding and price of a send, and what would be refused",
    description: "Takes the body of `POST send`. Nothing is sent, stored or charged.",
    body: sendBody,
    result: previewed,
    handle: async (call) => {
      const account = call.ownAccount;
      const wanted = readSendRequest(call.readBody(sendBody), Date.now());
      if (wanted.findings.length > 0) throw ApiError.invalidParameters(wanted.findings);
      const verdicts = await call.parts.intake.preview(account, wanted.drafts);
      const prepared = verdicts.filter((verdict) => verdict.kind === "prepared");
      const credit = call.may("readCredit") ? await findSpendableCredit(call.reads, account.id) : "unlimited";
      const language = call.language;
      return {
        messages: verdicts.map((verdict) => describeVerdict(verdict, language)),
        accepted: prepared.length,
        refused: verdicts.length - prepared.length,
        parts: prepared.reduce((sum, { parts }) => sum + parts, 0),
        cost: prepared.reduce((sum, { cost }) => sum + cost, 0n),
        ...(credit !== "unlimited" && { credit }),
      };
    },
  },
  {
    method: "POST",
    path: "/send",
    needs: sendsAny,
    isFree: true,
    summary: "Send a text or a template",
    description:
      "200 means that the accepted messages are stored and will be sent. Takes an `Idempotency-Key` header as the clients' API does: " +
      "the same call again within 24 hours sends nothing and gets the same answer. Each message is judged by itself; if none can be " +
      "sent, the answer is 400.",
    body: sendBody,
    result: sent,
    errors: [409, 422],
    handle: async (call) => {
      const account = call.ownAccount;
      const wanted = readSendRequest(call.readBody(sendBody), Date.now());
      call.expectMay([wanted.operation]);
      limitRate(call.api, call.reply, { account });
      return JSON.parse(await accept(call, account, wanted)) as object;
    },
  },
];

// GET batches/{id}, POST batches/{id}/cancel and POST messages/{id}/cancel: what became of a call,
// and canceling what of it still waits.

const batch = object({
  batchId: uuidText(),
  account: plainText(),
  acceptedAt: time("When the call was accepted."),
  sendAt: orAbsent(time("Of a scheduled batch.")),
  messages: integer(),
  waiting: integer("Status 0."),
  sent: integer("Status 1: with the operator."),
  delivered: integer("Status 2."),
  undelivered: integer("Status 3."),
  unsent: integer("Status 4, refunded."),
  parts: integer(),
  cost: integer("What was charged."),
  refunded: integer("What was given back of it."),
});

const canceled = object({
  canceled: integer("Ended unsent, and refunded."),
  canceledBefore: integer("Canceled by an earlier call."),
  onTheirWay: integer("Too late: on their way to the operator."),
  over: integer("Sent, or ended for another reason."),
});

function cancel(path: string, summary: string): ConsoleEndpoint {
  return {
    method: "POST",
    path,
    needs: "cancel",
    summary,
    description: "Messages that were submitted, even in part, are left alone. Canceled ones are refunded.",
    result: canceled,
    handle: async (call) => {
      const accountId = call.session.account?.id;
      const by = call.actor;
      const found = await cancelWaiting(call.work, call.id, { by, accountId });
      if (found === undefined) throw ApiError.notThere();
      reportUnsent(call.parts.telemetry, reasonCode.canceled, found.canceled);
      return found;
    },
  };
}

export const batchEndpoints: readonly ConsoleEndpoint[] = [
  {
    method: "GET",
    path: "/batches/:id",
    needs: "readMessages",
    summary: "What became of the messages of one call",
    result: batch,
    handle: async (call) => {
      const batchId = call.id;
      const found = await summarizeBatch(call.reads, { batchId, accountId: call.session.account?.id });
      if (found === undefined) throw ApiError.notThere();
      return { batchId, acceptedAt: new Date(uuidv7Time(batchId)), ...found };
    },
  },
  cancel("/batches/:id/cancel", "Cancel what of a batch waits"),
  cancel("/messages/:id/cancel", "Cancel a waiting message"),
];
