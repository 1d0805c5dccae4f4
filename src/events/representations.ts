// The JSON of answers: field names, types and order of the specification's tables. Written by
// hand because this is the hot path and the order is part of the contract. Absent values are
// omitted, never null.
import { costlyCharacters } from "../sms/segmentation.ts";
import { errorCatalogue, findingCatalogue } from "../texts/errors.ts";
import { type AnswerLanguage, localize } from "../texts/localize.ts";
import { describeReason } from "../texts/reason-text.ts";
import type { AcceptedBatch, AcceptedMessage } from "../intake/assemble-call.ts";
import type { Fault } from "../sms/fault.ts";
import { messageStatus } from "../sms/message-status.ts";
import { formatRials } from "../sms/money.ts";
import type { PreparedMessage, RejectedMessage } from "../sms/prepare-message.ts";
import type { StoredMessage } from "../store/message-reads.ts";
import type { OptOut } from "../store/opt-outs.ts";
import type { ReceivedMessage } from "../store/received-lists.ts";

const quote = JSON.stringify as (text: string) => string;

/** The fields of a message in every answer, except sentMessageId and messageStatus. */
type MessageFields = Pick<
  PreparedMessage,
  "senderNumber" | "recipientNumber" | "content" | "language" | "operator" | "parts" | "cost"
>;

function messageFields(message: MessageFields): string {
  return (
    `"senderNumber":${quote(message.senderNumber)},"recipientNumber":${quote(message.recipientNumber)}` +
    `,"content":${quote(message.content)},"language":${quote(message.language)},"operator":${quote(message.operator)}` +
    `,"parts":"${message.parts}","cost":"${formatRials(message.cost)}"`
  );
}

function sentMessage(message: AcceptedMessage): string {
  return `{"sentMessageId":"${message.id}",${messageFields(message)},"messageStatus":${messageStatus.waiting}}`;
}

// Faulty values that are returned to the caller may contain lone surrogates, which some clients
// cannot read.
const loneSurrogate = /\p{Surrogate}/gu;

function repeat(text: string): string {
  return quote(text.replace(loneSurrogate, "\uFFFD"));
}

function failedMessage(message: RejectedMessage, language: AnswerLanguage): string {
  const fault = message.faults[0];
  return (
    `{"senderNumber":${repeat(message.senderNumber)},"recipientNumber":${repeat(message.recipientNumber)}` +
    `,"content":${repeat(message.content)},"errorCode":${fault.code},"errorMessage":${quote(sendFaultText(fault, language))}}`
  );
}

export function sendFaultText(fault: Fault, language: AnswerLanguage): string {
  return localize(findingCatalogue[fault.messageKey], language, { ...fault.values, field: fault.field ?? "" });
}

/** The answer of a single send. */
export function singleAnswer({ batchId, messages }: AcceptedBatch): string {
  const message = messages[0];
  if (message?.kind !== "prepared") throw new Error("a single send was accepted without its message");
  return `{"batchId":"${batchId}","message":${sentMessage(message)}}`;
}

/**
 * The answer of a multi-message send: sent and failed messages in the given order.
 */
export function batchAnswer({ batchId, messages }: AcceptedBatch, language: AnswerLanguage): string {
  const elements = messages.map((message) =>
    message.kind === "prepared" ? sentMessage(message) : failedMessage(message, language),
  );
  return `{"batchId":"${batchId}","messages":[${elements.join(",")}]}`;
}

export function failedMessages(messages: readonly RejectedMessage[], language: AnswerLanguage): string {
  return `[${messages.map((message) => failedMessage(message, language)).join(",")}]`;
}

/**
 * Whether the texts of all these messages fit into that many octets of an answer. Stops as soon as
 * the result is known.
 */
export function textsFitInto(maximumOctets: number, messages: readonly RejectedMessage[]): boolean {
  let octets = 0;
  for (const { senderNumber, recipientNumber, content } of messages) {
    for (const text of [senderNumber, recipientNumber, content]) octets += Buffer.byteLength(repeat(text));
    if (octets > maximumOctets) return false;
  }
  return true;
}

function previewedMessage(message: PreparedMessage, language: AnswerLanguage): string {
  return `{${messageFields(message)},"messageStatus":${messageStatus.waiting}${previewedReview(message, language)}${seconds("sendTimestamp", message.sendAt ?? null)},"encoding":"${message.encoding}"${previewedCostly(message)}}`;
}

function previewedCostly({ content }: PreparedMessage): string {
  const costly = costlyCharacters(content);
  return costly.length === 0 ? "" : `,"costlyCharacters":${JSON.stringify(costly)}`;
}

function previewedReview({ review }: PreparedMessage, language: AnswerLanguage): string {
  if (review === undefined) return "";
  return `,"errorCode":${errorCatalogue.inReview.code},"errorMessage":${quote(localize(errorCatalogue.inReview, language))}`;
}

/** The send answers without ids. */
export function previewAnswer(message: PreparedMessage, language: AnswerLanguage): string {
  return `{"message":${previewedMessage(message, language)}}`;
}

export function previewBatchAnswer(
  messages: readonly (PreparedMessage | RejectedMessage)[],
  language: AnswerLanguage,
): string {
  const elements = messages.map((message) =>
    message.kind === "prepared" ? previewedMessage(message, language) : failedMessage(message, language),
  );
  return `{"messages":[${elements.join(",")}]}`;
}

/** An element of a status answer: the present state of the message. */
export function messageState(message: StoredMessage, language: AnswerLanguage): string {
  const { content, language: textLanguage, operator, parts, cost } = message;
  // Key by key: a spread of all columns would take as long as all else here.
  const fields = {
    senderNumber: message.givenSender ?? message.sender,
    recipientNumber: message.givenRecipient ?? message.recipient,
    ...{ content, language: textLanguage, operator, parts, cost },
  };
  return (
    `{"sentMessageId":"${message.id}",${messageFields(fields)},"messageStatus":${message.status}` +
    `${stateReason(message, language)},"batchId":"${message.batchId}"` +
    `${seconds("sendTimestamp", message.sendAt)}${seconds("sentTimestamp", message.sentAt)}` +
    `${seconds("finalTimestamp", message.finalAt)}${erased(message.content === "")}}`
  );
}

function stateReason(message: StoredMessage, language: AnswerLanguage): string {
  if (message.reason === null) return "";
  const { errorCode, errorMessage = "", failureKind } = describeReason(message, language);
  if (errorCode === undefined) return "";
  const why = failureKind === undefined ? "" : `,"reason":"${failureKind}"`;
  return `,"errorCode":${errorCode},"errorMessage":${quote(errorMessage)}${why}`;
}

function seconds(field: string, time: Date | null): string {
  return time === null ? "" : `,"${field}":${Math.floor(time.getTime() / 1000)}`;
}

/** An element for an id that is no message of the account. `id` is a UUID. */
export function unknownMessage(id: string, language: AnswerLanguage): string {
  const { code } = errorCatalogue.unknownMessageId;
  const text = quote(localize(errorCatalogue.unknownMessageId, language));
  return `{"sentMessageId":${quote(id)},"errorCode":${code},"errorMessage":${text}}`;
}

/** The last key of a message whose text was erased. A text that was sent is never empty. */
function erased(isErased: boolean): string {
  return isErased ? ',"contentErased":true' : "";
}

export function receivedMessage(message: ReceivedMessage): string {
  const { id, sender, recipient, content, receivedAt, contentErased } = message;
  return (
    `{"receivedMessageId":"${id}","senderNumber":${quote(sender)},"recipientNumber":${quote(recipient)}` +
    `,"content":${quote(content)},"receivedTimestamp":${Math.floor(receivedAt.getTime() / 1000)}` +
    `${erased(contentErased)}}`
  );
}

/** The element of `opt-outs`, and the data of the events of a word. */
export function optOutElement({ line, number, how, createdAt }: OptOut): object {
  return { lineNumber: line, recipientNumber: number, how, createdTimestamp: Math.floor(createdAt.getTime() / 1000) };
}

export function optOutJson(entry: OptOut): string {
  return JSON.stringify(optOutElement(entry));
}
