// GET send, POST send and POST preview: what customers send by hand goes through the ordinary
// intake, with the permissions and checks of the clients' API. Below: batches, and canceling.
import { hasPermission, type Permission } from "../../credentials/abilities.ts";
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
import { type ConsoleEndpoints, consoleJson, type Json } from "./console-endpoint.ts";
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
  const render = (batch: AcceptedBatch): string => consoleJson(describeBatch(batch, sendAt, language));
  return acceptSend(call, { account, drafts, sendAt, priority }, idempotency.key, { render, refuse });
}

function describeBatch({ batchId, messages }: AcceptedBatch, sendAt: Date | undefined, language: AnswerLanguage) {
  return {
    batchId,
    sendAt,
    /** In the order of the recipients. */
    messages: messages.map((message) => ({
      ...(message.kind === "prepared" && { sentMessageId: message.id }),
      ...describeVerdict(message, language),
    })),
  };
}

interface Verdict {
  readonly senderNumber: string;
  readonly recipientNumber: string;
  readonly operator?: string;
  readonly encoding?: string;
  readonly parts?: number;
  readonly cost?: bigint;
  /** Why this message is not sent; 1308: it is sent when staff allow it. */
  readonly errorCode?: number;
  readonly errorMessage?: string;
}

function describeVerdict(
  verdict: PreparedMessage | AcceptedMessage | RejectedMessage,
  language: AnswerLanguage,
): Verdict {
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

export const sendingEndpoints = {
  "GET /send": {
    needs: sendsAny,
    summary: "What can be sent, and from which lines",
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
  "POST /preview": {
    needs: "preview",
    isFree: true,
    summary: "Parts, encoding and price of a send, and what would be refused",
    description: "Takes the body of `POST send`. Nothing is sent, stored or charged.",
    body: sendBody,
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
  "POST /send": {
    needs: sendsAny,
    isFree: true,
    summary: "Send a text or a template",
    description:
      "200 means that the accepted messages are stored and will be sent. Takes an `Idempotency-Key` header as the clients' API does: " +
      "the same call again within 24 hours sends nothing and gets the same answer. Each message is judged by itself; if none can be " +
      "sent, the answer is 400.",
    body: sendBody,
    errors: [409, 422],
    handle: async (call) => {
      const account = call.ownAccount;
      const wanted = readSendRequest(call.readBody(sendBody), Date.now());
      call.expectMay([wanted.operation]);
      limitRate(call.api, call.reply, { account });
      return JSON.parse(await accept(call, account, wanted)) as Json<ReturnType<typeof describeBatch>>;
    },
  },
} satisfies ConsoleEndpoints;

// GET batches/{id}, POST batches/{id}/cancel and POST messages/{id}/cancel: what became of a call,
// and canceling what of it still waits.

function cancel(summary: string) {
  return {
    needs: "cancel",
    summary,
    description: "Messages that were submitted, even in part, are left alone. Canceled ones are refunded.",
    handle: async (call: ConsoleCall) => {
      const accountId = call.session.account?.id;
      const by = call.actor;
      const found = await cancelWaiting(call.work, call.id, { by, accountId });
      if (found === undefined) throw ApiError.notThere();
      reportUnsent(call.parts.telemetry, reasonCode.canceled, found.canceled);
      return found;
    },
  } as const;
}

export const batchEndpoints = {
  "GET /batches/{id}": {
    needs: "readMessages",
    summary: "What became of the messages of one call",
    handle: async (call) => {
      const batchId = call.id;
      const found = await summarizeBatch(call.reads, { batchId, accountId: call.session.account?.id });
      if (found === undefined) throw ApiError.notThere();
      return { batchId, acceptedAt: new Date(uuidv7Time(batchId)), ...found };
    },
  },
  "POST /batches/{id}/cancel": cancel("Cancel what of a batch waits"),
  "POST /messages/{id}/cancel": cancel("Cancel a waiting message"),
} satisfies ConsoleEndpoints;
