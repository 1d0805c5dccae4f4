/**
 * The receipt of a message as a PDU, in the forms that SMSCs use. Pure.
 */

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
  /** As the receipt writes it. */
  readonly messageId: string;
  readonly sender: Address;
  readonly recipient: Address;
  readonly submittedAt: Date;
  readonly doneAt: Date;
  readonly text: string;
}

export type OutgoingDelivery = Extract<OutgoingRequest, { readonly command: (DeliverSm | DataSm)["command"] }>;

const noOctets = Buffer.alloc(0);

/** A receipt goes from the recipient to the sender of the message it is about. */
export function buildReceipt(facts: ReceiptFacts): OutgoingDelivery {
  const { plan } = facts;
  const esm_class = plan.intermediate === true ? esmClass.intermediateNotification : esmClass.smscDeliveryReceipt;
  const hasParameters =
    plan.form === undefined || plan.form === "both" || plan.form === "tlv" || plan.carrier === "data_sm";
  const tlvs = hasParameters ? parametersOf(facts) : [];
  if (plan.carrier === "data_sm") {
    return {
      command: "data_sm",
      service_type: "",
      ...addresses(facts),
      esm_class,
      registered_delivery: 0,
      data_coding: 0,
      tlvs,
    };
  }
  const text = receiptText(facts);
  const short_message = text === "" ? noOctets : Buffer.from(text, "latin1");
  return { ...emptyDeliverSm, ...addresses(facts), esm_class, short_message, tlvs };
}

export interface MobileOriginated {
  readonly sender: Address;
  readonly recipient: Address;
  readonly dataCoding: number;
  readonly userData: Buffer;
  readonly hasUserDataHeader: boolean;
}

export function buildMobileOriginated(message: MobileOriginated): OutgoingDelivery {
  const { sender: recipient, recipient: sender, dataCoding: data_coding, userData: short_message } = message;
  const esm_class = message.hasUserDataHeader ? esmClass.userDataHeader : 0;
  return { ...emptyDeliverSm, ...addresses({ sender, recipient }), esm_class, data_coding, short_message };
}

const emptyDeliverSm = {
  command: "deliver_sm",
  service_type: "",
  protocol_id: 0,
  priority_flag: 0,
  schedule_delivery_time: "",
  validity_period: "",
  registered_delivery: 0,
  replace_if_present_flag: 0,
  data_coding: 0,
  sm_default_msg_id: 0,
} as const;

function addresses({ sender, recipient }: { readonly sender: Address; readonly recipient: Address }) {
  return {
    source_addr_ton: recipient.ton,
    source_addr_npi: recipient.npi,
    source_addr: recipient.address,
    dest_addr_ton: sender.ton,
    dest_addr_npi: sender.npi,
    destination_addr: sender.address,
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
