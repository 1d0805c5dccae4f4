// Writes down what became of parts and messages, many at once, in the order in which it was learnt. Keeps trying while the database is away:
// what it holds is told by nobody else.
import { setTimeout as delay } from "node:timers/promises";
import { GroupCommitter } from "../group-commit.ts";
import type { Service } from "../service.ts";
import type { Database } from "../store/database.ts";
import { DatabaseUnavailable, TransactionConflict } from "../store/database-errors.ts";
import { deleteClaims, requeueMessages } from "../store/message-queue.ts";
import { endUnsent, holdParts, recordPartsTaken } from "../store/outcomes.ts";
import type { Telemetry } from "../telemetry.ts";
import type { Settlement } from "./settlement.ts";

const maximumGroup = 2000;
const retryPauseMs = 200;
/** What fails so often for a reason of its own will fail again: then each settlement is tried by itself. */
const ownFailures = 3;

export class OutcomeRecorder implements Service {
  readonly name = "outcome-recorder";
  readonly #db: Database;
  readonly #telemetry: Telemetry;
  readonly #committer: GroupCommitter<Settlement, undefined>;
  #abandoned = false;

  constructor({ db, telemetry }: { db: Database; telemetry: Telemetry }) {
    this.#db = db;
    this.#telemetry = telemetry;
    this.#committer = new GroupCommitter<Settlement, undefined>({
      commit: (settlements) => this.#record(settlements),
      weigh: () => 1,
      maximumWeight: maximumGroup,
      concurrency: 1,
      isItemFailure: (error) => !isPassing(error),
    });
  }

  async start(): Promise<void> {
    // Driven by what is recorded.
  }

  /** Waits until all is written, or a database that stays away has been waited for long enough. */
  async stop(): Promise<void> {
    const patience = new AbortController();
    const giveUp = delay(stopPatienceMs, undefined, { signal: patience.signal }).then(
      () => {
        this.#abandoned = true;
      },
      () => undefined,
    );
    await Promise.race([this.#committer.drained(), giveUp]);
    patience.abort();
  }

  /** Resolves when it is on disk. */
  record(settlement: Settlement): Promise<unknown> {
    return this.#committer.add(settlement);
  }

  /** Resolves when all that was recorded before is on disk. */
  flushed(): Promise<unknown> {
    return this.#committer.isIdle ? Promise.resolve() : this.#committer.add({});
  }

  async #record(settlements: readonly Settlement[]): Promise<undefined[]> {
    const startedAt = performance.now();
    for (let failures = 0; ; failures += 1) {
      try {
        await this.#write(settlements);
        break;
      } catch (error) {
        if (failures === 0) this.#telemetry.emit("service.failed", { service: this.name, error });
        if (this.#abandoned) throw error;
        if (!isPassing(error) && failures >= ownFailures) throw error;
        await delay(Math.min(retryPauseMs * (failures + 1), 2000));
      }
    }
    this.#telemetry.emit("commit.group", {
      room: "outcomes",
      rows: settlements.length,
      durationMs: performance.now() - startedAt,
    });
    return new Array<undefined>(settlements.length).fill(undefined);
  }

  async #write(settlements: readonly Settlement[]): Promise<void> {
    const taken = present(settlements.map((settlement) => settlement.taken));
    const requeued = present(settlements.map((settlement) => settlement.requeue));
    const unsent = present(settlements.map((settlement) => settlement.unsent));
    const held = settlements.flatMap((settlement) => settlement.held ?? []);
    const claims = present(settlements.map((settlement) => settlement.finishedClaim));
    if (taken.length + requeued.length + unsent.length + held.length + claims.length === 0) return;
    // What nearly all groups are: one statement, one round trip.
    if (requeued.length + unsent.length + held.length === 0) return recordPartsTaken(this.#db, taken, claims);
    await this.#db.transaction(async (tx) => {
      if (taken.length > 0) await recordPartsTaken(tx, taken);
      if (requeued.length > 0) await requeueMessages(tx, requeued);
      // What is held and ended at once can only be held while it still waits.
      if (held.length > 0) await holdParts(tx, held);
      if (unsent.length > 0) await endUnsent(tx, unsent);
      if (claims.length > 0) await deleteClaims(tx, claims);
    });
    for (const { reason } of unsent) this.#telemetry.emit("message.ended", { status: 4, reason, count: 1 });
  }
}

/** How long a stopping process waits for a database that is away; what is lost then is recovered as uncertain by the next one. */
const stopPatienceMs = 10_000;

function present<T>(values: readonly (T | undefined)[]): T[] {
  return values.filter((value) => value !== undefined);
}

function isPassing(error: unknown): boolean {
  return error instanceof DatabaseUnavailable || error instanceof TransactionConflict;
}
