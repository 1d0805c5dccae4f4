// This process among the nodes that share the database: its lease, and its view of the others. All that a node holds (binds, claims) it
// holds by this lease, and it stops sending before the lease ends.
import { hostname } from "node:os";
import { PeriodicService, type Service } from "../service.ts";
import type { Database } from "../store/database.ts";
import {
  insertNode,
  type NodeLease,
  noteConfigurationVersion,
  readCluster,
  removeDeadNodes,
  removeNode,
  removeOtherNodes,
  renewNode,
} from "../store/nodes.ts";
import type { Telemetry } from "../telemetry.ts";
import { uuidv7 } from "../uuid.ts";

/** Long enough to outlive a restart of PostgreSQL, short enough that a dead node's binds move within seconds. */
const leaseMs = 10_000;
const renewEveryMs = 2000;
/** Before the lease ends in the database, whose clock runs apart from ours, nothing more is written to any link. */
const leaseMarginMs = 2000;
/** A connector counts as up so long after it was last seen bound: a quick rebind is no reason to fail over. */
const failoverAfterMs = 3000;

/** What this node tells of its configuration, so that whoever changed it can wait for all nodes. */
export interface ConfigurationInUse {
  readonly current: { readonly version: bigint };
  onChange(listener: () => void): () => void;
}

export interface MembershipOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
  readonly directory: ConfigurationInUse;
  /** False: it only takes calls, and has no share in the binds. */
  readonly dispatches: boolean;
  /** No other process can share this database (the embedded one): whoever is entered in it is dead. */
  readonly alone: boolean;
}

export class Membership implements Service {
  readonly name = "membership";
  readonly #options: MembershipOptions;
  readonly #renewal: PeriodicService;
  /** Of one session, which nothing else uses: a pool that is exhausted must not cost the lease. */
  #db: Database | undefined;
  readonly #lastSeenBound = new Map<number, number>();
  readonly #lossListeners = new Set<() => void>();
  #nodeId = uuidv7();
  #entered = false;
  /** On the monotonic clock, which nobody steps; it goes on while a process is frozen. */
  #leaseEndsAt = 0;
  #nodes = 1;
  #wasHeld = false;
  #failing = false;
  #forgetDirectory: (() => void) | undefined;

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#renewal = new PeriodicService({
      name: this.name,
      everyMs: renewEveryMs,
      runOnce: () => this.#renewOrTell(),
      telemetry: options.telemetry,
    });
  }

  /** Changes each time the node has to enter anew. */
  get nodeId(): string {
    return this.#nodeId;
  }

  /** Whether this node may write to its links now. Reckoned from before the renewal was asked for. */
  get isLeaseHeld(): boolean {
    return performance.now() < this.#leaseEndsAt;
  }

  /** On the monotonic clock of `performance.now`. */
  get leaseHeldUntil(): number {
    return this.#leaseEndsAt;
  }

  /** Called when the database says that the lease had ended though this node did not think so. */
  onLeaseLost(listener: () => void): () => void {
    this.#lossListeners.add(listener);
    return () => this.#lossListeners.delete(listener);
  }

  get nodes(): number {
    return this.#nodes;
  }

  async start(): Promise<void> {
    this.#db ??= this.#options.db.openApart();
    if (this.#options.alone) await removeOtherNodes(this.#db, this.#nodeId);
    await this.#renew();
    this.#forgetDirectory = this.#options.directory.onChange(() => void this.#tellConfiguration());
    await this.#renewal.start();
  }

  async stop(): Promise<void> {
    this.#forgetDirectory?.();
    await this.#renewal.stop();
    this.#leaseEndsAt = 0;
    const db = this.#db;
    this.#db = undefined;
    try {
      if (this.#entered && db) await removeNode(db, this.#nodeId);
    } finally {
      this.#entered = false;
      await db?.close();
    }
  }

  /** Whether any node has this connector bound, or had until a moment ago. */
  isConnectorUp(connectorId: number): boolean {
    const seenAt = this.#lastSeenBound.get(connectorId);
    return seenAt !== undefined && performance.now() - seenAt < failoverAfterMs + renewEveryMs;
  }

  /** A bind of this node stands: known at once, without asking the database. */
  noteBound(connectorId: number): void {
    this.#lastSeenBound.set(connectorId, performance.now());
  }

  // A round that fails is not followed by a longer and longer pause: when the database is back, the lease is wanted at once.
  async #renewOrTell(): Promise<void> {
    const { telemetry } = this.#options;
    try {
      await this.#renew();
      if (this.#failing) telemetry.emit("service.recovered", { service: this.name });
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) telemetry.emit("service.failed", { service: this.name, error });
      this.#failing = true;
    }
  }

  /** A round now, after the one that may be under way. */
  async renew(): Promise<void> {
    await this.#renewal.runNow();
  }

  async #renew(): Promise<void> {
    const { telemetry } = this.#options;
    const db = this.#db;
    if (db === undefined) return;
    const askedAt = performance.now();
    if (this.#entered && !(await renewNode(db, this.#lease))) this.#enterAnew();
    if (!this.#entered) this.#entered = await this.#enter(db);
    if (this.#entered) this.#leaseEndsAt = askedAt + leaseMs - leaseMarginMs;
    await removeDeadNodes(db);
    const cluster = await readCluster(db);
    this.#nodes = Math.max(1, cluster.nodes);
    for (const connectorId of cluster.boundConnectors) this.noteBound(connectorId);
    if (this.#wasHeld !== this.isLeaseHeld) {
      this.#wasHeld = this.isLeaseHeld;
      telemetry.emit("node.lease", { held: this.#wasHeld });
    }
  }

  // The lease ran out in between: what stands under the old id is taken over like any dead node's.
  #enterAnew(): void {
    this.#nodeId = uuidv7();
    this.#entered = false;
    this.#leaseEndsAt = 0;
    for (const listener of this.#lossListeners) listener();
  }

  get #lease(): NodeLease {
    return { nodeId: this.#nodeId, leaseMs, configurationVersion: this.#options.directory.current.version };
  }

  #enter(db: Database): Promise<boolean> {
    const { dispatches } = this.#options;
    return insertNode(db, { ...this.#lease, host: hostname(), pid: process.pid, dispatches });
  }

  /** At once, for those who wait for it. Where it fails, the next renewal tells it. */
  async #tellConfiguration(): Promise<void> {
    await noteConfigurationVersion(this.#options.db, this.#lease).catch(() => undefined);
  }
}
