// Commits accepted calls in groups. Calls of an account are judged together if possible, messages
// go directly to binds that have room, and the outcome of an interrupted commit is looked up by
// batch id.
import { setTimeout as delay } from "node:timers/promises";
import { GroupCommitter } from "../platform/group-commit.ts";
import { messagePriority } from "../sms/message-priority.ts";
import { acceptCallsWithinLimits, isJudgedAsOne } from "../store/accept-calls-within-limits.ts";
import { acceptLimitedCalls } from "../store/accept-limited-calls.ts";
import {
  acceptCoveredCalls,
  acceptJudgedCalls,
  type CoveredFate,
  type JudgedFate,
  type StoredCalls,
} from "../store/accept-messages.ts";
import {
  type CallToStore,
  type MessageToStore,
  nothingStraight,
  type StraightClaims,
} from "../store/calls-to-store.ts";
import { settleCallsInDoubt } from "../store/calls-in-doubt.ts";
import type { Database } from "../store/database.ts";
import { DatabaseUnavailable, isRetriable } from "../store/database-errors.ts";
import type { ClaimedMessage } from "../store/message-queue.ts";
import { takeBackClaims } from "../store/lost-claims.ts";
import type { Telemetry } from "../platform/telemetry.ts";

export interface CallCommitterOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
  readonly idempotencyHours: number;
  /**
   * Called after a commit of messages that wait in the queue and are due now; `urgent`: one-time
   * codes.
   */
  readonly announceDue: (due: { readonly urgent: boolean; readonly parts: number }) => void;
  /** Binds of this process that can take messages directly; absent if the process has none. */
  readonly directDispatch?: CapacityAtBinds | undefined;
  /** How long the outcome of an interrupted commit is looked up; absent: 20 s. */
  readonly settleWaitMs?: number;
  /**
   * If a group fails after this time, the calls that waited behind it from its start fail with it;
   * if its outcome is looked up longer than this, those that wait behind it fail. Absent: 5 s.
   */
  readonly patienceMs?: number;
}

/**
 * It could not be found out whether the calls of an interrupted commit were stored. They may be, so
 * they must neither be answered as "not stored" nor be tried again.
 */
class StillInDoubt extends Error {
  override readonly name = "StillInDoubt";
}

/**
 * Reserves room at binds for messages about to be accepted and due at once; undefined is a message
 * that is not due.
 */
export interface CapacityAtBinds {
  reserve(messages: readonly ({ readonly routeId: number; readonly parts: number } | undefined)[]): ReservedCapacity;
}

/** Either `take` or `release` must be called. */
export interface ReservedCapacity extends StraightClaims {
  /**
   * The claims are on disk with these messages, in the order of `reserve`; undefined stands for a
   * message that is not under its claim.
   */
  take(messages: readonly (ClaimedMessage | undefined)[]): void;
  /** No message is known to be stored under the claims. */
  release(): void;
}

/**
 * What becomes of a call. `void`: its commit was interrupted, nothing of it is stored, and nothing
 * can be stored any more under its batch id.
 */
export type CallFate = JudgedFate | "void";

/** How a call is judged by the statement that stores it. */
type Judging =
  /** Together with the other calls of its account, by the account's credit and limits. */
  | "covered"
  /** Alone: it has an idempotency key, or credit or limits do not cover the account's calls. */
  | "judged";

/** A call on its way to the database. */
interface CallToCommit {
  readonly call: CallToStore;
  readonly judging: Judging;
}

const withoutDirectDispatch: CapacityAtBinds = {
  reserve: () => ({ ...nothingStraight, take: () => undefined, release: () => undefined }),
};

/** Rows of one accepting statement. More rows would increase the latency of the calls. */
const maximumGroupRows = 1000;

const usualSettleWaitMs = 20_000;
const usualPatienceMs = 5000;
/** How often the outcome of an interrupted commit is looked up. */
const settlePauseMs = 250;

export class CallCommitter {
  readonly #options: CallCommitterOptions;
  readonly #directDispatch: CapacityAtBinds;
  readonly #committer: GroupCommitter<CallToCommit, CallFate | CoveredFate>;

  constructor(options: CallCommitterOptions) {
    this.#options = options;
    options.telemetry.emit("service.watched", { service: "intake" });
    this.#directDispatch = options.directDispatch ?? withoutDirectDispatch;
    this.#committer = new GroupCommitter({
      commit: (calls) => this.#commitCalls(calls),
      weigh: ({ call }) => call.messages.length,
      maximumWeight: maximumGroupRows,
      // One-time codes do not wait behind thousands of other messages, and get room at binds first.
      isUrgent: ({ call }) => call.priority === messagePriority.oneTimeCode,
      // One group at a time: calls that arrive meanwhile make the next group larger, which costs
      // less per message.
      concurrency: 1,
      isItemFailure: (error) => !(error instanceof DatabaseUnavailable || error instanceof StillInDoubt),
      // If somebody has locked a table, each group would otherwise wait for its own time-out.
      failWaiting: (cause, groupMs) =>
        groupMs < (options.patienceMs ?? usualPatienceMs) ? undefined : notBegun(cause),
    });
  }

  /** Messages that wait for their commit. */
  get backlog(): number {
    return this.#committer.backlog;
  }

  drained(): Promise<void> {
    return this.#committer.drained();
  }

  /** Returns the outcome of the call after it is on disk. */
  add(call: CallToStore): Promise<CallFate> {
    return this.#commit({ call, judging: isJudgedAsOne(call) ? "covered" : "judged" });
  }

  async #commit(call: CallToCommit): Promise<CallFate> {
    const fate = await this.#committer.add(call);
    // A judged call never is.
    return fate === "unjudged" ? this.#commit({ ...call, judging: "judged" }) : fate;
  }

  async #commitCalls(group: readonly CallToCommit[]): Promise<readonly (CallFate | CoveredFate)[]> {
    const startedAt = performance.now();
    const calls = group.map(({ call }) => call);
    const reservation = this.#directDispatch.reserve(
      calls.flatMap(({ messages }) => messages.map((message) => (isDue(message) ? message : undefined))),
    );
    let stored: StoredCalls | undefined;
    try {
      stored = await this.#store(group, calls, reservation);
    } catch (error) {
      reservation.release();
      if (!(error instanceof DatabaseUnavailable && error.inDoubt)) throw error;
      const fates = await this.#settle(calls, error, startedAt);
      await this.#takeBack(reservation);
      this.#announceDue(calls, fates, []);
      return fates;
    }
    if (stored.isClaimed) reservation.take(claimedMessages(calls, stored, reservation.claimOf));
    else reservation.release();
    this.#announceDue(calls, stored.fates, stored.isClaimed ? reservation.claimOf : []);
    this.#options.telemetry.emit("commit.group", {
      room: "intake",
      rows: calls.reduce((sum, call) => sum + call.messages.length, 0),
      durationMs: performance.now() - startedAt,
    });
    return stored.fates;
  }

  /** Most groups need the least judgement, which costs least. */
  #store(
    group: readonly CallToCommit[],
    calls: readonly CallToStore[],
    straight: StraightClaims,
  ): Promise<StoredCalls> {
    const { db, idempotencyHours } = this.#options;
    const isLimited = calls.some(({ limits }) => limits !== undefined);
    if (group.some(({ judging }) => judging === "judged")) {
      const accept = isLimited ? acceptLimitedCalls : acceptJudgedCalls;
      return accept(db, calls, idempotencyHours, straight);
    }
    return (isLimited ? acceptCallsWithinLimits : acceptCoveredCalls)(db, calls, straight);
  }

  // One notice per group: its messages that are in the queue and due.
  #announceDue(calls: readonly CallToStore[], fates: readonly string[], claimOf: readonly (number | null)[]): void {
    let [place, parts] = [0, 0];
    let urgent = false;
    calls.forEach(({ messages, priority }, index) => {
      for (const message of messages) {
        const isQueued = fates[index] === "stored" && isDue(message) && typeof claimOf[place] !== "number";
        place += 1;
        if (!isQueued) continue;
        parts += message.parts;
        urgent ||= priority === messagePriority.oneTimeCode;
      }
    });
    if (parts > 0) this.#options.announceDue({ urgent, parts });
  }

  // The statement was interrupted: look up its batches by id before any call is answered.
  async #settle(
    calls: readonly CallToStore[],
    cause: DatabaseUnavailable,
    startedAt: number,
  ): Promise<readonly CallFate[]> {
    const stored = await this.#findStored(calls, startedAt);
    if (stored.size === 0) throw new DatabaseUnavailable(cause.message, { inDoubt: false });
    return calls.map((call) => (stored.has(call.batchId) ? "stored" : "void"));
  }

  // Only this node knows that nothing under these claims was written to a link. If they were
  // recovered later as claims of a dead node, their messages would be uncertain. If the database is
  // away again, the supervisor finds the claims among the unknown ones and takes them back.
  async #takeBack({ claims }: StraightClaims): Promise<void> {
    if (claims.length === 0) return;
    const claimIds = claims.map(({ claimId }) => claimId);
    const takeBack = this.#options.db.transaction((tx) => takeBackClaims(tx, claimIds));
    await takeBack.catch((error: unknown) =>
      this.#options.telemetry.emit("service.failed", { service: "intake", error }),
    );
  }

  // "Nothing was stored" is answered only after the database confirms it. Until then the callers
  // wait, for a limited time. Of the calls behind them nothing was sent, so these need not wait for
  // a database that stays away.
  async #findStored(calls: readonly CallToStore[], startedAt: number): Promise<Set<string>> {
    const { db, settleWaitMs = usualSettleWaitMs, patienceMs = usualPatienceMs } = this.#options;
    const deadline = performance.now() + settleWaitMs;
    for (;;) {
      try {
        return await settleCallsInDoubt(db, calls);
      } catch (cause) {
        if (!isRetriable(cause) || performance.now() > deadline)
          throw new StillInDoubt("the database did not report whether a call was stored", { cause });
        if (performance.now() - startedAt > patienceMs) this.#committer.rejectWaiting(notBegun(cause));
        await delay(settlePauseMs);
      }
    }
  }
}

/** The error of a call whose turn has not come: nothing of it was sent to the database. */
function notBegun(cause: unknown): DatabaseUnavailable {
  return new DatabaseUnavailable("the database is not available: it did not store the calls before this one", {
    inDoubt: false,
    cause,
  });
}

/** It may go out at once. */
function isDue({ unusual }: MessageToStore): boolean {
  return unusual?.sendAt === undefined && unusual?.review === undefined;
}

/** For each message of all calls: what its bind receives, if it was stored under a claim. */
function claimedMessages(
  calls: readonly CallToStore[],
  { fates, storedAt }: StoredCalls,
  claimOf: readonly (number | null)[],
): (ClaimedMessage | undefined)[] {
  const claimed: (ClaimedMessage | undefined)[] = [];
  calls.forEach(({ accountId, priority, messages }, index) => {
    for (const message of messages) {
      const isClaimed = fates[index] === "stored" && typeof claimOf[claimed.length] === "number";
      claimed.push(isClaimed ? claimedMessage(message, { accountId, priority, storedAt }) : undefined);
    }
  });
  return claimed;
}

/** In the form in which a claim reads it from the queue. */
function claimedMessage(
  message: MessageToStore,
  { accountId, priority, storedAt }: { accountId: number; priority: number; storedAt: Date },
): ClaimedMessage {
  const { id, routeId, sender, recipient, content, encoding, parts, validSeconds, templateId, unusual, windowEnd } =
    message;
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
    isFree: unusual?.purpose === undefined ? templateId !== null : unusual.purpose > 0,
    windowEnd,
  };
}
