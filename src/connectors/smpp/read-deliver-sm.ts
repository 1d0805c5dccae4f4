// Reads deliver_sm or data_sm as a delivery receipt, an inbound part, or neither. Pure, apart from
// hashing.
import { createHash } from "node:crypto";
import { parseUserDataHeader } from "../../sms/concatenation.ts";
import { contentOf, decodeText } from "../../sms/data-coding.ts";
import { parseRecipient } from "../../sms/msisdn.ts";
import { receiptFields } from "../../sms/text-kind.ts";
import { esmClass, findMessageState, tlvTag } from "../../smpp/constants.ts";
import { parseDeliveryReceipt } from "../../smpp/delivery-receipt.ts";
import type { DataSm, DeliverSm } from "../../smpp/pdu.ts";
import { tlvInteger, tlvValue } from "../../smpp/tlv.ts";
import type { SmppSettings } from "./smpp-settings.ts";
import type { DeliveryReceipt, InboundPart } from "../connector.ts";

export type Delivered =
  | { readonly kind: "receipt"; readonly receipt: DeliveryReceipt }
  | { readonly kind: "inbound"; readonly part: InboundPart }
  /**
   * A receipt without an id. It is acknowledged as well, because a repetition would have no id
   * either.
   */
  | { readonly kind: "nameless" };

export function readDelivered(pdu: DeliverSm | DataSm, settings: SmppSettings): Delivered {
  const receipt = parseReceipt(pdu, settings);
  if (receipt === undefined) return { kind: "inbound", part: readInbound(pdu, settings) };
  if (receipt.messageId === undefined) return { kind: "nameless" };
  const error = receipt.errorCode ?? receipt.networkErrorCode;
  const { recipient, isRecipientUnsure } = subscriberOf(pdu);
  const { state, verdict } = judgeStates(receipt.states, settings);
  return {
    kind: "receipt",
    receipt: {
      smscMessageId: receipt.messageId,
      recipient,
      isRecipientUnsure,
      state,
      verdict,
      error: error === undefined ? undefined : firstOctets(error, wordOctets),
      // Without the text of the message, which must not outlive its erasure. The receipt is cut
      // first, because searching it takes quadratic time.
      text: receiptFields(firstOctets(receipt.whole, receiptOctets)),
    },
  };
}

const ownVerdicts = ["delivered", "undelivered"] as const;

/**
 * The connector's own words count most, because the operator has explained them; then a final
 * state, of message_state before that of the text. Other states change nothing.
 */
function judgeStates(
  states: readonly string[],
  { receiptStates }: SmppSettings,
): Pick<DeliveryReceipt, "state" | "verdict"> {
  for (const state of states)
    for (const verdict of ownVerdicts)
      if (receiptStates[verdict]?.some((word) => word.toUpperCase() === state))
        return { state: firstOctets(state, wordOctets), verdict };
  for (const state of states) {
    const verdict = findMessageState(state)?.outcome;
    if (verdict !== undefined) return { state: firstOctets(state, wordOctets), verdict };
  }
  return { state: firstOctets(states[0] ?? "", wordOctets), verdict: "none" };
}

/** Where texts are packed septets, those of receipts may be, too. */
function parseReceipt(pdu: DeliverSm | DataSm, { packed }: SmppSettings): ReturnType<typeof parseDeliveryReceipt> {
  const plain = parseDeliveryReceipt(pdu);
  if (!packed) return plain;
  const octets = userDataOf(pdu);
  const headerOctets = (pdu.esm_class & esmClass.userDataHeader) === 0 ? 0 : parseUserDataHeader(octets).headerLength;
  const text = contentOf(decodeText(octets.subarray(headerOctets), pdu.data_coding, "gsm7", headerOctets));
  const tlvs = pdu.tlvs.filter(({ tag }) => tag !== tlvTag.message_payload);
  const value = Buffer.from(text, "latin1");
  const unpacked = parseDeliveryReceipt({
    ...{ ...pdu, tlvs: [...tlvs, { tag: tlvTag.message_payload, value }] },
    esm_class: pdu.esm_class & ~esmClass.userDataHeader,
    ...(pdu.command === "deliver_sm" && { short_message: Buffer.alloc(0) }),
  });
  return unpacked?.messageId !== undefined && /\bid\s*:/i.test(unpacked.whole) ? unpacked : plain;
}

const receiptOctets = 200;
/** Of a state or an error; SMPP has words of seven characters and numbers of three. */
const wordOctets = 50;

/** Drops a character that the cut divides, and NUL, which the database cannot store. */
function firstOctets(text: string, most: number): string {
  const whole = text.includes("\0") ? text.replaceAll("\0", "") : text;
  // No character takes more than three octets.
  if (whole.length * 3 <= most || Buffer.byteLength(whole) <= most) return whole;
  const octets = Buffer.from(whole);
  let end = most;
  while (((octets[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return octets.toString("utf8", 0, end);
}

function readInbound(pdu: DeliverSm | DataSm, settings: SmppSettings): InboundPart {
  const octets = userDataOf(pdu);
  const hasHeader = (pdu.esm_class & esmClass.userDataHeader) !== 0;
  const header =
    hasHeader || (settings.looseHeaders && hasUnmarkedHeader(octets)) ? parseUserDataHeader(octets) : undefined;
  const headerOctets = header?.headerLength ?? 0;
  const body = octets.subarray(headerOctets);
  const concatenation = header?.concatenation ?? segmentationOf(pdu);
  return {
    sender: normalSubscriber(pdu.source_addr),
    recipient: pdu.destination_addr,
    text: contentOf(
      decodeText(body, pdu.data_coding, settings.defaultAlphabet, settings.packed ? headerOctets : undefined),
    ),
    concatenation: concatenation && {
      // 8-bit and 16-bit references are different numbers, even if equal.
      reference:
        "bits" in concatenation && concatenation.bits === 8 ? concatenation.reference : concatenation.reference + 65536,
      total: concatenation.total,
      number: concatenation.number,
    },
    fingerprint: fingerprintOf(pdu, octets),
  };
}

/** The header of a part: two or more parts, and this is one of them; and its elements fill it. */
function hasUnmarkedHeader(octets: Buffer): boolean {
  const { elements, concatenation, headerLength } = parseUserDataHeader(octets);
  const filled = elements.reduce((sum, { content }) => sum + 2 + content.length, 1);
  return concatenation !== undefined && concatenation.total > 1 && filled === headerLength;
}

function userDataOf(pdu: DeliverSm | DataSm): Buffer {
  const payload = tlvValue(pdu.tlvs, tlvTag.message_payload);
  if (pdu.command === "data_sm") return payload ?? Buffer.alloc(0);
  return pdu.short_message.length > 0 ? pdu.short_message : (payload ?? pdu.short_message);
}

/**
 * The most parts that a message can have: one octet, in the user data header and in the optional
 * parameters.
 */
const mostParts = 255;

// An optional parameter may be longer than the standard allows (tlv.ts). Its value is limited to
// what can be stored. Otherwise the SMSC would send the part again and again.
function segmentationOf(pdu: DeliverSm | DataSm): { reference: number; total: number; number: number } | undefined {
  const reference = tlvInteger(pdu.tlvs, tlvTag.sar_msg_ref_num);
  const total = tlvInteger(pdu.tlvs, tlvTag.sar_total_segments);
  const number = tlvInteger(pdu.tlvs, tlvTag.sar_segment_seqnum);
  if (reference === undefined || total === undefined || number === undefined) return undefined;
  if (number < 1 || number > total || total > mostParts) return undefined;
  return { reference: reference & 0xffff, total, number };
}

function fingerprintOf(pdu: DeliverSm | DataSm, octets: Buffer): Buffer {
  const hash = createHash("sha256");
  hash.update(`${pdu.source_addr}\0${pdu.destination_addr}\0${pdu.esm_class}\0${pdu.data_coding}\0`);
  for (const tlv of pdu.tlvs)
    if (tlv.tag !== tlvTag.message_payload) hash.update(`${tlv.tag}=${tlv.value.toString("hex")}\0`);
  return hash.update(octets).digest();
}

/**
 * The digits of the subscriber that a receipt is about. This is the source address, except that
 * some SMSCs copy the addresses of the message, whose source is the line.
 */
function subscriberOf({
  source_addr,
  destination_addr,
}: DeliverSm | DataSm): Required<Pick<DeliveryReceipt, "recipient" | "isRecipientUnsure">> {
  const source = parseRecipient(source_addr);
  const destination = parseRecipient(destination_addr);
  const recipient = source ?? destination ?? source_addr.replace(/\D/g, "");
  return { recipient, isRecipientUnsure: source !== undefined && destination !== undefined };
}

/** Converts any form of a mobile number to 989…; leaves other addresses unchanged. */
function normalSubscriber(address: string): string {
  return parseRecipient(address) ?? address;
}
