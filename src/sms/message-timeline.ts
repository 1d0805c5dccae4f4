// What `hodhod message` reports: the state of each part, and all events with their times, derived
// from the stored records. Pure. Times are from the database's clock.
import { bitsOf, isWhole, type PartNumber } from "./message-parts.ts";
import { messageStatus, reasonCode } from "./message-status.ts";

/** Everything that is stored about one message. */
export interface MessageRecord {
  readonly id: string;
  readonly batchId: string;
  readonly accountId: number;
  readonly account: string;
  readonly sender: string;
  /** 989… */
  readonly recipient: string;
  readonly operator: string;
  readonly parts: number;
  /** Rials. */
  readonly cost: bigint;
  readonly status: number;
  /** 1301…1306, 1310 */
  readonly reason: number | null;
  readonly reasonDetail: string | null;
  /** Bit n-1 stands for part n. */
  readonly partsTaken: number;
  readonly partsDelivered: number;
  readonly partsUndelivered: number;
  readonly acceptedAt: Date;
  /** Only for a scheduled message. */
  readonly sendAt: Date | null;
  readonly validUntil: Date;
  readonly sentAt: Date | null;
  readonly finalAt: Date | null;
  /** The latest connector that handled it. */
  readonly connector: string | null;
  /** The operator's last temporary refusal, and how many there were. */
  readonly turnedAway: TurnedAwayRecord | undefined;
  /** Its entry in the queue, while it waits. */
  readonly queued: QueuedRecord | undefined;
  /** Claimed by a node. More than one for moments only. */
  readonly claims: readonly ClaimRecord[];
  /** Parts that an SMSC has taken. */
  readonly submissions: readonly SubmissionRecord[];
  /** Parts that were submitted and never answered, and are not submitted again. */
  readonly held: readonly HeldRecord[];
  readonly refunds: readonly { readonly at: Date; readonly amount: bigint }[];
  /** Receipts for this recipient that match no part yet. */
  readonly parkedReceipts: readonly ParkedReceiptRecord[];
}

export interface TurnedAwayRecord {
  readonly times: number;
  readonly at: Date;
  readonly connector: string;
  /** The name of its command_status. */
  readonly answer: string;
}

export interface QueuedRecord {
  readonly dueAt: Date;
  /** Waits until a reference of its phone is free. */
  readonly heldBack: boolean;
  /** How many submissions were never answered. */
  readonly unanswered: number;
}

export interface ClaimRecord {
  readonly claimedAt: Date;
  readonly connector: string;
  readonly bindNumber: number;
  /** Whether the claiming node is alive. */
  readonly alive: boolean;
}

export interface SubmissionRecord {
  readonly at: Date;
  readonly part: PartNumber;
  readonly connector: string;
  /** "" if the SMSC gave none. */
  readonly smscMessageId: string;
}

export interface HeldRecord {
  readonly part: PartNumber;
  readonly connector: string;
  readonly until: Date;
}

export interface ParkedReceiptRecord {
  readonly at: Date;
  readonly connector: string;
  readonly smscMessageId: string;
  readonly state: string;
}

/**
 * - inFlight: claimed by a node; about to be submitted, or submitted and not answered yet
 * - uncertain: submitted, or possibly submitted by a node that died, and never answered
 * - unsent: never submitted, and will not be
 */
export type PartState = "waiting" | "inFlight" | "uncertain" | "taken" | "delivered" | "undelivered" | "unsent";

/** What resolved an uncertain part. */
export type Resolution = "late answer" | "receipt";

export interface PartTimeline {
  readonly part: number;
  readonly state: PartState;
  readonly connector?: string;
  readonly smscMessageId?: string;
  /** Uncertain: how often it was submitted without an answer, if known. */
  readonly unanswered?: number;
  /** Uncertain: when it will be submitted again. */
  readonly resendAt?: Date;
  /** Uncertain: how long an answer or a receipt is awaited. */
  readonly heldUntil?: Date;
  /** The part was uncertain until this resolved it. */
  readonly resolvedBy?: Resolution;
}

export function partTimelines(record: MessageRecord): readonly PartTimeline[] {
  return Array.from({ length: record.parts }, (_, index) => partTimeline(record, index + 1));
}

function partTimeline(record: MessageRecord, part: number): PartTimeline {
  const submission = record.submissions.findLast((each) => isOf(each, part));
  const held = record.held.find((each) => isOf(each, part));
  const reported = reportedState(record, part);
  if (reported === undefined) return missingPart(record, part, held);
  const connector = submission?.connector ?? held?.connector ?? record.connector;
  return {
    part,
    state: reported,
    ...(connector === null ? {} : { connector }),
    ...(submission === undefined ? {} : { smscMessageId: submission.smscMessageId }),
    ...(held === undefined ? {} : { resolvedBy: submission === undefined ? "receipt" : "late answer" }),
  };
}

function reportedState(record: MessageRecord, part: number): PartState | undefined {
  const bit = bitsOf(part);
  if ((record.partsUndelivered & bit) !== 0) return "undelivered";
  if ((record.partsDelivered & bit) !== 0) return "delivered";
  return (record.partsTaken & bit) !== 0 ? "taken" : undefined;
}

/** A part that is not known to be taken by any SMSC. */
function missingPart(record: MessageRecord, part: number, held: HeldRecord | undefined): PartTimeline {
  const isOpen = record.status === messageStatus.waiting;
  if (held)
    return { part, state: "uncertain", connector: held.connector, ...(isOpen ? { heldUntil: held.until } : {}) };
  const claim = record.claims.find(({ alive }) => alive) ?? record.claims[0];
  if (isOpen && claim) return { part, state: claim.alive ? "inFlight" : "uncertain", connector: claim.connector };
  // If some parts are held, the others were never written and will not be.
  if (record.held.length > 0) return { part, state: "unsent" };
  if (record.reason === reasonCode.outcomeUnknown) return uncertainPart(record, part);
  return { part, state: isOpen ? "waiting" : "unsent" };
}

// With `resend` the whole message waits again, and nothing records which of its missing parts were
// written.
function uncertainPart({ connector, queued }: MessageRecord, part: number): PartTimeline {
  return {
    part,
    state: "uncertain",
    ...(connector === null ? {} : { connector }),
    ...(queued === undefined ? {} : { unanswered: queued.unanswered, resendAt: queued.dueAt }),
  };
}

export type TimelineEvent =
  | { readonly at: Date; readonly kind: "accepted" | "scheduledFor" | "sent" | "ended" | "validityEnds" }
  | {
      readonly at: Date;
      readonly kind: "claimed";
      readonly connector: string;
      readonly bindNumber: number;
      readonly alive: boolean;
    }
  | {
      readonly at: Date;
      readonly kind: "taken";
      readonly part: PartNumber;
      readonly connector: string;
      readonly smscMessageId: string;
    }
  | ({ readonly at: Date; readonly kind: "turnedAway" } & TurnedAwayRecord)
  | { readonly at: Date; readonly kind: "refunded"; readonly amount: bigint }
  | { readonly at: Date; readonly kind: "due"; readonly unanswered: number; readonly heldBack: boolean }
  | { readonly at: Date; readonly kind: "receiptParked"; readonly state: string; readonly smscMessageId: string };

/** Past and future events in order. A waiting message ends with the end of its validity. */
export function timelineOf(record: MessageRecord): readonly TimelineEvent[] {
  const { acceptedAt, sendAt, sentAt, finalAt, validUntil, queued, turnedAway } = record;
  const events: TimelineEvent[] = [
    { at: acceptedAt, kind: "accepted" },
    ...(sendAt ? [{ at: sendAt, kind: "scheduledFor" } as const] : []),
    ...record.claims.map((claim) => ({ ...claim, at: claim.claimedAt, kind: "claimed" }) as const),
    ...record.submissions.map((submission) => ({ ...submission, kind: "taken" }) as const),
    ...record.parkedReceipts.map((receipt) => ({ ...receipt, kind: "receiptParked" }) as const),
    ...(turnedAway ? [{ ...turnedAway, kind: "turnedAway" } as const] : []),
    ...(sentAt ? [{ at: sentAt, kind: "sent" } as const] : []),
    ...(finalAt ? [{ at: finalAt, kind: "ended" } as const] : []),
    ...record.refunds.map((refund) => ({ ...refund, kind: "refunded" }) as const),
    ...(queued ? [{ ...queued, at: queued.dueAt, kind: "due" } as const] : []),
    ...(record.status === messageStatus.waiting ? [{ at: validUntil, kind: "validityEnds" } as const] : []),
  ];
  // A stable sort: simultaneous events keep the order above.
  return events.toSorted((one, other) => one.at.getTime() - other.at.getTime());
}

function isOf({ part }: { readonly part: PartNumber }, wanted: number): boolean {
  return part === wanted || isWhole(part);
}
