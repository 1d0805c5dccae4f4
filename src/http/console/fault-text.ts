// What is wrong with a message, for the pages: they have no fields of the clients' API to name.
import { findingCatalogue, type FindingKey } from "../../texts/errors.ts";
import { type AnswerLanguage, localize } from "../../texts/localize.ts";
import { sendFaultText } from "../../events/representations.ts";
import type { Fault, FaultKey } from "../../sms/fault.ts";

const spoken: Readonly<Partial<Record<FaultKey, FindingKey>>> = {
  "senderNumber.required": "console.noLine",
  "senderNumber.form": "console.notLine",
  "recipientNumber.required": "console.noRecipient",
  "recipientNumber.form": "console.notMobile",
  "content.required": "console.noText",
  "content.blank": "console.noText",
  "content.tooManyParts": "console.tooManyParts",
};

export function faultText(fault: Fault, language: AnswerLanguage): string {
  const key = spoken[fault.messageKey];
  return key === undefined
    ? sendFaultText(fault, language)
    : localize(findingCatalogue[key], language, fault.values ?? {});
}
