/**
 * Optional parameters (SMPP 3.4 §5.3): reading those after the mandatory fields, the sizes of the
 * known ones, and typed access. Unknown and private tags are kept unchanged.
 */

import { isTlvLength, tlvTag } from "./constants.ts";
import type { OctetReader, OctetWriter } from "./octets.ts";
import type { Tlv } from "./pdu.ts";

export type TlvFault = "stream" | "length";

const noTlvs: readonly Tlv[] = [];

/**
 * PDUs of Hodhod and of known SMSCs have fewer than ten. One PDU has room for tens of thousands, so
 * the rest is skipped.
 */
const maximumTlvs = 64;

/**
 * The rest of the PDU as TLVs. "stream": they do not fill it exactly. "length": a known tag has an
 * impossible size.
 */
export function readTlvs(reader: OctetReader): readonly Tlv[] | TlvFault {
  if (reader.remaining === 0) return noTlvs;
  const tlvs: Tlv[] = [];
  while (reader.remaining > 0 && tlvs.length < maximumTlvs) {
    const tag = reader.integer2();
    const length = reader.integer2();
    if (length < 0) return "stream";
    const value = reader.take(length);
    if (value === undefined) return "length";
    if (!isTlvLength(tag, length)) return "length";
    tlvs.push({ tag, value });
  }
  return tlvs;
}

/** All whole TLVs, of any size: for responses, which are never rejected. */
export function readTlvsTolerantly(reader: OctetReader): readonly Tlv[] {
  return readWholeTlvs(reader).tlvs;
}

/**
 * All whole TLVs, of any size: for deliver_sm and data_sm, because an SMSC that is refused one
 * drops the receipt or message. Some have a network_error_code of four octets, or a last TLV that
 * is cut. "length": the message itself is cut.
 */
export function readTlvsOfDelivery(reader: OctetReader): readonly Tlv[] | TlvFault {
  const { tlvs, cutTag } = readWholeTlvs(reader);
  return cutTag === tlvTag.message_payload ? "length" : tlvs;
}

function readWholeTlvs(reader: OctetReader): { readonly tlvs: readonly Tlv[]; readonly cutTag?: number } {
  if (reader.remaining < 4) return { tlvs: noTlvs };
  const tlvs: Tlv[] = [];
  while (reader.remaining >= 4 && tlvs.length < maximumTlvs) {
    const tag = reader.integer2();
    const value = reader.take(reader.integer2());
    if (value === undefined) return { tlvs, cutTag: tag };
    tlvs.push({ tag, value });
  }
  return { tlvs };
}

export function writeTlvs(writer: OctetWriter, tlvs: readonly Tlv[]): void {
  for (const { tag, value } of tlvs) {
    writer.integer2(tag, "tag");
    writer.integer2(value.length, "TLV length");
    writer.octets(value);
  }
}

export function tlvValue(tlvs: readonly Tlv[], tag: number): Buffer | undefined {
  for (const tlv of tlvs) if (tlv.tag === tag) return tlv.value;
  return undefined;
}

/** The value as an unsigned integer of 1 to 4 octets; undefined if absent or of another length. */
export function tlvInteger(tlvs: readonly Tlv[], tag: number): number | undefined {
  const value = tlvValue(tlvs, tag);
  if (value === undefined || value.length < 1 || value.length > 4) return undefined;
  return value.readUIntBE(0, value.length);
}

/** The value as text up to its first NUL, which some SMSCs omit. */
export function tlvText(tlvs: readonly Tlv[], tag: number): string | undefined {
  const value = tlvValue(tlvs, tag);
  if (value === undefined) return undefined;
  const nul = value.indexOf(0);
  return value.toString("latin1", 0, nul < 0 ? value.length : nul);
}

export function integerTlv(tag: number, value: number, length: 1 | 2 | 4 = 1): Tlv {
  const octets = Buffer.alloc(length);
  octets.writeUIntBE(value, 0, length);
  return { tag, value: octets };
}

/** A C-Octet string with its NUL. */
export function textTlv(tag: number, text: string): Tlv {
  return { tag, value: Buffer.from(`${text}\0`, "latin1") };
}
