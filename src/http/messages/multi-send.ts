// Reads the lists of a multi-message call and pairs them into messages (API spec 4.3–4.5, decisions §2). Pure. Each message is
// left to the rule book; only faults of the call itself are found here.
import type { FieldFinding } from "../../errors.ts";
import { cleanNumber } from "../../sms/msisdn.ts";
import type { Fault, MessageField } from "../../sms/fault.ts";
import { maximumListItems, pairMessages } from "../../sms/pairing.ts";
import {
  prepareMessages,
  type AccountTerms,
  type MessageDraft,
  type RejectedMessage,
} from "../../sms/prepare-message.ts";
import { readContents, readNumbers, type GivenParameters, type GivenValue } from "../read-parameters.ts";
import { readSendTime } from "./send-time.ts";

interface GivenLists {
  readonly senders: readonly string[];
  readonly recipients: readonly string[];
  /** Undefined for what is no text. */
  readonly contents: readonly (string | undefined)[];
}

export interface MultiSend {
  readonly drafts: readonly MessageDraft[];
  readonly sendAt?: Date | undefined;
  /** Faults of the call itself; empty when there are none. */
  readonly findings: readonly FieldFinding[];
  /** What was given, whether or not it makes messages. */
  readonly lists: GivenLists;
  /** The parsed fields, for the fingerprint of an Idempotency-Key. */
  readonly fields: readonly unknown[];
}

export interface ListNames {
  readonly senders: string;
  readonly recipients: string;
  readonly contents: string;
}

/** Of the URL endpoints. */
export const singularNames: ListNames = { senders: "senderNumber", recipients: "recipientNumber", contents: "content" };

/** Of messages/send/bulk. */
export const pluralNames: ListNames = {
  senders: "senderNumbers",
  recipients: "recipientNumbers",
  contents: "contents",
};

export function readMultiSend(parameters: GivenParameters, names: ListNames, nowMs: number): MultiSend {
  const senders = cleanNumbers(parameters.list(names.senders));
  const recipients = cleanNumbers(parameters.list(names.recipients));
  const contents = readContents(parameters.list(names.contents));
  // Contents are paired by their place: one that is no text has none to be paired by.
  const pairing = pairMessages({ senders, recipients, contents: contents.map((_, place) => String(place)) });
  const time = readSendTime(parameters.last("sendTimestamp"), nowMs);
  const findings: FieldFinding[] = "faults" in pairing ? [...pairing.faults] : [];
  if (time.finding !== undefined) findings.push(time.finding);
  const pairs = "pairs" in pairing ? pairing.pairs : [];
  return {
    // Named one by one: spreading them takes 0.6 µs a message.
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

/** All that is wrong with a call that already has findings: its lists may hold malformed values besides. */
export function completeListFindings({ lists, findings }: MultiSend, terms: AccountTerms): FieldFinding[] {
  const named = new Set(findings.map(({ field }) => field));
  const judged = prepareMessages(draftsOf(lists), terms).flatMap((verdict, place) =>
    verdict.kind === "prepared" ? [] : verdict.faults.filter((fault) => isGivenAt(lists, fault, place)),
  );
  return [...distinctFindings(judged).filter(({ field }) => !named.has(field)), ...findings].sort(byListOrder);
}

/** The values of each list by their places, which need not fit together. */
function draftsOf({ senders, recipients, contents }: GivenLists): MessageDraft[] {
  const length = Math.min(Math.max(senders.length, recipients.length, contents.length), maximumListItems);
  return Array.from({ length }, (_, place) => ({
    senderNumber: senders[place],
    recipientNumber: recipients[place] ?? "",
    content: contents[place],
    source: "json",
  }));
}

/** Whether a malformed value (1001) was given, and does not only lack a place in a shorter list. */
function isGivenAt({ senders, recipients, contents }: GivenLists, { code, field }: Fault, place: number): boolean {
  const lengths: Partial<Record<MessageField, number>> = {
    senderNumber: senders.length,
    recipientNumber: recipients.length,
    content: contents.length,
  };
  return code === 1001 && field !== undefined && place < (lengths[field] ?? 0);
}

// Each number is cleaned by the rule of where it came from; after that the source makes no difference.
function cleanNumbers(list: readonly GivenValue[]): string[] {
  return readNumbers(list).map(({ text, source }) => cleanNumber(text, source));
}

const pluralFields: Readonly<Record<string, string>> = {
  senderNumber: "senderNumbers",
  recipientNumber: "recipientNumbers",
  content: "contents",
};

/** What is malformed in messages of which none can be sent: each finding once, on the list's name (API spec 4.6). */
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
