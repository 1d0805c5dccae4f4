/**
 * Optional parameters (SMPP 3.4 §5.3): reading those after the mandatory fields, the sizes of the
 * known ones, and typed access. Unknown and private tags are kept unchanged.
 */

import { tlvTag } from "./constants.ts";
import type { OctetReader, OctetWriter } from "./octets.ts";
import type { Tlv } from "./pdu.ts";

/**
 * Minimum and maximum value length of the known optional parameters, SMPP 3.4 §5.3.2. Checked for
 * requests only, without deliver_sm and data_sm.
 */
const valueLengths: ReadonlyMap<number, readonly [minimum: number, maximum: number]> = new Map([
  [tlvTag.dest_addr_subunit, [1, 1]],
  [tlvTag.dest_network_type, [1, 1]],
  [tlvTag.dest_bearer_type, [1, 1]],
  [tlvTag.dest_telematics_id, [2, 2]],
  [tlvTag.source_addr_subunit, [1, 1]],
  [tlvTag.source_network_type, [1, 1]],
  [tlvTag.source_bearer_type, [1, 1]],
  [tlvTag.source_telematics_id, [1, 2]],
  [tlvTag.qos_time_to_live, [4, 4]],
  [tlvTag.payload_type, [1, 1]],
  [tlvTag.ms_msg_wait_facilities, [1, 1]],
  [tlvTag.privacy_indicator, [1, 1]],
  [tlvTag.user_message_reference, [2, 2]],
  [tlvTag.user_response_code, [1, 1]],
  [tlvTag.source_port, [2, 2]],
  [tlvTag.destination_port, [2, 2]],
  [tlvTag.sar_msg_ref_num, [2, 2]],
  [tlvTag.language_indicator, [1, 1]],
  [tlvTag.sar_total_segments, [1, 1]],
  [tlvTag.sar_segment_seqnum, [1, 1]],
  [tlvTag.sc_interface_version, [1, 1]],
  [tlvTag.callback_num_pres_ind, [1, 1]],
  [tlvTag.number_of_messages, [1, 1]],
  [tlvTag.dpf_result, [1, 1]],
  [tlvTag.set_dpf, [1, 1]],
  [tlvTag.ms_availability_status, [1, 1]],
  [tlvTag.network_error_code, [3, 3]],
  [tlvTag.delivery_failure_reason, [1, 1]],
  [tlvTag.more_messages_to_send, [1, 1]],
  [tlvTag.message_state, [1, 1]],
  [tlvTag.congestion_state, [1, 1]],
  [tlvTag.ussd_service_op, [1, 1]],
  [tlvTag.display_time, [1, 1]],
  [tlvTag.sms_signal, [2, 2]],
  [tlvTag.ms_validity, [1, 1]],
  [tlvTag.alert_on_message_delivery, [0, 1]],
  [tlvTag.its_reply_type, [1, 1]],
  [tlvTag.its_session_info, [2, 2]],
]);

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
    const allowed = valueLengths.get(tag);
    if (allowed !== undefined && (length < allowed[0] || length > allowed[1])) return "length";
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
