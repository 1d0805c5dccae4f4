/** Builds the receipt of a message as a PDU, in the forms that SMSCs use. Pure. */

import { esmClass, messageStateCode, tlvTag } from "../smpp/constants.ts";
import { formatDeliveryReceipt } from "../smpp/delivery-receipt.ts";
import type { DataSm, DeliverSm, OutgoingRequest, Tlv } from "../smpp/pdu.ts";
import { integerTlv, textTlv } from "../smpp/tlv.ts";
import type { ReceiptPlan } from "./behaviours.ts";

export interface Address {
  readonly ton: number;
  readonly npi: number;
  readonly address: string;
}

export interface ReceiptFacts {
  readonly plan: ReceiptPlan;
  /** In the form that the receipt uses. */
  readonly messageId: string;
  readonly sender: Address;
  readonly recipient: Address;
  /** Milliseconds since 1970. */
  readonly submittedAt: number;
  readonly doneAt: number;
  readonly text: string;
}

export type OutgoingDelivery = Extract<OutgoingRequest, { readonly command: (DeliverSm | DataSm)["command"] }>;

const noOctets = Buffer.alloc(0);
const noTlvs: readonly Tlv[] = [];

/** A receipt goes from the recipient of the message to its sender. */
export function buildReceipt(facts: ReceiptFacts): OutgoingDelivery {
  const { plan, sender, recipient } = facts;
  const esm_class = plan.intermediate === true ? esmClass.intermediateNotification : esmClass.smscDeliveryReceipt;
  const hasParameters = plan.form === undefined || plan.form === "both" || plan.form === "tlv";
  if (plan.carrier === "data_sm") return buildReceiptDataSm(facts, esm_class);
  const text = receiptText(facts);
  const short_message = text === "" ? noOctets : Buffer.from(text, "latin1");
  const tlvs = hasParameters ? parametersOf(facts) : noTlvs;
  return buildDeliverSm(recipient, sender, esm_class, plan.dataCoding ?? 0, short_message, tlvs);
}

function buildReceiptDataSm(facts: ReceiptFacts, esm_class: number): OutgoingDelivery {
  const { sender, recipient } = facts;
  return {
    command: "data_sm",
    service_type: "",
    source_addr_ton: recipient.ton,
    source_addr_npi: recipient.npi,
    source_addr: recipient.address,
    dest_addr_ton: sender.ton,
    dest_addr_npi: sender.npi,
    destination_addr: sender.address,
    esm_class,
    registered_delivery: 0,
    data_coding: 0,
    tlvs: parametersOf(facts),
  };
}

export interface MobileOriginated {
  readonly from: Address;
  readonly to: Address;
  readonly dataCoding: number;
  readonly userData: Buffer;
  readonly hasUserDataHeader: boolean;
}

export function buildMobileOriginated({
  from,
  to,
  dataCoding,
  userData,
  hasUserDataHeader,
}: MobileOriginated): OutgoingDelivery {
  return buildDeliverSm(from, to, hasUserDataHeader ? esmClass.userDataHeader : 0, dataCoding, userData, noTlvs);
}

function buildDeliverSm(
  from: Address,
  to: Address,
  esm_class: number,
  data_coding: number,
  short_message: Buffer,
  tlvs: readonly Tlv[],
): OutgoingDelivery {
  return {
    command: "deliver_sm",
    service_type: "",
    source_addr_ton: from.ton,
    source_addr_npi: from.npi,
    source_addr: from.address,
    dest_addr_ton: to.ton,
    dest_addr_npi: to.npi,
    destination_addr: to.address,
    esm_class,
    protocol_id: 0,
    priority_flag: 0,
    schedule_delivery_time: "",
    validity_period: "",
    registered_delivery: 0,
    replace_if_present_flag: 0,
    data_coding,
    sm_default_msg_id: 0,
    short_message,
    tlvs,
  };
}

function parametersOf({ plan, messageId }: ReceiptFacts): readonly Tlv[] {
  return [
    textTlv(tlvTag.receipted_message_id, messageId),
    integerTlv(tlvTag.message_state, messageStateCode(plan.state)),
  ];
}

function receiptText({ plan, messageId, submittedAt, doneAt, text }: ReceiptFacts): string {
  const { state, errorCode = "000" } = plan;
  switch (plan.form) {
    case "tlv":
      return "";
    case "short":
      return `STAT:${state.toLowerCase()} ID:${messageId}`;
    case "zero-dates":
      return `id:${messageId} submit date:0000000000 done date:0000000000 stat:${state}`;
    default:
      return formatDeliveryReceipt({ messageId, state, submittedAt, doneAt, errorCode, text });
  }
}
