// What POST send and POST preview take: one text, or one template, for one or several recipients.
// Pure. Checks only shapes and times; src/sms checks numbers, text and template.
import type { Operation } from "../../credentials/abilities.ts";
import type { FieldFinding } from "../../texts/errors.ts";
import { instantText } from "../../setup/read-value.ts";
import { cleanNumber } from "../../sms/msisdn.ts";
import { type MessagePriority, messagePriority } from "../../sms/message-status.ts";
import { maximumListItems } from "../../sms/pairing.ts";
import type { MessageDraft } from "../../sms/prepare-message.ts";
import { array, input, orAbsent, orDefault, plainText, time, type ValuesOf } from "../json-schema.ts";
import { scalarText } from "../read-parameters.ts";
import { byRule } from "./console-input.ts";

const maximumDaysAhead = 366;
/** More than fits into 30 parts, the most that can be allowed. */
export const longestText = 5000;
const dayMs = 86_400_000;

export const sendAtBody = {
  sendAt: orAbsent(
    byRule(
      time(`When to send, at most ${maximumDaysAhead} days ahead; absent: at once.`),
      instantText,
      "console.sendAtForm",
    ),
  ),
};

/** What is no number is refused with its message. */
const recipient = orDefault(
  byRule(plainText(), (value) => cleanNumber(scalarText(value) ?? "", "json"), "number.form"),
  "",
);

export const sendBody = input({
  senderNumber: orAbsent(plainText("A line of the account; a template may name its own.")),
  recipientNumbers: array(recipient, {
    maxItems: maximumListItems,
    description: `1 to ${maximumListItems} numbers, in any usual form.`,
  }),
  content: orAbsent(plainText({ maxLength: longestText, description: "The text, if there is no template." })),
  templateId: orAbsent(plainText()),
  parameters: orDefault(
    array(
      input({ name: plainText(), value: orDefault(plainText({ maxLength: 500 }), "") }),
      "Values of the template's placeholders, the same for all recipients.",
    ),
    [],
  ),
  ...sendAtBody,
});

export interface SendRequest {
  readonly drafts: readonly MessageDraft[];
  readonly sendAt?: Date | undefined;
  /** Of the table of operations: what the clients' API demands for the same send. */
  readonly operation: Operation;
  readonly priority: MessagePriority;
  readonly findings: readonly FieldFinding[];
  /** The parsed fields, for the fingerprint of an Idempotency-Key. */
  readonly fields: readonly unknown[];
}

export function readSendRequest(given: ValuesOf<(typeof sendBody)["properties"]>, nowMs: number): SendRequest {
  const { recipientNumbers, templateId, sendAt } = given;
  const senderNumber = given.senderNumber && cleanNumber(given.senderNumber, "json");
  const isTemplate = templateId !== undefined;
  const isOne = recipientNumbers.length === 1;
  const content = isTemplate ? undefined : given.content;
  const parameters = isTemplate ? given.parameters : undefined;
  const findings = findLateness(sendAt, nowMs);
  if (recipientNumbers.length === 0) findings.push({ field: "recipientNumbers", messageKey: "list.missing" });
  if (isTemplate && given.content !== undefined)
    findings.push({ field: "content", messageKey: "console.textOrTemplate" });
  return {
    drafts: recipientNumbers.map((recipientNumber) => ({
      ...{ senderNumber, recipientNumber, content, templateId, parameters },
      source: "json",
    })),
    sendAt,
    operation: isTemplate ? "sendTemplate" : isOne ? "sendText" : "sendBulk",
    priority: isOne ? messagePriority[isTemplate ? "oneTimeCode" : "single"] : messagePriority.multi,
    findings,
    fields: [senderNumber, recipientNumbers, content, templateId, parameters, sendAt],
  };
}

/** Later than now. Not a fault of the form: a call that is repeated with its key may be late by then. */
export function findLateness(sendAt: Date | undefined, nowMs: number): FieldFinding[] {
  if (sendAt === undefined) return [];
  const field = "sendAt";
  if (sendAt.getTime() <= nowMs) return [{ field, messageKey: "console.sendAtNotLater" }];
  if (sendAt.getTime() <= nowMs + maximumDaysAhead * dayMs) return [];
  return [{ field, messageKey: "console.sendAtTooFar", values: { days: maximumDaysAhead } }];
}
