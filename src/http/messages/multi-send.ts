// Reads the lists of a multi-message call and pairs them into messages (API spec 4.3–4.5, decisions §2). Pure. Each message is
// left to the rule book; only faults of the call itself are found here.
import type { FieldFinding } from "../../errors.ts";
import { cleanNumber } from "../../sms/msisdn.ts";
import { pairMessages } from "../../sms/pairing.ts";
import type { MessageDraft, RejectedMessage } from "../../sms/prepare-message.ts";
import { readContents, readNumbers, type GivenParameters, type GivenValue } from "../read-parameters.ts";
import { readSendTime } from "./send-time.ts";

export interface MultiSend {
  readonly drafts: readonly MessageDraft[];
  readonly sendAt?: Date | undefined;
  /** Faults of the call itself; empty when there are none. */
  readonly findings: readonly FieldFinding[];
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

/** `sendTimestamp` is the field's value where the method knows it. */
export function readMultiSend(
  parameters: GivenParameters,
  names: ListNames,
  { sendTimestamp, nowMs }: { sendTimestamp?: unknown; nowMs: number },
): MultiSend {
  const senders = cleanNumbers(parameters.list(names.senders));
  const recipients = cleanNumbers(parameters.list(names.recipients));
  const contents = readContents(parameters.list(names.contents));
  // Contents are paired by their place: one that is no text has none to be paired by.
  const pairing = pairMessages({ senders, recipients, contents: contents.map((_, place) => String(place)) });
  const time = readSendTime(sendTimestamp, nowMs);
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
    fields: [senders, recipients, contents.map((content) => content ?? null), time.seconds],
  };
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
  const findings = new Map<string, FieldFinding>();
  for (const { faults } of messages) {
    for (const { field = "", messageKey, values } of faults) {
      const name = pluralFields[field] ?? field;
      const key = `${name} ${messageKey} ${JSON.stringify(values)}`;
      if (!findings.has(key)) findings.set(key, { field: name, messageKey, values });
    }
  }
  return [...findings.values()].sort((a, b) => listOrder.indexOf(a.field) - listOrder.indexOf(b.field));
}

const listOrder = ["senderNumbers", "recipientNumbers", "contents"];
