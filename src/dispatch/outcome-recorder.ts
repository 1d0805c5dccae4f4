// Writes the outcomes of parts and messages to the database, in groups and in the order in which
// they became known. Keeps trying while the database is away, because nobody else holds these
// outcomes.
import { setTimeout as delay } from "node:timers/promises";
import type { Directory } from "../directory/directory.ts";
import { GroupCommitter, type Waiter } from "../platform/group-commit.ts";
import { reportProgress, reportUnsentFor } from "../events/message-ends.ts";
import { FailureLatch, type Service } from "../platform/service.ts";
import { holdBack } from "../store/concatenation-references.ts";
import type { Database, Queryable } from "../store/database.ts";
import { isRetriable } from "../store/database-errors.ts";
import { requeueMessages } from "../store/message-queue.ts";
import {
  countAsAnswered,
  endUnsent,
  holdParts,
  holdUnansweredParts,
  lockMessages,
  releaseHeldParts,
} from "../store/outcomes.ts";
import {
  type Ended,
  nothingEnded,
  type PartReport,
  type PartTaken,
  type Progress,
  recordProgress,
  type WantedEvents,
} from "../store/progress.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import type { Settlement } from "./settlement.ts";
import { keepLateAnswers } from "../store/claims.ts";

// The parts that this process submitted recently, by the id that the SMSC gave them. Most receipts
// come soon and need no lookup in the database. Some SMSCs give all parts of a message one id.
// Bounded: when full, the older half is dropped.

/** Ids kept at most, about 300 octets for each part. */
const capacity = 100_000;

export class RecentSubmissions {
  #younger = new Map<string, readonly PartTaken[]>();
  #older = new Map<string, readonly PartTaken[]>();

  remember(part: PartTaken): void {
    if (part.smscMessageId === "") return;
    const { connectorId, smscMessageId, messageId } = part;
    const key = keyOf(connectorId, smscMessageId);
    const known = this.#younger.get(key) ?? this.#older.get(key);
    const others = known?.filter((each) => each.messageId === messageId && each.part !== part.part);
    this.#younger.set(key, others === undefined ? [part] : [...others, part]);
    if (this.#younger.size < capacity / 2) return;
    this.#older = this.#younger;
    this.#younger = new Map();
  }

  /** All of one message: the latest that was given this id. */
  find(connectorId: number, smscMessageId: string): readonly PartTaken[] {
    const key = keyOf(connectorId, smscMessageId);
    return this.#younger.get(key) ?? this.#older.get(key) ?? none;
  }

  /** Drops the parts of an id after their final receipt. */
  forget(connectorId: number, smscMessageId: string): void {
    const key = keyOf(connectorId, smscMessageId);
    if (!this.#younger.delete(key)) this.#older.delete(key);
  }
}

const none: readonly PartTaken[] = [];

function keyOf(connectorId: number, smscMessageId: string): string {
  return `${String(connectorId)} ${smscMessageId}`;
}

/** How long a caller waits that needs everything on disk and waits for nothing else. */
export const flushTimeoutMs = 1000;
const maximumGroup = 2000;
const retryPauseMs = 200;
/**
 * A settlement that fails this often for a permanent reason will fail again. The group is then
 * split and each settlement is tried by itself.
 */
const ownFailures = 3;

export interface OutcomeRecorderOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
  /** Says which events accounts want. Absent: none. */
  readonly directory?: { readonly current: Pick<Directory, "wantedEventsOf"> };
}

export class OutcomeRecorder implements Service {
  readonly name = "outcome-recorder";
  readonly #db: Database;
  readonly #telemetry: Telemetry;
  readonly #wantedEvents: WantedEvents | undefined;
  readonly #committer: GroupCommitter<Settlement, undefined>;
  readonly #recent = new RecentSubmissions();
  /**
   * Claims with an outcome that could not be written. They stay open until this node is gone and
   * they are recovered.
   */
  readonly #unfinishable = new Set<string>();
  #abandoned = false;
  /**
   * Tracks whether the database takes outcomes. An outcome that it refuses for good is reported
   * separately.
   */
  readonly #latch: FailureLatch;

  constructor({ db, telemetry, directory }: OutcomeRecorderOptions) {
    this.#db = db;
    this.#telemetry = telemetry;
    this.#latch = new FailureLatch(this.name, telemetry);
    this.#wantedEvents = directory && ((accountId) => directory.current.wantedEventsOf(accountId));
    this.#committer = new GroupCommitter<Settlement, undefined>({
      commit: this.#record,
      maximumWeight: maximumGroup,
      isItemFailure: (error) => !isRetriable(error),
    });
  }

  /** Waits until everything is written, or for `stopTimeoutMs` when the database stays away. */
  async stop(): Promise<void> {
    const timeout = new AbortController();
    const giveUp = delay(stopTimeoutMs, undefined, { signal: timeout.signal }).then(
      () => {
        this.#abandoned = true;
      },
      () => undefined,
    );
    await Promise.race([this.#committer.drained(), giveUp]);
    timeout.abort();
  }

  /**
   * Claims of which only this node knows what was written. They are neither finished nor treated as
   * lost.
   */
  get unfinishable(): readonly string[] {
    return [...this.#unfinishable];
  }

  /** Settlements that wait to be written. */
  get backlog(): number {
    return this.#committer.backlog;
  }

  /** Whether the last attempt to write failed; its settlements wait for the database. */
  get isFailing(): boolean {
    return this.#latch.isFailing;
  }

  /** Resolves when the settlement is on disk. */
  record(settlement: Settlement): Promise<unknown> {
    return new Promise((resolve, reject) => this.enqueue(settlement, { resolve, reject }));
  }

  /** As `record`, without a promise: for each message of a link. */
  enqueue(settlement: Settlement, waiter: Waiter<unknown>): void {
    if (settlement.taken) this.#recent.remember(settlement.taken);
    this.#committer.enqueue(settlement, waiter);
  }

  /** Resolves when what one receipt says and everything recorded before it are on disk. */
  recordReports(reports: readonly PartReport[]): Promise<unknown> {
    return this.#committer.add({ reports });
  }

  /** The parts that a connector's SMSC took under this id, if this node submitted them recently. */
  findRecent(connectorId: number, smscMessageId: string): readonly PartTaken[] {
    return this.#recent.find(connectorId, smscMessageId);
  }

  forget(connectorId: number, smscMessageId: string): void {
    this.#recent.forget(connectorId, smscMessageId);
  }

  /** Resolves when everything recorded before is on disk. */
  flushed(): Promise<unknown> {
    return this.#committer.isIdle ? Promise.resolve() : this.#committer.add({});
  }

  /** Whether everything recorded before is on disk within the time. */
  async flushedWithin(ms: number): Promise<boolean> {
    const timeout = new AbortController();
    const late = delay(ms, false, { signal: timeout.signal }).catch(() => false);
    try {
      return await Promise.race([this.flushed().then(() => true), late]);
    } finally {
      timeout.abort();
    }
  }

  readonly #record = async (settlements: readonly Settlement[]): Promise<undefined[]> => {
    const startedAt = performance.now();
    for (let failures = 0; ; failures += 1) {
      try {
        await this.#write(settlements, failures > 0);
        this.#latch.worked();
        break;
      } catch (error) {
        this.#noteFailure(error, failures);
        if (this.#abandoned || (!isRetriable(error) && failures >= ownFailures)) {
          // A settlement that failed because of another one in its group is tried again by itself.
          if (isRetriable(error) || settlements.length === 1) this.#keepClaims(settlements);
          throw error;
        }
        await delay(Math.min(retryPauseMs * (failures + 1), 2000));
      }
    }
    this.#telemetry.emit("commit.group", { room: "outcomes", durationMs: performance.now() - startedAt });
    return [];
  };

  #noteFailure(error: unknown, earlier: number): void {
    if (isRetriable(error)) {
      this.#latch.failed(error);
      return;
    }
    // The database has answered.
    this.#latch.worked();
    if (earlier === 0) this.#telemetry.emit("service.failed", { service: this.name, error });
  }

  #keepClaims(settlements: readonly Settlement[]): void {
    for (const { claimId } of settlements) if (claimId !== undefined) this.#unfinishable.add(claimId);
  }

  async #write(settlements: readonly Settlement[], isRepeated: boolean): Promise<void> {
    const taken: PartTaken[] = [];
    const reports: PartReport[] = [];
    const finishedClaims: string[] = [];
    const others: Settlement[] = [];
    let receipts = 0;
    for (const settlement of settlements) {
      const { finishedClaim } = settlement;
      if (settlement.taken !== undefined) taken.push(settlement.taken);
      if (settlement.reports !== undefined) {
        receipts += 1;
        reports.push(...settlement.reports);
      }
      if (finishedClaim !== undefined && !this.#unfinishable.has(finishedClaim)) finishedClaims.push(finishedClaim);
      if ((settlement.requeue ?? settlement.unsent ?? settlement.held ?? settlement.late) !== undefined)
        others.push(settlement);
    }
    const progress = { taken, reports, finishedClaims };
    const hasProgress = taken.length + reports.length + finishedClaims.length > 0;
    let ended = nothingEnded;
    // Nearly all groups need only this: one statement, one round trip.
    if (others.length > 0) ended = await this.#writeOthers(others, isRepeated, hasProgress ? progress : undefined);
    else if (hasProgress) ended = await recordProgress(this.#db, progress, this.#wantedEvents);
    if (receipts > 0) this.#telemetry.emit("receipt.applied", { matched: receipts, unmatched: 0, late: 0 });
    reportProgress(this.#telemetry, ended);
  }

  /** What is not taken: put back, ended, held, answered late. In one transaction with what is. */
  async #writeOthers(
    settlements: readonly Settlement[],
    isRepeated: boolean,
    progress: Progress | undefined,
  ): Promise<Ended> {
    const requeued = present(settlements.map((settlement) => settlement.requeue));
    const heldBack = present(settlements.map((settlement) => settlement.heldBack));
    const unsent = present(settlements.map((settlement) => settlement.unsent));
    const held = settlements.flatMap((settlement) => settlement.held ?? []);
    const late = present(settlements.map((settlement) => settlement.late));
    const released = present(settlements.map((settlement) => settlement.released));
    const { ended, reasons } = await this.#db.transaction(async (tx) => {
      const recorded = progress === undefined ? nothingEnded : await recordProgress(tx, progress, this.#wantedEvents);
      // A part is held only while its message still waits and was not put back, so parts are held
      // before the message ends or continues. Other parts of it may have gone unanswered earlier.
      if (held.length > 0) await holdParts(tx, held);
      if (unsent.length + held.length > 0) await holdUnansweredParts(tx, [...unsent, ...held]);
      if (requeued.length > 0) await requeueMessages(tx, requeued);
      // After the time-outs of the same parts.
      if (released.length > 0) await release(tx, released, isRepeated);
      if (heldBack.length > 0) await holdBack(tx, heldBack);
      const endedFor = unsent.length > 0 ? await endUnsent(tx, unsent) : [];
      if (late.length > 0) await keepLateAnswers(tx, late);
      return { ended: recorded, reasons: endedFor };
    });
    reportUnsentFor(this.#telemetry, reasons);
    return ended;
  }
}

/**
 * How long a stopping process waits for a database that is away. What is lost then, the next
 * process recovers as uncertain.
 */
const stopTimeoutMs = 10_000;

/**
 * These parts are known not to be taken. The messages of which such a part is not held any longer
 * go back to the queue; those that wait there already wait no longer than necessary.
 */
async function release(
  tx: Queryable,
  released: readonly NonNullable<Settlement["released"]>[],
  isRepeated: boolean,
): Promise<void> {
  const parts = released.map(({ part, requeue: { accountId, messageId, tries, delayMs, windowEnd } }) => {
    return { accountId, messageId, part, tries, delayMs, windowEnd };
  });
  await lockMessages(tx, parts);
  await countAsAnswered(tx, parts);
  const freed = await releaseHeldParts(tx, parts, { isRepeated });
  const triesOf = new Map(freed.map(({ messageId, tries }) => [messageId, tries]));
  const again = released.flatMap(({ requeue }) => {
    const tries = triesOf.get(requeue.messageId);
    return typeof tries === "number" ? [{ ...requeue, tries }] : [];
  });
  if (again.length > 0) await requeueMessages(tx, again);
}

function present<T>(values: readonly (T | undefined)[]): T[] {
  return values.filter((value) => value !== undefined);
}
