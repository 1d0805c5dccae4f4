// Reads what POST send and POST preview take: one text, or one template, for one or several
// recipients. Pure. Checks only shapes and times; src/sms checks numbers, text and template.
import type { Operation } from "../../credentials/abilities.ts";
import type { FieldFinding } from "../../texts/errors.ts";
import { cleanNumber } from "../../sms/msisdn.ts";
import { type MessagePriority, messagePriority } from "../../sms/message-status.ts";
import { maximumListItems } from "../../sms/pairing.ts";
import type { MessageDraft } from "../../sms/prepare-message.ts";
import type { TemplateParameter } from "../../sms/template.ts";
import { readParameters } from "../messages/single-send.ts";
import { type JsonFields, isAbsent, scalarText } from "../read-parameters.ts";

export interface SendRequest {
  readonly drafts: readonly MessageDraft[];
  readonly sendAt?: Date | undefined;
  /** What the clients' API demands for the same send. */
  /** Of the table of operations. */
  readonly operation: Operation;
  readonly priority: MessagePriority;
  readonly findings: readonly FieldFinding[];
  /** The parsed fields, for the fingerprint of an Idempotency-Key. */
  readonly fields: readonly unknown[];
}

const maximumDaysAhead = 366;
/** More than fits into 30 parts, the most that can be allowed. */
export const longestText = 5000;
const dayMs = 86_400_000;
const timeForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;

export function readSendRequest(fields: JsonFields, nowMs: number): SendRequest {
  const findings: FieldFinding[] = [];
  const senderNumber = readSender(fields, findings);
  const recipients = readRecipients(fields, findings);
  const { content, templateId, parameters } = readWhat(fields, findings);
  const sendAt = readSendAt(fields.get("sendat"), nowMs, findings);
  const isTemplate = templateId !== undefined;
  const isOne = recipients.length === 1;
  return {
    drafts: recipients.map((recipientNumber) => ({
      ...{ senderNumber, recipientNumber, content, templateId, parameters },
      source: "json",
    })),
    ...(sendAt !== undefined && { sendAt }),
    operation: isTemplate ? "sendTemplate" : isOne ? "sendText" : "sendBulk",
    priority: isOne ? messagePriority[isTemplate ? "oneTimeCode" : "single"] : messagePriority.multi,
    findings,
    fields: [senderNumber ?? null, recipients, content ?? null, templateId ?? null, parameters ?? null, sendAt ?? null],
  };
}

function readSender(fields: JsonFields, findings: FieldFinding[]): string | undefined {
  const value = fields.get("sendernumber");
  if (isAbsent(value)) return undefined;
  const text = scalarText(value);
  if (text === undefined) findings.push({ field: "senderNumber", messageKey: "field.notText" });
  return text === undefined ? undefined : cleanNumber(text, "json");
}

function readRecipients(fields: JsonFields, findings: FieldFinding[]): string[] {
  const field = "recipientNumbers";
  const value = fields.get("recipientnumbers");
  if (isAbsent(value)) {
    findings.push({ field, messageKey: "list.missing" });
    return [];
  }
  const list: unknown[] = Array.isArray(value) ? value : [value];
  if (list.length === 0) findings.push({ field, messageKey: "list.missing" });
  if (list.length > maximumListItems)
    findings.push({ field, messageKey: "list.tooLong", values: { maximum: maximumListItems } });
  return list.slice(0, maximumListItems).map((item) => cleanNumber(scalarText(item) ?? "", "json"));
}

interface What {
  readonly content?: string | undefined;
  readonly templateId?: string | undefined;
  readonly parameters?: readonly TemplateParameter[] | undefined;
}

function readWhat(fields: JsonFields, findings: FieldFinding[]): What {
  const content = fields.get("content");
  const template = fields.get("templateid");
  if (isAbsent(template)) return { content: typeof content === "string" ? content : undefined };
  if (!isAbsent(content)) findings.push({ field: "content", messageKey: "console.textOrTemplate" });
  const templateId = scalarText(template);
  if (templateId === undefined) findings.push({ field: "templateId", messageKey: "field.notText" });
  const parameters = isAbsent(fields.get("parameters")) ? [] : readParameters(fields, findings);
  return { templateId: templateId ?? "", parameters };
}

/** ISO 8601 with its zone, later than now. */
export function readSendAt(value: unknown, nowMs: number, findings: FieldFinding[]): Date | undefined {
  if (isAbsent(value)) return undefined;
  const field = "sendAt";
  const at = typeof value === "string" && timeForm.test(value) ? new Date(value) : undefined;
  if (at === undefined || Number.isNaN(at.getTime())) {
    findings.push({ field, messageKey: "console.sendAtForm" });
    return undefined;
  }
  if (at.getTime() <= nowMs) findings.push({ field, messageKey: "console.sendAtNotLater" });
  if (at.getTime() > nowMs + maximumDaysAhead * dayMs)
    findings.push({ field, messageKey: "console.sendAtTooFar", values: { days: maximumDaysAhead } });
  return at;
}
