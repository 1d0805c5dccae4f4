// The fields of a message in all lists of messages.
import { type FindingKey, findingCatalogue } from "../../texts/errors.ts";
import { type AnswerLanguage, localize } from "../../texts/localize.ts";
import { uuidv7Time } from "../../platform/uuid.ts";
import type { MessageRecord } from "../../sms/message-timeline.ts";
import type { ListedMessage } from "../../store/message-lists.ts";
import { describeReason } from "../../texts/reason-text.ts";
import { sendFaultText } from "../../events/representations.ts";
import type { Fault, FaultKey } from "../../sms/fault.ts";

/** A message of a list, or a record, in these fields. */
export function describeMessage(message: MessageRecord | ListedMessage, language: AnswerLanguage) {
  const { id, batchId, account, sender, recipient, operator, parts, cost, status, sendAt, sentAt, finalAt } = message;
  return {
    ...{ sentMessageId: id, batchId, account, senderNumber: sender, recipientNumber: recipient, operator, parts, cost },
    /** 0 waiting, 1 sent to the operator, 2 delivered, 3 not delivered, 4 not sent. */
    messageStatus: status,
    ...describeReason(message, language),
    ...{ acceptedAt: new Date(uuidv7Time(id)), sendAt, sentAt, finalAt },
  };
}

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
