// The fields of a message in all lists of messages.
import { array, decimal, integer, literal, oneOf, orAbsent, plainText, time, uuidText } from "../json-schema.ts";
import { waitKinds } from "../../sms/wait-reason.ts";
import { failureKinds } from "../../sms/failure-reason.ts";
import { type FindingKey, findingCatalogue } from "../../texts/errors.ts";
import { type AnswerLanguage, localize } from "../../texts/localize.ts";
import { uuidv7Time } from "../../platform/uuid.ts";
import type { MessageRecord } from "../../sms/message-timeline.ts";
import type { ListedMessage } from "../../store/message-lists.ts";
import { describeReason } from "../../texts/reason-text.ts";
import { sendFaultText } from "../../events/representations.ts";
import type { Fault, FaultKey } from "../../sms/fault.ts";

export const messageFields = {
  sentMessageId: uuidText(),
  batchId: uuidText(),
  account: plainText(),
  senderNumber: plainText("The line."),
  recipientNumber: plainText("989…"),
  operator: plainText(),
  parts: integer(),
  cost: integer("In rials."),
  messageStatus: integer({
    minimum: 0,
    maximum: 4,
    description: "0 waiting, 1 sent to the operator, 2 delivered, 3 not delivered, 4 not sent.",
  }),
  errorCode: orAbsent(integer("The reason of statuses 3 and 4, and of open outcomes.")),
  errorMessage: orAbsent(plainText()),
  failureKind: orAbsent(
    oneOf(failureKinds, "Why it failed, where the settings of the connector say what the operator's code means."),
  ),
  failureText: orAbsent(plainText("The same in words; else what the operator said.")),
  acceptedAt: time("When the call was accepted."),
  sendAt: orAbsent(time("Of a scheduled message.")),
  sentAt: orAbsent(time("When the operator took it.")),
  finalAt: orAbsent(time("When it reached its final status.")),
};

/** A message of a list, or a record, in these fields. */
export function describeMessage(message: MessageRecord | ListedMessage, language: AnswerLanguage) {
  const { id, batchId, account, sender, recipient, operator, parts, cost, status, sendAt, sentAt, finalAt } = message;
  return {
    ...{ sentMessageId: id, batchId, account, senderNumber: sender, recipientNumber: recipient, operator, parts, cost },
    messageStatus: status,
    ...describeReason(message, language),
    ...{ acceptedAt: new Date(uuidv7Time(id)), sendAt, sentAt, finalAt },
  };
}

const forStaff = "For staff only.";

export const waitFields = {
  kind: oneOf(waitKinds),
  connectors: orAbsent(array(plainText(), forStaff)),
  answer: orAbsent(plainText(`The name of the operator's command_status. ${forStaff}`)),
  since: orAbsent(time()),
  until: orAbsent(time("When it goes on, as far as that is known.")),
  partsBefore: orAbsent(integer(`Due before it. ${forStaff}`)),
  isAtLeast: orAbsent(literal(true, "There may be more than `partsBefore`.")),
  partsPerSecond: orAbsent(decimal(`The limit of the connector. ${forStaff}`)),
};

export const contentErased = orAbsent(
  literal(true, "The text was erased, and is empty. Said where the text is answered."),
);

export const searchedTo = orAbsent(time("Set where the search stopped before its end: so far back it went."));

// What is wrong with a message, for the pages: they have no fields of the clients' API to name.

const spoken: Readonly<Partial<Record<FaultKey, FindingKey>>> = {
  "senderNumber.required": "console.noLine",
  "senderNumber.form": "console.notLine",
  "recipientNumber.required": "console.noRecipient",
  "recipientNumber.form": "console.notMobile",
  "content.required": "console.noText",
  "content.blank": "console.noText",
  "content.tooManyParts": "console.tooManyParts",
  "parameters.missingValue": "console.noValue",
};

export function faultText(fault: Fault, language: AnswerLanguage): string {
  const key = spoken[fault.messageKey];
  return key === undefined
    ? sendFaultText(fault, language)
    : localize(findingCatalogue[key], language, fault.values ?? {});
}
