// Reads the lists of a multi-message call and pairs them into messages.
// Pure. Finds only faults of the call itself; src/sms checks each message.
import type { FieldFinding } from "../../texts/errors.ts";
import { cleanNumber } from "../../sms/msisdn.ts";
import type { Fault, MessageField } from "../../sms/fault.ts";
import { maximumListItems, pairMessages } from "../../sms/pairing.ts";
import {
  prepareMessages,
  type AccountTerms,
  type MessageDraft,
  type RejectedMessage,
} from "../../sms/prepare-message.ts";
import { usualMaximum } from "../json-schema.ts";
import { readContents, readNumbers, type GivenParameters, type GivenValue } from "../read-parameters.ts";
import { readSendTime } from "./single-send.ts";

interface GivenLists {
  readonly senders: readonly string[];
  readonly recipients: readonly string[];
  /** Undefined for a value that is not text. */
  readonly contents: readonly (string | undefined)[];
}

export interface MultiSend {
  /** Empty if there are findings. */
  readonly drafts: readonly MessageDraft[];
  readonly sendAt?: Date | undefined;
  /** Faults of the call itself; empty if there are none. */
  readonly findings: readonly FieldFinding[];
  /** The given values, even if they do not form messages. */
  readonly lists: GivenLists;
  /** The parsed fields, for the fingerprint of an Idempotency-Key. */
  readonly fields: readonly unknown[];
}

export interface ListNames {
  readonly senders: string;
  readonly recipients: string;
  readonly contents: string;
}

/** For the URL endpoints. */
export const singularNames: ListNames = { senders: "senderNumber", recipients: "recipientNumber", contents: "content" };

/** For messages/send/bulk. */
export const pluralNames: ListNames = {
  senders: "senderNumbers",
  recipients: "recipientNumbers",
  contents: "contents",
};

export function readMultiSend(parameters: GivenParameters, names: ListNames, nowMs: number): MultiSend {
  const senders = cleanNumbers(parameters.list(names.senders));
  const recipients = cleanNumbers(parameters.list(names.recipients));
  const contents = readContents(parameters.list(names.contents));
  // Pairs contents by index, because a content that is not text has no value to pair by.
  const pairing = pairMessages({ senders, recipients, contents: contents.map((_, place) => String(place)) });
  const time = readSendTime(parameters.last("sendTimestamp"), nowMs);
  const found: readonly FieldFinding[] = [
    ...("faults" in pairing ? pairing.faults : []),
    ...tooLong("senderNumbers", senders),
    ...tooLong("recipientNumbers", recipients),
  ];
  const findings = found.map((finding) => withParameterName(finding, names));
  if (time.finding !== undefined) findings.push(time.finding);
  const pairs = findings.length === 0 && "pairs" in pairing ? pairing.pairs : [];
  return {
    // Each field is named, because spreading takes 0.6 µs per message.
    drafts: pairs.map(({ senderNumber, recipientNumber, content }) => ({
      senderNumber,
      recipientNumber,
      content: contents[Number(content)],
      source: "json",
    })),
    sendAt: time.sendAt,
    findings,
    lists: { senders, recipients, contents },
    fields: [senders, recipients, contents.map((content) => content ?? null), time.seconds],
  };
}

/** The text names the parameter that the caller writes. The field has one name in all calls (API spec 4.6). */
function withParameterName(finding: FieldFinding, { senders, recipients, contents }: ListNames): FieldFinding {
  const parameters: Readonly<Record<string, string>> = {
    senderNumbers: senders,
    recipientNumbers: recipients,
    contents,
  };
  return { ...finding, values: { ...finding.values, field: parameters[finding.field] ?? finding.field } };
}

/** Numbers of a URL may come together as one text, so that only the numbers can be measured. */
function tooLong(field: string, numbers: readonly string[]): FieldFinding[] {
  return numbers.some((number) => number.length > usualMaximum)
    ? [{ field, messageKey: "field.tooLong", values: { maximum: usualMaximum } }]
    : [];
}

/** All faults of a call that already has findings: its lists may also contain malformed values. */
export function completeListFindings({ lists, findings }: MultiSend, terms: AccountTerms): FieldFinding[] {
  const named = new Set(findings.map(({ field }) => field));
  const judged = prepareMessages(draftsOf(lists), terms).flatMap((verdict, place) =>
    verdict.kind === "prepared" ? [] : verdict.faults.filter((fault) => isGivenAt(lists, fault, place)),
  );
  return [...distinctFindings(judged).filter(({ field }) => !named.has(field)), ...findings].sort(byListOrder);
}

/** One draft per index, even if the lists do not fit together. */
function draftsOf({ senders, recipients, contents }: GivenLists): MessageDraft[] {
  const length = Math.min(Math.max(senders.length, recipients.length, contents.length), maximumListItems);
  return Array.from({ length }, (_, place) => ({
    senderNumber: senders[place],
    recipientNumber: recipients[place] ?? "",
    content: contents[place],
    source: "json",
  }));
}

/** Whether a malformed value (1001) was given, and not just absent from a shorter list. */
function isGivenAt({ senders, recipients, contents }: GivenLists, { code, field }: Fault, place: number): boolean {
  const lengths: Partial<Record<MessageField, number>> = {
    senderNumber: senders.length,
    recipientNumber: recipients.length,
    content: contents.length,
  };
  return code === 1001 && field !== undefined && place < (lengths[field] ?? 0);
}

// Cleans each number by the rule of its source. After that the source no longer matters.
function cleanNumbers(list: readonly GivenValue[]): string[] {
  return readNumbers(list).map(({ text, source }) => cleanNumber(text, source));
}

const pluralFields: Readonly<Record<string, string>> = {
  senderNumber: "senderNumbers",
  recipientNumber: "recipientNumbers",
  content: "contents",
};

/**
 * The malformed values of a call in which no message can be sent: each finding once, under the name
 * of its list.
 */
export function malformedLists(messages: readonly RejectedMessage[]): FieldFinding[] {
  return distinctFindings(messages.flatMap(({ faults }) => faults)).sort(byListOrder);
}

function distinctFindings(faults: readonly Fault[]): FieldFinding[] {
  const findings = new Map<string, FieldFinding>();
  for (const { field = "content", messageKey, values } of faults) {
    const name = pluralFields[field] ?? field;
    const key = `${name} ${messageKey} ${JSON.stringify(values)}`;
    if (!findings.has(key)) findings.set(key, { field: name, messageKey, values });
  }
  return [...findings.values()];
}

const listOrder = ["senderNumbers", "recipientNumbers", "contents", "sendTimestamp"];

function byListOrder(a: FieldFinding, b: FieldFinding): number {
  return listOrder.indexOf(a.field) - listOrder.indexOf(b.field);
}
