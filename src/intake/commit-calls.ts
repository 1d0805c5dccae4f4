// Commits send calls in groups. Where credit alone is asked, one statement stores the group. Where
// a call has an idempotency key or an account has limits, or credit does not cover all calls of an
// account, the accounts are locked first and each call is checked. Messages go directly to binds
// that have capacity. The outcome of an interrupted commit is looked up by batch id.
import { setTimeout as delay } from "node:timers/promises";
import type { Account } from "../directory/directory.ts";
import { GroupCommitter } from "../platform/group-commit.ts";
import { hasLimits } from "../sms/account-limits.ts";
import { messagePriority } from "../sms/message-status.ts";
import { type CallToStore, type DirectClaims, storeCalls, type StoredCalls } from "../store/accept-calls.ts";
import {
  findKeptAnswers,
  insertIdempotencyKeys,
  type KeptAnswer,
  settleCallsInDoubt,
} from "../store/idempotency-keys.ts";
import type { Database, Queryable } from "../store/database.ts";
import { DatabaseUnavailable, isRetriable, repeatConflicts } from "../store/database-errors.ts";
import { takeBackClaims } from "../store/claims.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { type AccountFunds, lockAccounts, saveAccounts, type Verdict } from "./account-funds.ts";
import { type AcceptedBatch, assembleCall } from "./assemble-call.ts";
import {
  type Accepted,
  beginAttempt,
  type CommitAttempt,
  finishAttempt,
  type CallFate,
  type CapacityAtBinds,
  type CallDecision,
  type GroupFate,
  replayOf,
  type RequestKey,
  withoutBinds,
} from "./commit-attempt.ts";

export interface CallCommitterOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
  readonly idempotencyHours: number;
  /** Validity of a message if its template sets none. */
  readonly validitySeconds: number;
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
  readonly timeoutMs?: number;
}

export interface CallToAccept {
  readonly account: Account;
  /** Of which one at least is prepared, unless the call has a key. */
  readonly verdicts: readonly Verdict[];
  readonly priority: number;
  /** With what a repetition of the call is answered, in the words of the caller. */
  readonly idempotency?: (RequestKey & { readonly answerOf: (batch: AcceptedBatch) => string }) | undefined;
}

/**
 * It could not be found out whether the calls of an interrupted commit were stored. They may be, so
 * they must neither be answered as "not stored" nor be tried again.
 */
class StillInDoubt extends Error {
  override readonly name = "StillInDoubt";
}

/** A call on its way to the database. */
interface CallToCommit {
  readonly call: CallToAccept;
  /** Credit alone decides, and covers the account's calls as far as is known. */
  readonly isFast: boolean;
}

/** Rows of one accepting statement. More rows would increase the latency of the calls. */
const maximumGroupRows = 1000;

const usualSettleWaitMs = 20_000;
const usualTimeoutMs = 5000;
/** How often the outcome of an interrupted commit is looked up. */
const settlePauseMs = 250;

export class CallCommitter {
  readonly #options: CallCommitterOptions;
  readonly #binds: CapacityAtBinds;
  readonly #committer: GroupCommitter<CallToCommit, GroupFate>;

  constructor(options: CallCommitterOptions) {
    this.#options = options;
    options.telemetry.emit("service.watched", { service: "intake" });
    this.#binds = options.directDispatch ?? withoutBinds;
    this.#committer = new GroupCommitter({
      commit: this.#commitGroup,
      maximumWeight: maximumGroupRows,
      isItemFailure: (error) => !(error instanceof DatabaseUnavailable || error instanceof StillInDoubt),
      // If somebody has locked a table, each group would otherwise wait for its own time-out.
      failWaiting: (cause, groupMs) => (groupMs < (options.timeoutMs ?? usualTimeoutMs) ? undefined : notBegun(cause)),
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
  async add(call: CallToAccept): Promise<CallFate> {
    const { limits, unlimited } = call.account;
    const isFast = call.idempotency === undefined && !hasLimits(limits, unlimited);
    const rows = call.verdicts.length;
    // One-time codes do not wait behind thousands of other messages, and get capacity at binds first.
    const isUrgent = call.priority === messagePriority.oneTimeCode;
    const fate = await this.#committer.add({ call, isFast }, rows, isUrgent);
    if (fate.kind !== "uncovered") return fate;
    const judged = await this.#committer.add({ call, isFast: false }, rows, isUrgent);
    if (judged.kind === "uncovered") throw new Error("a call that was judged under a lock was not stored");
    return judged;
  }

  readonly #commitGroup = async (group: readonly CallToCommit[]): Promise<readonly GroupFate[]> => {
    const startedAt = performance.now();
    const { db, telemetry } = this.#options;
    const calls: CallToAccept[] = [];
    let isFast = true;
    for (const each of group) {
      calls.push(each.call);
      isFast &&= each.isFast;
    }
    const decisions: CallDecision[] = [];
    if (isFast) for (const call of calls) decisions.push(this.#assemble(call, call.verdicts));
    // A transaction that is repeated makes another attempt. The last one counts.
    const last: { attempt?: CommitAttempt } = {};
    const store = async (at: Queryable, decisions: readonly CallDecision[]): Promise<StoredCalls> => {
      last.attempt?.reservation.release();
      const { calls: decided, reservation } = (last.attempt = beginAttempt(decisions, this.#binds));
      if (decided.length === 0) return { stored: [], storedAt: new Date(), isClaimed: false };
      return storeCalls(at, decided, reservation);
    };
    let outcome: StoredCalls;
    try {
      outcome = isFast ? await store(db, decisions) : await this.#commitJudged(calls, store);
    } catch (error) {
      last.attempt?.reservation.release();
      if (last.attempt === undefined || !(error instanceof DatabaseUnavailable && error.inDoubt)) throw error;
      return await this.#settle(last.attempt, error, startedAt);
    }
    if (last.attempt === undefined) throw new Error("a group was committed without an attempt");
    const { fates, waiting, claimed } = finishAttempt(last.attempt, outcome, uncovered);
    try {
      if (outcome.isClaimed) last.attempt.reservation.take(claimed);
      else last.attempt.reservation.release();
      if (waiting.parts > 0) this.#options.announceDue(waiting);
    } catch (error) {
      // The calls are on disk: an error would have them stored and charged again, one by one.
      telemetry.emit("service.failed", { service: "intake", error });
    }
    telemetry.emit("commit.group", { room: "intake", durationMs: performance.now() - startedAt });
    return fates;
  };

  /** Loads what the accounts have, decides call by call, and saves, in one transaction. */
  async #commitJudged(
    calls: readonly CallToAccept[],
    store: (tx: Queryable, decisions: readonly CallDecision[]) => Promise<StoredCalls>,
  ): Promise<StoredCalls> {
    const { db, idempotencyHours } = this.#options;
    return repeatConflicts(() =>
      db.transaction(async (tx) => {
        const accounts = await lockAccounts(tx, calls);
        const keys = calls.flatMap(({ account, idempotency }) =>
          idempotency ? [{ accountId: account.id, key: idempotency.key }] : [],
        );
        const kept = keys.length === 0 ? [] : await findKeptAnswers(tx, keys, idempotencyHours);
        const decisions = calls.map((call) => this.#decide(call, accounts.get(call.account.id), kept));
        const stored = await store(tx, decisions);
        await saveAccounts(tx, accounts.values());
        const answers = answersToKeep(calls, decisions);
        if (answers.length > 0) await insertIdempotencyKeys(tx, answers, idempotencyHours);
        return stored;
      }),
    );
  }

  #decide(call: CallToAccept, state: AccountFunds | undefined, kept: readonly KeptAnswer[]): CallDecision {
    const { account, idempotency } = call;
    const earlier =
      idempotency && kept.find(({ accountId, key }) => accountId === account.id && key === idempotency.key);
    if (idempotency && earlier) return replayOf(earlier, idempotency);
    // An account without a balance was removed meanwhile: the statement stores nothing for it, so no
    // answer may be kept.
    const verdicts = state?.judge(call.verdicts) ?? call.verdicts;
    const rejected = verdicts.filter((verdict) => verdict.kind === "rejected");
    if (rejected.length === verdicts.length) return { kind: "refused", messages: rejected };
    if (state === undefined) return this.#assemble({ account, priority: call.priority }, verdicts);
    const accepted = this.#assemble(call, verdicts);
    state.charge(accepted.call);
    return accepted;
  }

  #assemble(
    { account, priority, idempotency }: Pick<CallToAccept, "account" | "priority" | "idempotency">,
    verdicts: readonly Verdict[],
  ): Accepted {
    const { db, validitySeconds } = this.#options;
    const now = db.clock.now();
    const { batch, call } = assembleCall(verdicts, { accountId: account.id, priority, validitySeconds, now });
    if (idempotency === undefined) return { kind: "accepted", batch, call };
    return { kind: "accepted", batch, call, answer: idempotency.answerOf(batch) };
  }

  // The commit was interrupted: look up its batches by id before any call is answered.
  async #settle(attempt: CommitAttempt, cause: DatabaseUnavailable, startedAt: number): Promise<readonly CallFate[]> {
    const stored = await this.#findStored(attempt.calls, startedAt);
    if (stored.size === 0) throw new DatabaseUnavailable(cause.message, { inDoubt: false });
    await this.#takeBack(attempt.reservation);
    const outcome = {
      stored: attempt.calls.map(({ batchId }) => stored.has(batchId)),
      storedAt: new Date(),
      isClaimed: false,
    };
    const { fates, waiting } = finishAttempt(attempt, outcome, { kind: "void" } as const);
    if (waiting.parts > 0) this.#options.announceDue(waiting);
    return fates;
  }

  // Only this node knows that nothing under these claims was written to a link. If they were
  // recovered later as claims of a dead node, their messages would be uncertain. If the database is
  // away again, the supervisor finds the claims among the unknown ones and takes them back.
  async #takeBack({ claims }: DirectClaims): Promise<void> {
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
    const { db, settleWaitMs = usualSettleWaitMs, timeoutMs = usualTimeoutMs } = this.#options;
    const deadline = performance.now() + settleWaitMs;
    for (;;) {
      try {
        return await settleCallsInDoubt(db, calls);
      } catch (cause) {
        if (!isRetriable(cause) || performance.now() > deadline)
          throw new StillInDoubt("the database did not report whether a call was stored", { cause });
        if (performance.now() - startedAt > timeoutMs) this.#committer.rejectWaiting(notBegun(cause));
        await delay(settlePauseMs);
      }
    }
  }
}

const uncovered = { kind: "uncovered" } as const;

/** The error of a call whose group has not begun: nothing of it was sent to the database. */
function notBegun(cause: unknown): DatabaseUnavailable {
  return new DatabaseUnavailable("the database is not available: it did not store the calls before this one", {
    inDoubt: false,
    cause,
  });
}

function answersToKeep(calls: readonly CallToAccept[], decisions: readonly CallDecision[]): KeptAnswer[] {
  return calls.flatMap(({ account, idempotency }, index) => {
    const decision = decisions[index];
    if (idempotency === undefined || decision?.kind !== "accepted" || decision.answer === undefined) return [];
    const { key, fingerprint } = idempotency;
    return [{ accountId: account.id, key, fingerprint, answer: decision.answer }];
  });
}
