// The leases of this node's binds in the database. A lease is given back only when all outcomes of
// the bind are on disk, because another node may use the bind from then on.
import type { Database } from "../store/database.ts";
import { acquireBinds, type BindHolders, readBindHolders, releaseBinds } from "../store/nodes.ts";
import type { BindHolding } from "./bind-shares.ts";
import type { Membership } from "./membership.ts";
import { flushTimeoutMs, type OutcomeRecorder } from "./outcome-recorder.ts";

export interface BindLeasesOptions {
  readonly db: Database;
  readonly membership: Membership;
  readonly recorder: OutcomeRecorder;
}

export class BindLeases {
  readonly #options: BindLeasesOptions;
  /** Binds that are closing, whose leases this node still holds, as "connector number". */
  readonly #closing = new Set<string>();

  constructor(options: BindLeasesOptions) {
    this.#options = options;
  }

  /** The binds that all nodes hold. */
  holders(): Promise<BindHolders> {
    return readBindHolders(this.#options.db);
  }

  /** Leases up to `wanted` free ones of the connector's `binds`, and returns their numbers. */
  acquire(connectorId: number, { binds, wanted }: { binds: number; wanted: number }): Promise<readonly number[]> {
    const { db, membership } = this.#options;
    const { nodeId } = membership;
    return db.transaction((tx) => acquireBinds(tx, { nodeId, connectorId, binds, wanted }));
  }

  /** For binds on which nothing was written. `nodeId` is that under which they were leased. */
  async release(nodeId: string, connectorId: number, bindNumbers: readonly number[]): Promise<void> {
    await releaseBinds(this.#options.db, { nodeId, connectorId, bindNumbers });
  }

  /**
   * Closes the bind and gives its lease back. While the database is away nobody waits: the lease
   * expires, or `releaseUnused` gives it back later.
   */
  async releaseClosed(
    connectorId: number,
    bindNumber: number,
    { close, drainMs }: { close: () => Promise<void>; drainMs: number },
  ): Promise<void> {
    const { membership, recorder } = this.#options;
    const closing = keyOf(connectorId, bindNumber);
    this.#closing.add(closing);
    try {
      await close();
      if (!(await recorder.flushedWithin(drainMs + flushTimeoutMs))) return;
      await this.release(membership.nodeId, connectorId, [bindNumber]);
    } finally {
      this.#closing.delete(closing);
    }
  }

  /**
   * Gives back the leases of this node that could not be given back while the database was away.
   * Otherwise their binds would be up nowhere.
   */
  async releaseUnused(
    own: readonly BindHolding[],
    isUsed: (connectorId: number, bindNumber: number) => boolean,
  ): Promise<void> {
    for (const { nodeId, connectorId, bindNumbers } of own) {
      const unused = bindNumbers.filter(
        (bindNumber) => !isUsed(connectorId, bindNumber) && !this.#closing.has(keyOf(connectorId, bindNumber)),
      );
      if (unused.length === 0) continue;
      if (!(await this.#options.recorder.flushedWithin(flushTimeoutMs))) return;
      await this.release(nodeId, connectorId, unused);
    }
  }
}

function keyOf(connectorId: number, bindNumber: number): string {
  return `${connectorId} ${bindNumber}`;
}
