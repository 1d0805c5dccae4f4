// What SMSCs send to us: delivery receipts of whatever form, and subscribers' messages. Reading
// them never fails, and what is read can be stored.
import { completeConnectorSettings } from "../src/connectors/connector-settings.ts";
import { readDelivered } from "../src/connectors/smpp/read-deliver-sm.ts";
import { formatDeliveryReceipt } from "../src/smpp/delivery-receipt.ts";
import { tlvTag } from "../src/smpp/constants.ts";
import type { DataSm, DeliverSm } from "../src/smpp/pdu.ts";
import { receiptIdCandidates } from "../src/sms/message-id-match.ts";
import { plainSubmitSm } from "../test/smpp/pdu-samples.ts";
import { mutateOctets, mutateText } from "./mutate.ts";
import type { Random } from "./random.ts";
import { defineTarget, demand, type Target } from "./target.ts";
import { octetsOf, textOfOctets, writeExpression, type Value } from "./value.ts";

export interface DeliveredInput {
  readonly [key: string]: Value;
  readonly command: string;
  readonly esmClass: number;
  readonly dataCoding: number;
  readonly source: string;
  readonly destination: string;
  readonly body: string;
  /** Tag and value. */
  readonly tlvs: readonly (readonly [number, string])[];
}

const receiptTexts: readonly string[] = [
  formatDeliveryReceipt({ messageId: "1234567890", state: "DELIVRD", submittedAt: 0, doneAt: 60_000, text: "hi" }),
  "id:0a1b2c3d sub:001 dlvrd:001 submit date:2401011200 done date:2401011201 stat:DELIVRD err:000 text:",
  "id=123 stat=UNDELIV err=011 submit_date=240101120000 done_date=240101120100 text=id:9 stat:X",
  "text:hello id:77 status:EXPIRED submit date:0000000000 done date:0000000000",
  "ID: 550e8400-e29b-41d4-a716-446655440000, STAT: REJECTD, ERROR: 255",
  "stat:DELIVRD",
  "",
  "سلام",
  "a plain message of a subscriber",
];

const knownTags = [
  tlvTag.receipted_message_id,
  tlvTag.message_state,
  tlvTag.network_error_code,
  tlvTag.message_payload,
  tlvTag.sar_msg_ref_num,
  tlvTag.sar_total_segments,
  tlvTag.sar_segment_seqnum,
];

const tlvValues = [
  "\x02",
  "\0",
  "1234567890\0",
  "\x01",
  "\x00\x07",
  "\x03",
  "\x03\x00\x0b",
  "",
  "\xff\xff\xff\xff\xff",
];

const userDataHeaders = [
  "\x05\x00\x03\x07\x02\x01",
  "\x06\x08\x04\x01\x02\x03\x02",
  "\x00",
  "\xff",
  "\x05\x00\x03\x07\x00\x00",
  "\x06\x05\x04\x0b\x84\x23\xf0",
  "\x0b\x00\x03\x07\x02\x01\x05\x04\x0b\x84\x23\xf0",
  "\x02\x00\x00",
];

/** What a PDU has room for, the other fields aside. */
const longestBodyOctets = 60_000;

/** In the coding that it says, or in another one. */
function bodyOf(random: Random): string {
  const text = mutateTextSometimes(random, random.pick(receiptTexts));
  const long = random.chance(0.01) ? text.repeat(random.between(10, 400)) : text;
  const octets = random.oneOf(
    () => textOfOctets(Buffer.from(long, "latin1")),
    () => textOfOctets(Buffer.from(long, "utf16le").swap16()),
    () => textOfOctets(Buffer.from(long, "utf8")),
  );
  const spoiled = random.chance(0.4) ? mutateOctets(random, octets, random.pick(tlvValues)) : octets;
  return ((random.chance(0.2) ? random.pick(userDataHeaders) : "") + spoiled).slice(0, longestBodyOctets);
}

function mutateTextSometimes(random: Random, text: string): string {
  return random.chance(0.5) ? text : mutateText(random, text, random.pick(receiptTexts));
}

export function generateDelivered(random: Random): DeliveredInput {
  const address = (): string =>
    random.chance(0.7)
      ? random.pick(["989121234567", "09121234567", "+989121234567", "10001234", "Bank", ""])
      : random.octets(random.between(1, 20)).replaceAll("\0", "1");
  return {
    command: random.chance(0.8) ? "deliver_sm" : "data_sm",
    esmClass: random.chance(0.8) ? random.pick([0, 4, 0x20, 0x40, 0x44, 0x08, 0x10, 0x18]) : random.below(256),
    dataCoding: random.chance(0.8) ? random.pick([0, 1, 3, 4, 8, 0xf0, 0xf5]) : random.below(256),
    source: address(),
    destination: address(),
    body: bodyOf(random),
    tlvs: random.list(0, 4, () => {
      const value = random.chance(0.7) ? random.pick(tlvValues) : random.octets(random.between(0, 12));
      const tag = random.chance(0.9) ? random.pick(knownTags) : random.below(0x10000);
      return [tag, tag === tlvTag.message_payload ? bodyOf(random) : value] as const;
    }),
  };
}

/**
 * `body` is the short_message, or the message_payload where it is too long for that or the command
 * has none.
 */
export function deliveredPdu(input: DeliveredInput, sequence_number = 1): DeliverSm | DataSm {
  const { source, destination, esmClass, dataCoding, body, tlvs } = input;
  const own = tlvs.map(([tag, value]) => ({ tag, value: octetsOf(value) }));
  const asPayload = input.command === "data_sm" || body.length > 254;
  const all = asPayload ? [...own, { tag: tlvTag.message_payload, value: octetsOf(body) }] : own;
  const { source_addr_ton, source_addr_npi, dest_addr_ton, dest_addr_npi, registered_delivery } = plainSubmitSm;
  const addresses = { source_addr_ton, source_addr_npi, dest_addr_ton, dest_addr_npi };
  const header = { command_status: 0, sequence_number, tlvs: all, service_type: "" };
  const coding = { esm_class: esmClass & 0xff, data_coding: dataCoding & 0xff, registered_delivery };
  const common = { ...header, ...addresses, ...coding, source_addr: source, destination_addr: destination };
  if (input.command === "data_sm") return { command: "data_sm", ...common };
  const short_message = asPayload ? Buffer.alloc(0) : octetsOf(body);
  return { ...plainSubmitSm, ...common, command: "deliver_sm", short_message };
}

const settings = completeConnectorSettings({ type: "smpp", host: "h", port: 1, systemId: "s", password: "p" });

function check(input: DeliveredInput): void {
  const pdu = deliveredPdu(input);
  for (const defaultAlphabet of ["gsm7", "latin1", "ascii"] as const) {
    const delivered = readDelivered(pdu, { ...settings, defaultAlphabet });
    if (delivered.kind === "receipt") {
      const { smscMessageId, recipient, state, error = "" } = delivered.receipt;
      demandStorable({ smscMessageId, recipient, state, error });
      for (const format of ["auto", "decimal", "hex"] as const) receiptIdCandidates(smscMessageId, format);
    } else if (delivered.kind === "inbound") {
      const { sender, recipient, text, concatenation } = delivered.part;
      demandStorable({ sender, recipient, text });
      if (concatenation === undefined) continue;
      const { number, total } = concatenation;
      demand(number >= 1 && number <= total && total <= 0xffffffff, `part ${number} of ${total}`);
    }
  }
}

/** PostgreSQL takes no NUL in a text. */
function demandStorable(texts: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(texts)) demand(!text.includes("\0"), `${name} has a NUL`);
}

export const receiptTarget: Target = defineTarget<DeliveredInput>({
  from: import.meta.url,
  name: "receipts",
  title: "delivery receipts and subscribers' messages: deliver_sm and data_sm of every form",
  budgetMs: 10_000,
  growthMegabytes: 16,
  generate: generateDelivered,
  open: async () => ({ check, close: async () => undefined }),
  write: writeExpression,
});
