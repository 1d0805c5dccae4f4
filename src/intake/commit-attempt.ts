// One try to store the calls of a group that were decided on: with the capacity that is reserved for
// their messages at binds, and what happens to calls and messages afterwards.
import { messagePriority } from "../sms/message-status.ts";
import type { RejectedMessage } from "../sms/prepare-message.ts";
import {
  type CallToStore,
  type DirectClaims,
  type MessageToStore,
  noDirectClaims,
  type StoredCalls,
} from "../store/accept-calls.ts";
import type { KeptAnswer } from "../store/idempotency-keys.ts";
import type { ClaimedMessage } from "../store/message-queue.ts";
import type { AcceptedBatch } from "./assemble-call.ts";

/** An idempotency key, and what tells its call from another one. */
export interface RequestKey {
  readonly key: string;
  readonly fingerprint: Buffer;
}

/** `answer`: what the first call with the key kept, unchanged. */
export type KeyReplay = { readonly kind: "replayed"; readonly answer: string } | { readonly kind: "keyReused" };

export interface Accepted {
  readonly kind: "accepted";
  readonly batch: AcceptedBatch;
  readonly call: CallToStore;
  /** What is kept under the key, if there is one. */
  readonly answer?: string;
}

export type CallDecision =
  Accepted | KeyReplay | { readonly kind: "refused"; readonly messages: readonly RejectedMessage[] };

/**
 * What becomes of a call. `void`: its commit was interrupted, nothing of it is stored, and nothing
 * can be stored any more under its batch id.
 */
export type CallFate = CallDecision | { readonly kind: "void" };

/** `uncovered`: the credit does not cover all calls of the account in this group. */
export type GroupFate = CallFate | { readonly kind: "uncovered" };

/**
 * Reserves capacity at binds for messages about to be accepted and due at once; undefined is a
 * message that is not due.
 */
export interface CapacityAtBinds {
  reserve(messages: readonly ({ readonly routeId: number; readonly parts: number } | undefined)[]): ReservedCapacity;
}

/** Either `take` or `release` must be called. */
export interface ReservedCapacity extends DirectClaims {
  /**
   * The claims are on disk with these messages, in the order of `reserve`; undefined stands for a
   * message that is not under its claim.
   */
  take(messages: readonly (ClaimedMessage | undefined)[]): void;
  /** No message is known to be stored under the claims. */
  release(): void;
}

export const withoutBinds: CapacityAtBinds = {
  reserve: () => ({ ...noDirectClaims, take: () => undefined, release: () => undefined }),
};

/** Messages that wait in the queue and are due. */
interface Waiting {
  readonly parts: number;
  /** One-time codes are among them. */
  readonly urgent: boolean;
}

/** What became of calls that were committed, and what of their messages waits. */
export interface Finished<Fate> {
  readonly fates: readonly Fate[];
  readonly waiting: Waiting;
  /** For each message of all calls: what its bind receives, if it was stored under a claim. */
  readonly claimed: readonly (ClaimedMessage | undefined)[];
}

export interface CommitAttempt {
  readonly decisions: readonly CallDecision[];
  /** Of the decisions that accept one. */
  readonly calls: readonly CallToStore[];
  readonly reservation: ReservedCapacity;
}

export function beginAttempt(decisions: readonly CallDecision[], binds: CapacityAtBinds): CommitAttempt {
  const calls: CallToStore[] = [];
  const due: (MessageToStore | undefined)[] = [];
  for (const decision of decisions) {
    if (decision.kind !== "accepted") continue;
    calls.push(decision.call);
    for (const message of decision.call.messages) due.push(isDue(message) ? message : undefined);
  }
  return { decisions, calls, reservation: binds.reserve(due) };
}

/** The calls are committed as `stored` says. `other`: what becomes of those that are not stored. */
export function finishAttempt<Other>(
  { decisions, reservation }: CommitAttempt,
  { stored, storedAt, isClaimed: hasClaims }: StoredCalls,
  other: Other,
): Finished<CallDecision | Other> {
  const { claimOf } = reservation;
  const fates: (CallDecision | Other)[] = [];
  const claimed: (ClaimedMessage | undefined)[] = [];
  let [calls, parts] = [0, 0];
  let urgent = false;
  for (const decision of decisions) {
    if (decision.kind !== "accepted") {
      fates.push(decision);
      continue;
    }
    const { call } = decision;
    const isStored = stored[calls] === true;
    calls += 1;
    fates.push(isStored ? decision : other);
    for (const message of call.messages) {
      const isClaimed = isStored && hasClaims && typeof claimOf[claimed.length] === "number";
      claimed.push(isClaimed ? claimedMessage(call, message, storedAt) : undefined);
      if (isClaimed || !isStored || !isDue(message)) continue;
      parts += message.parts;
      urgent ||= call.priority === messagePriority.oneTimeCode;
    }
  }
  return { fates, waiting: { parts, urgent }, claimed };
}

/** It may go out at once. */
function isDue({ sendAt, review }: MessageToStore): boolean {
  return sendAt === undefined && review === undefined;
}

/** In the form in which a claim reads it from the queue. */
function claimedMessage(call: CallToStore, message: MessageToStore, storedAt: Date): ClaimedMessage {
  const { templateId, purpose } = message;
  return {
    accountId: call.accountId,
    messageId: message.id,
    routeId: message.routeId,
    priority: call.priority,
    dueAt: storedAt,
    validForMs: message.validSeconds * 1000,
    attempt: 0,
    unanswered: 0,
    tries: 0,
    sender: message.sender,
    recipient: message.recipient,
    content: message.content,
    encoding: message.encoding,
    parts: message.parts,
    partsTaken: 0,
    templateId,
    isFree: purpose === undefined ? templateId !== null : purpose > 0,
    windowEnd: message.windowEnd,
  };
}

/** The answer of an earlier call with the key. */
export function replayOf(kept: KeptAnswer, { fingerprint }: RequestKey): KeyReplay {
  return kept.fingerprint.equals(fingerprint) ? { kind: "replayed", answer: kept.answer } : { kind: "keyReused" };
}
