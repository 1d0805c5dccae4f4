// Collects what became of requests, and stores it about once a second in one transaction, with the
// places of the endpoints that it makes true. Success costs no write of its own.
import type { Database } from "../store/database.ts";
import { type EndpointProgress, type ReplayProgress, saveProgress, saveReplays } from "../store/webhook-progress.ts";
import {
  type AttemptToSave,
  deleteRetries,
  makeRetriesDue,
  type RetryToSave,
  saveAttempts,
  saveRetries,
} from "../store/webhook-requests.ts";

interface Change {
  readonly endpointId: string;
  readonly requestId: string;
  /** Undefined: it is done. */
  readonly retry: RetryToSave | undefined;
}

interface Collected {
  /** By endpoint and request; of two of one request the later counts. */
  readonly changes: Map<string, Change>;
  readonly attempts: AttemptToSave[];
  /** Endpoints that have recovered. */
  readonly recovered: Set<string>;
  readonly onSaved: (() => void)[];
}

export interface PlacesToSave {
  readonly progress: readonly EndpointProgress[];
  readonly replays: readonly ReplayProgress[];
}

/** Of successes and failures that the database did not take, the oldest are forgotten. */
const mostAttempts = 20_000;

export class OutcomeSaver {
  readonly #db: Database;
  #collected = nothing();

  constructor(db: Database) {
    this.#db = db;
  }

  saveRetry(retry: RetryToSave, onSaved: () => void): void {
    const { endpointId, requestId } = retry;
    this.#change({ endpointId, requestId, retry }, onSaved);
  }

  deleteRetry(endpointId: string, requestId: string, onSaved: () => void): void {
    this.#change({ endpointId, requestId, retry: undefined }, onSaved);
  }

  #change(change: Change, onSaved: () => void): void {
    this.#collected.onSaved.push(onSaved);
    this.#collected.changes.set(`${change.endpointId} ${change.requestId}`, change);
  }

  noteAttempt(attempt: AttemptToSave): void {
    const { attempts } = this.#collected;
    attempts.push(attempt);
    if (attempts.length > mostAttempts) attempts.shift();
  }

  noteRecovery(endpointId: string, onSaved: () => void): void {
    this.#collected.recovered.add(endpointId);
    this.#collected.onSaved.push(onSaved);
  }

  get isIdle(): boolean {
    const { changes, attempts, recovered } = this.#collected;
    return changes.size + attempts.length + recovered.size === 0;
  }

  /** The endpoints whose attempts it stored. Nothing is lost where it fails. */
  async save(nodeId: string, { progress, replays }: PlacesToSave, now: Date): Promise<ReadonlySet<string>> {
    const taken = this.#collected;
    if (this.isIdle && progress.length + replays.length === 0) return new Set();
    this.#collected = nothing();
    const changes = [...taken.changes.values()];
    try {
      await this.#db.transaction(async (tx) => {
        await deleteRetries(
          tx,
          changes.filter(({ retry }) => retry === undefined),
        );
        await saveRetries(tx, { nodeId, retry: changes.flatMap(({ retry }) => retry ?? []) });
        await makeRetriesDue(tx, [...taken.recovered], now);
        await saveAttempts(tx, taken.attempts);
        await saveProgress(tx, { nodeId, progress });
        await saveReplays(tx, { nodeId, replay: replays });
      });
    } catch (error) {
      this.#putBack(taken);
      throw error;
    }
    for (const onSaved of taken.onSaved) onSaved();
    return new Set(taken.attempts.map(({ endpointId }) => endpointId));
  }

  #putBack({ changes, attempts, recovered, onSaved }: Collected): void {
    const later = this.#collected;
    this.#collected = {
      changes: new Map([...changes, ...later.changes]),
      attempts: [...attempts, ...later.attempts].slice(-mostAttempts),
      recovered: new Set([...recovered, ...later.recovered]),
      onSaved: [...onSaved, ...later.onSaved],
    };
  }
}

function nothing(): Collected {
  return { changes: new Map(), attempts: [], recovered: new Set(), onSaved: [] };
}
