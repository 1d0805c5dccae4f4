// What statements say of the status of messages, from the table of the rule book. They call the
// message m.
import { correctedByReceipt, messageStatus, reasonCode, reasonsOfOpen, statusesBefore } from "../sms/message-status.ts";

/** A receipt counts: the message is not final, or ended only for lack of a receipt or an answer. */
export const receiptCounts = `(m.status in (${statusesBefore("delivered").join(", ")}) or m.reason in (${correctedByReceipt.map(({ reason }) => reason).join(", ")}))`;

/** The reason of a message that ends for `reason`: an open outcome stays unknown in some cases. */
export function endReason(reason: string): string {
  return `case when m.reason = ${reasonCode.outcomeUnknown} and ${reason} in (${reasonsOfOpen.join(", ")}) then ${reasonCode.outcomeUnknown} else ${reason} end`;
}

/** How many messages have which status, one column for each. */
export const statusCounts = Object.entries(messageStatus)
  .map(([name, status]) => `(count(*) filter (where m.status = ${status}))::int as ${name}`)
  .join(", ");

/** Rials given back for messages that were not sent. */
export const refundedCost = `coalesce(sum(m.cost) filter (where m.status = ${messageStatus.unsent}), 0)::bigint as refunded`;

/** Of a message m: whether it is free of sending hours and opt-outs. A template sends a code. */
export const isFreeText = "coalesce(m.purpose > 0, m.template_id is not null)";

/** Of a message m: whether it is a code, as it was accepted, whatever becomes of its template. */
export const sendsCode = "coalesce(m.purpose = 1, m.template_id is not null)";
