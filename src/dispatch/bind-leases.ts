// The leases of this node's binds in the database. A lease is given back only when all outcomes of
// the bind are on disk, because another node may use the bind from then on.
import type { Database } from "../store/database.ts";
import { acquireBinds, type BindHolders, noteWithoutAddress, readBindHolders, releaseBinds } from "../store/nodes.ts";
import type { Membership } from "./membership.ts";
import { flushTimeoutMs, type OutcomeRecorder } from "./outcome-recorder.ts";

// Distributes the binds of all connectors over the nodes. Pure: every node computes the same result
// from the same facts. Applying the result does not change it, so binds do not move back and forth.

export interface ConnectorBinds {
  readonly connectorId: number;
  /** The number agreed with the operator. */
  readonly binds: number;
  /** Nodes without the address that its connections come from. */
  readonly notOn?: readonly string[];
}

export interface BindHolding {
  readonly nodeId: string;
  readonly connectorId: number;
  readonly bindNumbers: readonly number[];
}

/**
 * The number of binds of each connector that one node should have. For each connector, the numbers
 * of two nodes that can hold its binds differ by one at most. The nodes that get one more are chosen to balance the totals
 * first, and then to move few binds. Undefined when the node is not alive.
 */
export function shareOutBinds(
  nodeId: string,
  nodeIds: readonly string[],
  connectors: readonly ConnectorBinds[],
  holdings: readonly BindHolding[],
): ReadonlyMap<number, number> | undefined {
  if (!nodeIds.includes(nodeId)) return undefined;
  const held = new Map(holdings.map((holding) => [`${holding.connectorId} ${holding.nodeId}`, holding.bindNumbers]));
  const surplusOf = new Map(nodeIds.map((id) => [id, 0]));
  const shares = new Map<number, number>();
  for (const { connectorId, binds, notOn = [] } of [...connectors].sort(
    (one, other) => one.connectorId - other.connectorId,
  )) {
    const able = nodeIds.filter((id) => !notOn.includes(id));
    const least = Math.floor(binds / Math.max(able.length, 1));
    const bySurplus = able.map((id) => ({
      id,
      surplus: surplusOf.get(id) ?? 0,
      hasMore: (held.get(`${connectorId} ${id}`)?.length ?? 0) > least,
    }));
    bySurplus.sort(
      (one, other) =>
        one.surplus - other.surplus || Number(other.hasMore) - Number(one.hasMore) || (one.id < other.id ? -1 : 1),
    );
    const chosen = bySurplus.slice(0, binds - least * able.length);
    for (const { id, surplus } of chosen) surplusOf.set(id, surplus + 1);
    const isChosen = chosen.some(({ id }) => id === nodeId);
    shares.set(connectorId, able.includes(nodeId) ? least + (isChosen ? 1 : 0) : 0);
  }
  return shares;
}

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

  /** The other nodes share out the binds of these connectors. */
  noteWithoutAddress(connectorIds: readonly number[]): Promise<void> {
    const { db, membership } = this.#options;
    return noteWithoutAddress(db, membership.nodeId, connectorIds);
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
