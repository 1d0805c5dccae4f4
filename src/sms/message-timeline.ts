// The history of one message, for `hodhod message` and the console: the state of each part, and all
// events with their times, derived from the stored records. Pure. Times are from the database's
// clock.
import type { FailureReason } from "./failure-reason.ts";
import type { Carrier } from "./data-coding.ts";
import type { NotTakenRun } from "./not-taken.ts";
import type { Encoding } from "./text-kind.ts";
import { bitsOf, isOneOfMany, isWhole, type PartNumber } from "./segmentation.ts";
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
  readonly encoding: Encoding;
  /** Rials. */
  readonly cost: bigint;
  readonly status: number;
  /** 1301…1310 */
  readonly reason: number | null;
  readonly reasonDetail: string | null;
  readonly failure: FailureReason | null;
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
  /** Submissions that did not get a part taken. */
  readonly notTaken: readonly NotTakenRecord[];
  /** How many of them are not kept any more. */
  readonly notTakenDropped: number;
  /** Answers that did not take a part and came after it had been given up. */
  readonly lateAnswers: readonly NotTakenRecord[];
  /** Claims of nodes that died, from the first one on. */
  readonly orphanedClaims: readonly OrphanedClaimRecord[];
  /** Whether there were more late answers, or claims of dead nodes, than are kept. */
  readonly moreDropped: boolean;
  /** In the order of time; some for each part. */
  readonly receipts: readonly ReceiptRecord[];
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
  /** When it can be submitted: now, if it was due before. At most the end of its validity. */
  readonly dueAt: Date;
  readonly isDue: boolean;
  /** The route, or variant of a route, on which it waits. */
  readonly routeId: number;
  /** When it would be due without sending hours; null: they did not move it. */
  readonly wantedAt: Date | null;
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
  /** How it was submitted; null where it is not known. */
  readonly writtenAt: Date | null;
  readonly answerMs: number | null;
  readonly bindNumber: number | null;
  /** The host of the node. */
  readonly node: string | null;
}

export interface NotTakenRecord extends Omit<NotTakenRun, "connectorId" | "node"> {
  readonly connector: string;
  /** The host of the node. */
  readonly node: string | null;
}

/** What it wrote of the message, and what the SMSC answered, is not known. */
export interface OrphanedClaimRecord {
  readonly claimedAt: Date;
  /** When another node took it over. */
  readonly at: Date;
  readonly connector: string;
  readonly bindNumber: number;
  /** The host of the node that died. */
  readonly node: string | null;
}

export interface ReceiptRecord {
  readonly at: Date;
  readonly part: PartNumber;
  readonly connector: string;
  readonly state: string;
  readonly error: string;
  /** Its first octets, as they came. May begin the text of the message. */
  readonly content: string;
  readonly repeated: boolean;
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
export type Resolution = "late answer" | "receipt" | "new submission";

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
  const resolvedBy = resolutionOf(record, part, submission, held);
  return {
    part,
    state: reported,
    ...(connector === null ? {} : { connector }),
    ...(submission === undefined ? {} : { smscMessageId: submission.smscMessageId }),
    ...(resolvedBy === undefined ? {} : { resolvedBy }),
  };
}

function resolutionOf(
  { notTaken, orphanedClaims }: MessageRecord,
  part: number,
  submission: SubmissionRecord | undefined,
  held: HeldRecord | undefined,
): Resolution | undefined {
  const open = notTaken.findLast((run) => run.answer === null && isOf(run, part));
  // A part that was recorded before the claim was taken over was never uncertain by it.
  const orphaned = orphanedClaims.findLast(({ at }) => submission === undefined || submission.at > at);
  if (open === undefined && held === undefined && orphaned === undefined) return undefined;
  if (submission === undefined) return "receipt";
  const isNew = open === undefined ? isAfter(submission, orphaned) : !isLate(submission, open);
  return isNew ? "new submission" : "late answer";
}

function isAfter({ writtenAt }: SubmissionRecord, orphaned: OrphanedClaimRecord | undefined): boolean {
  return writtenAt !== null && orphaned !== undefined && writtenAt >= orphaned.at;
}

/**
 * Whether the answer is that of the submission that went unanswered; times are exact to some
 * milliseconds.
 */
function isLate({ writtenAt }: SubmissionRecord, { lastAt }: { readonly lastAt: Date }): boolean {
  return writtenAt === null || writtenAt.getTime() <= lastAt.getTime() + timingErrorMs;
}

const timingErrorMs = 100;

/** Whether there were more answers that did not take a part than are kept. */
export function hasDroppedAnswers({ notTakenDropped, moreDropped }: MessageRecord): boolean {
  return notTakenDropped > 0 || moreDropped;
}

/** A connector, as far as its settings say how a text is carried. */
export interface NamedCarrier {
  readonly name: string;
  readonly settings: Carrier;
}

export interface SubmitSmFields {
  /** Absent: it depends on the text. */
  readonly dataCoding?: number;
  readonly esmClass?: number;
}

/**
 * The fields of the submit_sm of a part, as the present settings of its connector make it; nothing
 * if that was removed.
 */
export function submitSmFields(
  { encoding, parts }: Pick<MessageRecord, "encoding" | "parts">,
  { part, connector }: { readonly part: PartNumber; readonly connector: string },
  carriers: readonly NamedCarrier[],
): SubmitSmFields {
  const settings = carriers.find(({ name }) => name === connector)?.settings;
  if (settings === undefined) return {};
  const hasHeader = isOneOfMany(part, parts) && settings.longMessages !== "sar";
  const isKnown = encoding === "ucs2" || settings.defaultAlphabet === "gsm7";
  return { ...(isKnown && { dataCoding: encoding === "ucs2" ? ucs2 : 0 }), esmClass: hasHeader ? userDataHeader : 0 };
}

/** SMPP 3.4 §5.2.19, §5.2.12. */
const ucs2 = 8;
const userDataHeader = 0x40;

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
  // The other parts of a message with held ones go on by themselves.
  if (record.held.length > 0) return { part, state: record.queued ? "waiting" : "unsent" };
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
  | ({
      readonly kind: "taken";
      /** It had been given up as unanswered. */
      readonly isLate: boolean;
    } & SubmissionRecord)
  | ({
      readonly at: Date;
      readonly kind: "notTaken";
      /** It had been given up as unanswered. */
      readonly isLate: boolean;
    } & NotTakenRecord)
  | ({ readonly kind: "claimOrphaned" } & OrphanedClaimRecord)
  | ({ readonly at: Date; readonly kind: "receipt" } & ReceiptRecord)
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
    ...record.notTaken.map((run) => notTakenEvent(run, false)),
    ...record.lateAnswers.map((run) => notTakenEvent(run, true)),
    ...record.orphanedClaims.map((claim) => ({ ...claim, kind: "claimOrphaned" }) as const),
    ...record.submissions.map((submission) => takenEvent(record, submission)),
    ...record.receipts.map((receipt) => ({ ...receipt, kind: "receipt" }) as const),
    ...record.parkedReceipts.map((receipt) => ({ ...receipt, kind: "receiptParked" }) as const),
    ...(turnedAway && !record.notTaken.some(({ answer }) => answer !== null)
      ? [{ ...turnedAway, kind: "turnedAway" } as const]
      : []),
    ...(sentAt ? [{ at: sentAt, kind: "sent" } as const] : []),
    ...(finalAt ? [{ at: finalAt, kind: "ended" } as const] : []),
    ...record.refunds.map((refund) => ({ ...refund, kind: "refunded" }) as const),
    // What is due already waits for something, not for a time (whyItWaits).
    ...(queued?.isDue === false ? [{ ...queued, at: queued.dueAt, kind: "due" } as const] : []),
    ...(record.status === messageStatus.waiting ? [{ at: validUntil, kind: "validityEnds" } as const] : []),
  ];
  // A stable sort: simultaneous events keep the order above.
  return events.toSorted((one, other) => one.at.getTime() - other.at.getTime());
}

function notTakenEvent(run: NotTakenRecord, isLate: boolean): TimelineEvent {
  return { ...run, at: new Date(run.lastAt.getTime() + (run.answerMs ?? 0)), kind: "notTaken", isLate };
}

function takenEvent({ notTaken }: MessageRecord, submission: SubmissionRecord): TimelineEvent {
  const { at, writtenAt, answerMs } = submission;
  const open = notTaken.findLast((run) => run.answer === null && isOf(run, submission.part));
  const answeredAt = writtenAt === null ? at : new Date(writtenAt.getTime() + (answerMs ?? 0));
  return { ...submission, at: answeredAt, kind: "taken", isLate: open !== undefined && isLate(submission, open) };
}

function isOf({ part }: { readonly part: PartNumber }, wanted: number): boolean {
  return part === wanted || isWhole(part);
}
