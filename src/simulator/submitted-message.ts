/**
 * A message as the simulated SMSC received it: one submit_sm or data_sm, read as a handset reads it.
 */

import { parseUserDataHeader } from "../sms/concatenation.ts";
import { contentOf, decodeText } from "../sms/data-coding.ts";
import { esmClass, registeredDelivery, tlvTag } from "../smpp/constants.ts";
import type { DataSm, SubmitSm } from "../smpp/pdu.ts";
import { tlvInteger, tlvValue } from "../smpp/tlv.ts";
import type { Address } from "./receipts.ts";

const noOctets = Buffer.alloc(0);

export class SubmittedMessage {
  readonly pdu: SubmitSm | DataSm;
  readonly systemId: string;
  readonly recipient: Address;
  /** Milliseconds since 1970. */
  readonly receivedAt = Date.now();
  /**
   * How often this text arrived for this recipient. Counted only for recipients with a behaviour.
   */
  attempt = 1;
  /** As answered; "" if refused. */
  messageId = "";
  /** The status in the answer to submit_sm. */
  commandStatus = 0;

  readonly #isPacked: boolean;

  constructor(pdu: SubmitSm | DataSm, systemId: string, { packed = false }: { readonly packed?: boolean } = {}) {
    this.#isPacked = packed;
    this.pdu = pdu;
    this.systemId = systemId;
    this.recipient = { ton: pdu.dest_addr_ton, npi: pdu.dest_addr_npi, address: pdu.destination_addr };
  }

  get sender(): Address {
    const { source_addr_ton, source_addr_npi, source_addr } = this.pdu;
    return { ton: source_addr_ton, npi: source_addr_npi, address: source_addr };
  }

  /** The whole short message or message_payload, including the user data header. */
  get userData(): Buffer {
    const short = this.pdu.command === "data_sm" ? noOctets : this.pdu.short_message;
    return short.length > 0 ? short : (tlvValue(this.pdu.tlvs, tlvTag.message_payload) ?? noOctets);
  }

  get text(): string {
    const { userData } = this;
    const header = this.hasHeader ? parseUserDataHeader(userData).headerLength : 0;
    const packedAfter = this.#isPacked ? header : undefined;
    return contentOf(decodeText(userData.subarray(header), this.pdu.data_coding, "gsm7", packedAfter));
  }

  /**
   * The part number and total, from the user data header or the sar parameters; 1 of 1 for a short
   * message.
   */
  get part(): { readonly reference: number; readonly total: number; readonly number: number } {
    const concatenation = this.hasHeader ? parseUserDataHeader(this.userData).concatenation : undefined;
    if (concatenation !== undefined) return concatenation;
    const { tlvs } = this.pdu;
    return {
      reference: tlvInteger(tlvs, tlvTag.sar_msg_ref_num) ?? 0,
      total: tlvInteger(tlvs, tlvTag.sar_total_segments) ?? 1,
      number: tlvInteger(tlvs, tlvTag.sar_segment_seqnum) ?? 1,
    };
  }

  /** registered_delivery, SMPP 3.4 §5.2.17: none, all, or failures only. */
  wantsReceipt(state: string): boolean {
    const wanted = this.pdu.registered_delivery & registeredDelivery.receiptMask;
    return (
      wanted === registeredDelivery.finalReceipt ||
      (wanted === registeredDelivery.failureReceipt && state !== "DELIVRD")
    );
  }

  private get hasHeader(): boolean {
    return (this.pdu.esm_class & esmClass.userDataHeader) !== 0;
  }
}
