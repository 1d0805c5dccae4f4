// The status of a message from its parts, as the statements must compute it.
import { messageStatus, type MessageStatus } from "../../src/sms/message-status.ts";

const { waiting, sent, delivered, undelivered, unsent } = messageStatus;

/** The parts of a message as bit masks; bit 0 is the first part. At most 31 parts. */
export interface PartMasks {
  readonly parts: number;
  readonly taken: number;
  readonly delivered: number;
  readonly undelivered: number;
  /** Parts that will never be taken: refused, expired, or given up. */
  readonly failed?: number;
}

/**
 * The status of a message from its parts: 4 when one was not taken; else 1 when all were taken,
 * then 2 when all are delivered, or 3 when one is undelivered. A receipt proves that its part was
 * taken, even before the answer arrives.
 */
export function foldParts(masks: PartMasks): MessageStatus {
  const all = 2 ** masks.parts - 1;
  const taken = masks.taken | masks.delivered | masks.undelivered;
  if (((masks.failed ?? 0) & ~taken) !== 0) return unsent;
  if ((taken & all) !== all) return waiting;
  if (masks.undelivered !== 0) return undelivered;
  return (masks.delivered & all) === all ? delivered : sent;
}
