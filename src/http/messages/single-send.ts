// Reads one message from the JSON fields of a send call. Pure. Checks only
// shapes and times; src/sms checks numbers, text and template.
import type { FieldFinding } from "../../texts/errors.ts";
import { cleanNumber } from "../../sms/msisdn.ts";
import { prepareMessage, type AccountTerms, type MessageDraft } from "../../sms/prepare-message.ts";
import type { TemplateParameter } from "../../sms/template.ts";
import {
  foldNames,
  isAbsent,
  isJsonObject,
  notText,
  scalarText,
  type JsonFields,
  readInteger,
} from "../read-parameters.ts";

export type SingleKind = "text" | "template";

export interface SingleSend {
  readonly kind: SingleKind;
  readonly draft: MessageDraft;
  readonly sendAt?: Date | undefined;
  /** Faults found so far; empty if there are none. */
  readonly findings: readonly FieldFinding[];
  /** The given time, in Unix seconds; null where there is none. */
  readonly sendSeconds: number | null;
}

/** `messages/send` with templateId and without content is a template send. */
export function isTemplateSend(fields: JsonFields): boolean {
  const id = fields.get("templateid");
  return id !== undefined && !isAbsent(id) && isAbsent(fields.get("content"));
}

export function readSingleSend(fields: JsonFields, kind: SingleKind, nowMs: number): SingleSend {
  const findings: FieldFinding[] = [];
  const senderNumber = readText(fields, "senderNumber", findings);
  const recipientNumber = readText(fields, "recipientNumber", findings) ?? "";
  const isText = kind === "text";
  const content = isText ? fields.get("content") : undefined;
  // Each field is named, because spreading another object takes 0.6 µs.
  const draft: MessageDraft = {
    senderNumber,
    recipientNumber,
    source: "json",
    content: typeof content === "string" ? content : undefined,
    templateId: isText ? undefined : readTemplateId(fields, findings),
    parameters: isText ? undefined : readParameters(fields, findings),
  };
  const givenTime = fields.get("sendtimestamp");
  if (givenTime === undefined) return { kind, draft, findings, sendSeconds: null };
  const { sendAt, finding, seconds } = readSendTime(givenTime, nowMs);
  if (finding !== undefined) findings.push(finding);
  return { kind, draft, sendAt, findings, sendSeconds: seconds };
}

/** The parsed fields, for the fingerprint of an Idempotency-Key. */
export function fieldsOfSingle({ draft, sendSeconds }: SingleSend): readonly unknown[] {
  const { senderNumber, recipientNumber, content, templateId, parameters } = draft;
  const sender = senderNumber === undefined ? null : cleanNumber(senderNumber, "json");
  const recipient = recipientNumber === "" ? null : cleanNumber(recipientNumber, "json");
  return [sender, recipient, content ?? templateId, parameters ?? null, sendSeconds];
}

/** All faults of a call that already has findings, in the order of the specification's tables. */
export function completeFindings({ draft, findings }: SingleSend, terms: AccountTerms): FieldFinding[] {
  const verdict = prepareMessage(draft, terms);
  const named = new Set(findings.map(({ field }) => field));
  const judged: FieldFinding[] = verdict.kind === "rejected" ? malformedFields(verdict.faults) : [];
  return [...judged.filter(({ field }) => !named.has(field)), ...findings].sort(
    (a, b) => fieldOrder.indexOf(a.field) - fieldOrder.indexOf(b.field),
  );
}

const fieldOrder = ["senderNumber", "recipientNumber", "content", "templateId", "parameters", "sendTimestamp"];

type Faults = Extract<ReturnType<typeof prepareMessage>, { kind: "rejected" }>["faults"];

/** The faults of code 1001 as findings about fields. */
export function malformedFields(faults: Faults): FieldFinding[] {
  return faults
    .filter(({ code }) => code === 1001)
    .map(({ field, messageKey, values }) => ({ field: field ?? "", messageKey, values }));
}

function readText(fields: JsonFields, field: string, findings: FieldFinding[]): string | undefined {
  const value = fields.get(field.toLowerCase());
  const text = scalarText(value);
  if (text === undefined && !isAbsent(value)) findings.push(notText(field, value));
  return text === "" ? undefined : text;
}

// An empty id names no template, so the rest of the message is checked without one.
function readTemplateId(fields: JsonFields, findings: FieldFinding[]): string {
  if (isAbsent(fields.get("templateid"))) findings.push({ field: "templateId", messageKey: "field.required" });
  return readText(fields, "templateId", findings) ?? "";
}

function readParameters(fields: JsonFields, findings: FieldFinding[]): TemplateParameter[] {
  const value = fields.get("parameters");
  if (isAbsent(value)) {
    findings.push({ field: "parameters", messageKey: "field.required" });
    return [];
  }
  if (!Array.isArray(value)) {
    findings.push({ field: "parameters", messageKey: "parameters.form" });
    return [];
  }
  return (value as unknown[]).map(readParameter).filter((parameter) => parameter !== undefined);
}

/**
 * An empty text is a value and null is a missing one. A parameter
 * without a name is surplus and ignored. A value that is not text is left to the template, which
 * may not need it.
 */
function readParameter(value: unknown): TemplateParameter | undefined {
  if (!isJsonObject(value)) return undefined;
  const fields = foldNames(value);
  const name = scalarText(fields.get("name"));
  const given = fields.get("value") ?? null;
  const text = given === null ? null : scalarText(given);
  return name === undefined ? undefined : { name, value: text };
}

// Reads sendTimestamp: whole Unix seconds, later than now, at most 366
// days ahead. Pure.

const maximumDaysAhead = 366;
const dayMs = 86_400_000;

export interface SendTime {
  readonly sendAt?: Date;
  readonly finding?: FieldFinding;
  /** As given, for a request's fingerprint; null when absent. */
  readonly seconds: number | null;
}

export function readSendTime(value: unknown, nowMs: number): SendTime {
  if (isAbsent(value)) return { seconds: null };
  const seconds = readInteger(value);
  if (seconds === undefined) return { seconds: null, finding: finding("sendTimestamp.notInteger") };
  const ms = seconds * 1000;
  if (ms <= nowMs) return { seconds, finding: finding("sendTimestamp.notLater") };
  if (ms > nowMs + maximumDaysAhead * dayMs) return { seconds, finding: finding("sendTimestamp.tooFar") };
  return { seconds, sendAt: new Date(ms) };
}

function finding(
  messageKey: "sendTimestamp.notInteger" | "sendTimestamp.notLater" | "sendTimestamp.tooFar",
): FieldFinding {
  return { field: "sendTimestamp", messageKey, values: { days: maximumDaysAhead } };
}
