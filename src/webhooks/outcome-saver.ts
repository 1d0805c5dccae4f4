// Collects what became of requests, and stores it about once a second in one transaction, with the
// places of the endpoints that it makes true. Success costs no write of its own.
import type { Database, Queryable } from "../store/database.ts";
import { type EndpointProgress, type ReplayProgress, saveProgress, saveReplays } from "../store/webhook-progress.ts";
import {
  type AttemptToSave,
  deleteRetries,
  findBusyEndpoints,
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
  readonly listeners: SaveListener[];
}

interface SaveListener {
  readonly endpointId: string;
  readonly onSaved: () => void;
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
    const { endpointId, requestId } = change;
    this.#collected.listeners.push({ endpointId, onSaved });
    this.#collected.changes.set(`${endpointId} ${requestId}`, change);
  }

  noteAttempt(attempt: AttemptToSave): void {
    const { attempts } = this.#collected;
    attempts.push(attempt);
    if (attempts.length > mostAttempts) attempts.shift();
  }

  noteRecovery(endpointId: string, onSaved: () => void): void {
    this.#collected.recovered.add(endpointId);
    this.#collected.listeners.push({ endpointId, onSaved });
  }

  get isIdle(): boolean {
    const { changes, attempts, recovered } = this.#collected;
    return changes.size + attempts.length + recovered.size === 0;
  }

  /**
   * Nothing is lost where it fails. Answers the endpoints that somebody changes just now: what is
   * known of them waits for the next time, so that nobody waits for the other.
   */
  async save(nodeId: string, places: PlacesToSave, now: Date): Promise<ReadonlySet<string>> {
    const taken = this.#collected;
    if (this.isIdle && places.progress.length + places.replays.length === 0) return new Set();
    this.#collected = nothing();
    try {
      const busy = await this.#db.transaction(async (tx) => {
        const found = await findBusyEndpoints(tx, endpointsOf(taken, places));
        const isFree = ({ endpointId }: { readonly endpointId: string }): boolean => !found.has(endpointId);
        const free = { progress: places.progress.filter(isFree), replays: places.replays.filter(isFree) };
        await saveAll(tx, only(taken, isFree), { nodeId, places: free, now });
        return found;
      });
      const isBusy = ({ endpointId }: { readonly endpointId: string }): boolean => busy.has(endpointId);
      if (busy.size > 0) this.#putBack(only(taken, isBusy));
      for (const listener of taken.listeners) if (!isBusy(listener)) listener.onSaved();
      return busy;
    } catch (error) {
      this.#putBack(taken);
      throw error;
    }
  }

  #putBack({ changes, attempts, recovered, listeners }: Collected): void {
    const later = this.#collected;
    this.#collected = {
      changes: new Map([...changes, ...later.changes]),
      attempts: [...attempts, ...later.attempts].slice(-mostAttempts),
      recovered: new Set([...recovered, ...later.recovered]),
      listeners: [...listeners, ...later.listeners],
    };
  }
}

async function saveAll(
  tx: Queryable,
  { changes, attempts, recovered }: Collected,
  { nodeId, places, now }: { nodeId: string; places: PlacesToSave; now: Date },
): Promise<void> {
  const changed = [...changes.values()];
  await deleteRetries(
    tx,
    changed.filter(({ retry }) => retry === undefined),
  );
  await saveRetries(tx, { nodeId, retry: changed.flatMap(({ retry }) => retry ?? []) });
  await makeRetriesDue(tx, [...recovered], now);
  await saveAttempts(tx, attempts);
  await saveProgress(tx, { nodeId, progress: places.progress });
  await saveReplays(tx, { nodeId, replay: places.replays });
}

function endpointsOf({ changes, attempts, recovered }: Collected, places: PlacesToSave): readonly string[] {
  const concerned = [...changes.values(), ...attempts, ...places.progress, ...places.replays];
  return [...new Set([...recovered, ...concerned.map(({ endpointId }) => endpointId)])];
}

function only(
  { changes, attempts, recovered, listeners }: Collected,
  isMeant: (of: { readonly endpointId: string }) => boolean,
): Collected {
  return {
    changes: new Map([...changes].filter(([, change]) => isMeant(change))),
    attempts: attempts.filter(isMeant),
    recovered: new Set([...recovered].filter((endpointId) => isMeant({ endpointId }))),
    listeners: listeners.filter(isMeant),
  };
}

function nothing(): Collected {
  return { changes: new Map(), attempts: [], recovered: new Set(), listeners: [] };
}
