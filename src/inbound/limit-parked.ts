// Limits the receipts that wait for their submission: of each connector the newest are kept, so
// that an SMSC that invents receipts cannot fill the disk.
import { ReportLimiter, type Telemetry } from "../platform/telemetry.ts";
import type { Queryable } from "../store/database.ts";
import { deleteParkedUpTo, findParkedBeyond, listParkedConnectors } from "../store/kept-receipts.ts";

export interface ParkedLimitOptions {
  readonly db: Queryable;
  readonly telemetry: Telemetry;
  readonly directory: { readonly current: { readonly connectors: readonly { id: number; name: string }[] } };
  /** Parked receipts per connector, on all nodes together. */
  readonly limit?: number;
}

const usualLimit = 1_000_000;
/**
 * Finding the limit in the index takes about 100 ms, so a connector is checked only after this many
 * new receipts, as a fraction of the limit.
 */
const lookAfter = 1 / 100;
/**
 * Room left free by each check, as a fraction of the limit: what five nodes may park until their
 * next check.
 */
const leftFree = 1 / 20;
/**
 * Covers receipts that this process has not counted: from before its start, and from nodes that
 * ended.
 */
const noteAllEveryMs = 10 * 60_000;
/** Receipts that one statement drops: far within its time limit, even on a busy database. */
const slice = 2000;
/** Bounds one run, so that other work gets its turn and a stop does not wait long. */
const slicesAtOnce = 25;

export class ParkedLimit {
  readonly #options: ParkedLimitOptions;
  readonly #limit: number;
  /** Connector → receipts that were parked here since the last check. */
  readonly #parked = new Map<number, number>();
  readonly #dropped = new ReportLimiter();
  #notedAllAt = -Infinity;

  constructor(options: ParkedLimitOptions) {
    this.#options = options;
    this.#limit = options.limit ?? usualLimit;
  }

  /** Counts a parked receipt of the connector. */
  note(connectorId: number): void {
    this.#parked.set(connectorId, (this.#parked.get(connectorId) ?? 0) + 1);
  }

  /**
   * Drops the oldest receipts of each connector that is due, and returns how many. Call it every
   * second.
   */
  async keep(): Promise<number> {
    await this.#noteAll();
    let dropped = 0;
    for (const [connectorId, parked] of [...this.#parked])
      if (parked >= this.#limit * lookAfter) dropped += await this.#drop(connectorId, parked);
    this.#report();
    return dropped;
  }

  async #noteAll(): Promise<void> {
    const now = performance.now();
    if (now - this.#notedAllAt < noteAllEveryMs) return;
    for (const connectorId of await listParkedConnectors(this.#options.db)) this.#parked.set(connectorId, this.#limit);
    this.#notedAllAt = now;
  }

  /** The connector stays due if this fails or does not finish. */
  async #drop(connectorId: number, parked: number): Promise<number> {
    const { db } = this.#options;
    const upTo = await findParkedBeyond(db, { connectorId, newest: Math.floor(this.#limit * (1 - leftFree)) });
    let total = 0;
    for (let round = 0; upTo !== undefined && round < slicesAtOnce; round += 1) {
      const dropped = await deleteParkedUpTo(db, { connectorId, upTo, limit: slice });
      this.#dropped.add(String(connectorId), dropped);
      total += dropped;
      if (dropped < slice) break;
    }
    if (total < slice * slicesAtOnce) this.#parked.set(connectorId, (this.#parked.get(connectorId) ?? 0) - parked);
    return total;
  }

  /** A flood of receipts does not flood the log. */
  #report(): void {
    const { telemetry, directory } = this.#options;
    for (const connectorId of this.#parked.keys()) {
      const count = this.#dropped.take(String(connectorId));
      if (count === 0) continue;
      const found = directory.current.connectors.find(({ id }) => id === connectorId);
      telemetry.emit("receipt.dropped", { connector: found?.name ?? `connector ${connectorId}`, count });
    }
  }
}
