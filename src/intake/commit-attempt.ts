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
  storeCalls,
} from "../store/accept-calls.ts";
import type { Queryable } from "../store/database.ts";
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

export class CommitAttempt {
  readonly calls: readonly CallToStore[];
  readonly reservation: ReservedCapacity;
  readonly #decisions: readonly CallDecision[];

  constructor(decisions: readonly CallDecision[], binds: CapacityAtBinds) {
    this.#decisions = decisions;
    this.calls = decisions.flatMap((decision) => (decision.kind === "accepted" ? [decision.call] : []));
    this.reservation = binds.reserve(
      this.calls.flatMap(({ messages }) => messages.map((message) => (isDue(message) ? message : undefined))),
    );
  }

  async store(db: Queryable): Promise<StoredCalls> {
    if (this.calls.length === 0) return { stored: [], storedAt: new Date(), isClaimed: false };
    return storeCalls(db, this.calls, this.reservation);
  }

  /** The calls are committed. Hands the messages with a claim to their binds. */
  finish({ stored, storedAt, isClaimed }: StoredCalls): { fates: readonly GroupFate[]; waiting: Waiting } {
    if (isClaimed) this.reservation.take(this.#claimedMessages(stored, storedAt));
    else this.reservation.release();
    return {
      fates: this.#fates(stored, { kind: "uncovered" }),
      waiting: this.#waiting(stored, isClaimed ? this.reservation.claimOf : []),
    };
  }

  /** These are the batches that an interrupted commit has stored. Their claims are taken back. */
  finishInDoubt(storedIds: ReadonlySet<string>): { fates: readonly CallFate[]; waiting: Waiting } {
    const stored = this.calls.map(({ batchId }) => storedIds.has(batchId));
    return { fates: this.#fates(stored, { kind: "void" }), waiting: this.#waiting(stored, []) };
  }

  #fates<Other>(stored: readonly boolean[], other: Other): (CallDecision | Other)[] {
    let place = 0;
    return this.#decisions.map((decision) =>
      decision.kind !== "accepted" || stored[place++] === true ? decision : other,
    );
  }

  #waiting(stored: readonly boolean[], claimOf: readonly (number | null)[]): Waiting {
    let [place, parts] = [0, 0];
    let urgent = false;
    this.calls.forEach(({ messages, priority }, index) => {
      for (const message of messages) {
        const isWaiting = stored[index] === true && isDue(message) && typeof claimOf[place] !== "number";
        place += 1;
        if (!isWaiting) continue;
        parts += message.parts;
        urgent ||= priority === messagePriority.oneTimeCode;
      }
    });
    return { parts, urgent };
  }

  /** For each message of all calls: what its bind receives, if it was stored under a claim. */
  #claimedMessages(stored: readonly boolean[], storedAt: Date): (ClaimedMessage | undefined)[] {
    const { claimOf } = this.reservation;
    const claimed: (ClaimedMessage | undefined)[] = [];
    this.calls.forEach((call, index) => {
      for (const message of call.messages) {
        const isClaimed = stored[index] === true && typeof claimOf[claimed.length] === "number";
        claimed.push(isClaimed ? claimedMessage(call, message, storedAt) : undefined);
      }
    });
    return claimed;
  }
}

/** It may go out at once. */
function isDue({ sendAt, review }: MessageToStore): boolean {
  return sendAt === undefined && review === undefined;
}

/** In the form in which a claim reads it from the queue. */
function claimedMessage(
  { accountId, priority }: CallToStore,
  { id, validSeconds, templateId, purpose, ...message }: MessageToStore,
  storedAt: Date,
): ClaimedMessage {
  const { routeId, sender, recipient, content, encoding, parts, windowEnd } = message;
  return {
    accountId,
    messageId: id,
    routeId,
    priority,
    dueAt: storedAt,
    validForMs: validSeconds * 1000,
    attempt: 0,
    unanswered: 0,
    tries: 0,
    sender,
    recipient,
    content,
    encoding,
    parts,
    partsTaken: 0,
    templateId,
    isFree: purpose === undefined ? templateId !== null : purpose > 0,
    windowEnd,
  };
}

/** The answer of an earlier call with the key. */
export function replayOf(kept: KeptAnswer, { fingerprint }: RequestKey): KeyReplay {
  return kept.fingerprint.equals(fingerprint) ? { kind: "replayed", answer: kept.answer } : { kind: "keyReused" };
}
