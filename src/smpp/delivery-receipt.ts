/**
 * Reads delivery receipts as SMSCs really send them (SMPP 3.4 §5.2.12, §5.3.2.12, §5.3.2.35 and
 * Appendix B, read tolerantly), and writes them as Appendix B specifies. Optional parameters take
 * precedence over the text. Pure.
 */

import { dataCoding, esmClass, findMessageState, tlvTag } from "./constants.ts";
import type { DataSm, DeliverSm } from "./pdu.ts";
import { tlvInteger, tlvText, tlvValue } from "./tlv.ts";

export interface DeliveryReceiptFields {
  /**
   * As the SMSC wrote it. Undefined when esm_class marks a receipt that names no message. That is
   * not a subscriber's text either, so it can only be acknowledged and logged.
   */
  readonly messageId: string | undefined;
  /**
   * What message_state and `stat` of the text say, in this order, and in upper case: message_state as
   * a word of Appendix B (DELIVRD …), or as its number where the standard has none.
   */
  readonly states: readonly string[];
  /** The `err` field of the text, unchanged. */
  readonly errorCode: string | undefined;
  /**
   * `type:code` of network_error_code, both decimal, SMPP 3.4 §5.3.2.31; or its digits, where the
   * SMSC writes it as text.
   */
  readonly networkErrorCode: string | undefined;
  /** All of the text, or "". */
  readonly whole: string;
}

/**
 * Undefined: not a receipt, so a subscriber's message.
 *
 * An intermediate notification is read like a receipt: a final state is evidence in either frame.
 */
export function parseDeliveryReceipt(pdu: DeliverSm | DataSm): DeliveryReceiptFields | undefined {
  const receiptedId = nonEmpty(tlvText(pdu.tlvs, tlvTag.receipted_message_id));
  const stateName = readMessageState(pdu);
  const { whole, words } = readReceiptText(pdu);
  if (!isReceipt(pdu.esm_class & esmClass.messageTypeMask, { receiptedId, stateName, words })) return undefined;
  return {
    messageId: receiptedId ?? words.id,
    states: [stateName, words.state].filter((state) => state !== undefined),
    errorCode: words.errorCode,
    networkErrorCode: readNetworkErrorCode(pdu),
    whole,
  };
}

interface Evidence {
  readonly receiptedId: string | undefined;
  readonly stateName: string | undefined;
  readonly words: ReceiptWords;
}

/**
 * The standard gives the bits of a receipt and of an intermediate notification no other meaning, so
 * they count beside other bits, too. Some SMSCs set neither of them, or mark their receipts as
 * acknowledgements of the handset. There receipted_message_id proves a receipt, beside a mark of
 * another kind only with a state. A text proves one only in its complete form, because a
 * subscriber may also write "id:".
 */
function isReceipt(messageType: number, { receiptedId, stateName, words }: Evidence): boolean {
  if ((messageType & (esmClass.smscDeliveryReceipt | esmClass.intermediateNotification)) !== 0) return true;
  const state = stateName ?? words.state;
  if (receiptedId !== undefined && (messageType === 0 || state !== undefined)) return true;
  return words.id !== undefined && words.state !== undefined && datePattern.test(words.fields);
}

interface ReceiptWords {
  readonly id: string | undefined;
  readonly state: string | undefined;
  readonly errorCode: string | undefined;
  /** The part of the text that was read. */
  readonly fields: string;
}

const idPattern = keyPattern("(?:(?:message|msg)[ _]?)?id");
const statePattern = keyPattern("stat(?:us|e)?");
const errorPattern = keyPattern("err(?:or)?");
const datePattern = keyPattern("(?:submit|done)[ _]?date");
const textPattern = /(?:^|[\s,;])text\s*[:=]/i;

function keyPattern(key: string): RegExp {
  return new RegExp(`(?:^|[\\s,;|&])${key}\\s*[:=](?: {1,9}(?!(?:done )?\\w+[:=]))?["']?([^\\s,;|&"']*)`, "i");
}

function parseReceiptText(whole: string): ReceiptWords {
  // Whatever follows "text:" comes from the sender and may contain anything, unless the fields come
  // only after it.
  const textAt = whole.search(textPattern);
  let fields = textAt < 0 ? whole : whole.slice(0, textAt);
  let [id, state] = [idPattern.exec(fields), statePattern.exec(fields)];
  if (id === null && state === null && textAt >= 0) {
    fields = whole;
    [id, state] = [idPattern.exec(fields), statePattern.exec(fields)];
  }
  return {
    id: nonEmpty(id?.[1]),
    state: nonEmpty(state?.[1])?.toUpperCase(),
    errorCode: nonEmpty(errorPattern.exec(fields)?.[1]),
    fields,
  };
}

interface ReceiptText {
  readonly whole: string;
  readonly words: ReceiptWords;
}

/**
 * As the PDU declares it, unless only the other reading names a message: some SMSCs copy
 * data_coding and the bit of the user data header from the message, and write the receipt in Latin
 * letters without a header all the same.
 */
function readReceiptText(pdu: DeliverSm | DataSm): ReceiptText {
  const octets = textOctets(pdu);
  const isUcs2 = pdu.data_coding === dataCoding.ucs2;
  const declared = readAs(octets, isUcs2);
  if (declared.words.id !== undefined || octets.length === 0) return declared;
  const other = readAs(octets, !isUcs2);
  return other.words.id === undefined ? declared : other;
}

function readAs(octets: Buffer, isUcs2: boolean): ReceiptText {
  const whole = decodeReceipt(octets, isUcs2);
  return { whole, words: parseReceiptText(whole) };
}

/** Without the user data header. */
function textOctets(pdu: DeliverSm | DataSm): Buffer {
  const short = pdu.command === "deliver_sm" ? pdu.short_message : undefined;
  const octets = short === undefined || short.length === 0 ? tlvValue(pdu.tlvs, tlvTag.message_payload) : short;
  if (octets === undefined) return Buffer.alloc(0);
  const hasHeader = (pdu.esm_class & esmClass.userDataHeader) !== 0;
  return hasHeader ? octets.subarray(headerLength(octets)) : octets;
}

/**
 * 0 unless whole elements fill the header (3GPP TS 23.040 §9.2.3.24), as letters hardly ever do.
 * A first octet of 0 is a header without elements, or half a letter of UCS-2, as the third is then.
 */
function headerLength(octets: Buffer): number {
  const length = 1 + (octets[0] ?? 0);
  let end = 1;
  while (end + 1 < length) end += 2 + (octets[end + 1] ?? 0);
  if (length === 1 && octets[2] === 0) return 0;
  return end === length && length <= octets.length ? length : 0;
}

/** Up to the first NUL. An odd last octet of UCS-2 is ignored. */
function decodeReceipt(octets: Buffer, isUcs2: boolean): string {
  const text = isUcs2
    ? Buffer.from(octets.subarray(0, octets.length & ~1))
        .swap16()
        .toString("utf16le")
    : octets.toString("latin1");
  const nul = text.indexOf("\0");
  return nul < 0 ? text : text.slice(0, nul);
}

/** A number, or its digit in ASCII: states are 0 to 9. */
function readMessageState({ tlvs }: DeliverSm | DataSm): string | undefined {
  const state = tlvInteger(tlvs, tlvTag.message_state);
  if (state === undefined) return undefined;
  const name = String(state >= 0x30 && state <= 0x39 ? state - 0x30 : state);
  return findMessageState(name)?.words[0] ?? name;
}

/**
 * Network types are 1 to 8, so digits of ASCII are the code as text, with padding around it. Some
 * SMSCs write the code alone.
 */
function readNetworkErrorCode({ tlvs }: DeliverSm | DataSm): string | undefined {
  const value = tlvValue(tlvs, tlvTag.network_error_code);
  if (value === undefined || value.length === 0) return undefined;
  const digits = /^ *(\d+)[ \0]*$/.exec(value.toString("latin1"))?.[1];
  if (digits !== undefined) return digits;
  if (value.length < 3) return String(value.readUIntBE(0, value.length));
  return value.length === 3 ? `${value.readUInt8(0)}:${value.readUInt16BE(1)}` : undefined;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

export interface ReceiptToFormat {
  readonly messageId: string;
  readonly state: string;
  /** Milliseconds since 1970. */
  readonly submittedAt: number;
  readonly doneAt: number;
  readonly errorCode?: string;
  readonly text?: string;
}

const textCharacters = 20;

/** The text of Appendix B, with dates in UTC. */
export function formatDeliveryReceipt(receipt: ReceiptToFormat): string {
  const { messageId, state, submittedAt, doneAt, errorCode = "000", text = "" } = receipt;
  const delivered = state === "DELIVRD" ? "001" : "000";
  return (
    `id:${messageId} sub:001 dlvrd:${delivered} submit date:${receiptDate(submittedAt)} done date:${receiptDate(doneAt)} ` +
    `stat:${state} err:${errorCode} text:${text.slice(0, textCharacters)}`
  );
}

const minuteMs = 60_000;
/** Cache of the last date: thousands of receipts per minute share it. */
let writtenMinute = -1;
let writtenDate = "";

/** `at` (milliseconds since 1970) as YYMMDDhhmm. */
function receiptDate(at: number): string {
  const minute = Math.floor(at / minuteMs);
  if (minute !== writtenMinute) {
    const digits = new Date(at).toISOString().replace(/\D/g, "");
    writtenMinute = minute;
    writtenDate = digits.slice(2, 12);
  }
  return writtenDate;
}
