// GET send, POST send and POST preview: what customers send by hand goes through the ordinary
// intake, with the permissions and checks of the clients' API.
import { hasPermission, type Permission } from "../../credentials/abilities.ts";
import { array, input, integer, object, oneOf, orAbsent, plainText, time, uuidText } from "../json-schema.ts";
import type { AcceptedBatch } from "../../intake/assemble-call.ts";
import type { Account } from "../../directory/directory.ts";
import { ApiError } from "../../texts/errors.ts";
import type { AnswerLanguage } from "../../texts/localize.ts";
import { maximumListItems } from "../../sms/pairing.ts";
import type { PreparedMessage, RejectedMessage } from "../../sms/prepare-message.ts";
import { findSpendableCredit } from "../../store/ledger.ts";
import { acceptSend, headerKey, keyOf, refuseSingle } from "../messages/accept-send.ts";
import { readIdempotencyKey } from "../idempotency-key.ts";
import { limitRate } from "../authenticate.ts";
import { type ConsoleEndpoint, consoleJson } from "./console-endpoint.ts";
import { faultText } from "./message-fields.ts";
import { longestText, readSendRequest, type SendRequest } from "./send-request.ts";
import type { ConsoleCall } from "./console-call.ts";

const sendsAny = ["sendText", "sendBulk", "sendTemplate"] as const;
const sendingPermissions: readonly Permission[] = ["send", "send-bulk", "send-template", "cancel"];

const sendBody = input({
  senderNumber: orAbsent(plainText("A line of the account; a template may name its own.")),
  recipientNumbers: array(plainText(), `1 to ${maximumListItems} numbers, in any usual form.`),
  content: orAbsent(plainText({ maxLength: longestText, description: "The text, if there is no template." })),
  templateId: orAbsent(plainText()),
  parameters: orAbsent(
    array(
      input({ name: plainText(), value: plainText({ maxLength: 500 }) }),
      "Values of the template's placeholders, the same for all recipients.",
    ),
  ),
  sendAt: orAbsent(time("When to send, at most 366 days ahead; absent: at once.")),
});

const judged = {
  senderNumber: plainText(),
  recipientNumber: plainText(),
  operator: orAbsent(plainText()),
  encoding: orAbsent(oneOf(["gsm7", "ucs2"])),
  parts: orAbsent(integer()),
  cost: orAbsent(integer("In rials.")),
  errorCode: orAbsent(integer("Why this message is not sent.")),
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
  return acceptSend(call, {
    ...{ account, drafts, sendAt, priority, key: idempotency.key, findings: invalid, refuse },
    allFindings: () => invalid,
    render: (batch) => renderBatch(batch, sendAt, language),
  });
}

function renderBatch({ batchId, messages }: AcceptedBatch, sendAt: Date | undefined, language: AnswerLanguage): string {
  return consoleJson({
    batchId,
    sendAt,
    messages: messages.map((message) => ({
      ...(message.kind === "prepared" && { sentMessageId: message.sentMessageId }),
      ...describeVerdict(message, language),
    })),
  });
}

export function describeVerdict(verdict: PreparedMessage | RejectedMessage, language: AnswerLanguage): object {
  const { senderNumber, recipientNumber } = verdict;
  if (verdict.kind === "rejected") {
    const fault = verdict.faults[0];
    return { senderNumber, recipientNumber, errorCode: fault.code, errorMessage: faultText(fault, language) };
  }
  const { operator, encoding, parts, cost } = verdict;
  return { senderNumber, recipientNumber, operator, encoding, parts, cost };
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
    operationId: "getSendOptions",
    summary: "What can be sent, and from which lines",
    tag: "Sending",
    result: options,
    errors: [404],
    handle: async (call) => {
      const account = call.ownAccount;
      const { lines, maximumParts } = account.terms;
      return {
        lines: [...lines.values()],
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
    needs: sendsAny,
    isFree: true,
    operationId: "previewSend",
    summary: "Parts, encoding and price of a send, and what would be refused",
    description: "Takes the body of `POST send`. Nothing is sent, stored or charged.",
    tag: "Sending",
    body: sendBody,
    result: previewed,
    handle: async (call) => {
      const account = call.ownAccount;
      const wanted = readSendRequest(call.fields, Date.now());
      call.expectMay([wanted.operation]);
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
    operationId: "send",
    summary: "Send a text or a template",
    description:
      "200 means that the accepted messages are stored and will be sent. Takes an `Idempotency-Key` header as the clients' API does: " +
      "the same call again within 24 hours sends nothing and gets the same answer. Each message is judged by itself; if none can be " +
      "sent, the answer is 400.",
    tag: "Sending",
    body: sendBody,
    result: sent,
    errors: [409, 422],
    handle: async (call) => {
      const account = call.ownAccount;
      const wanted = readSendRequest(call.fields, Date.now());
      call.expectMay([wanted.operation]);
      limitRate(call.api, call.reply, { account });
      return JSON.parse(await accept(call, account, wanted)) as object;
    },
  },
];
