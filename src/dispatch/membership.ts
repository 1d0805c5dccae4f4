// The membership of this process among the nodes that share the database: its lease and its view of
// the others. A node owns its binds and claims through this lease, and it stops sending before the
// lease ends.
import { hostname } from "node:os";
import { FailureLatch, PeriodicService, type Service } from "../platform/service.ts";
import type { Database, DatabaseClock } from "../store/database.ts";
import {
  insertNode,
  type NodeLease,
  numberNodeRun,
  removeDeadNodes,
  removeNode,
  removeOtherNodes,
  renewNode,
} from "../store/nodes.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { uuidv7 } from "../platform/uuid.ts";

// Compares the wall clock of this node with the database's, and tells when they differ.
// Stored messages and charges do not depend on the wall clock; access tokens, webhooks,
// sendTimestamp and absolute validity periods do.

const toleranceSeconds = 60;

export class ClockWatch {
  readonly #telemetry: Telemetry;
  #isRight = true;
  /** The last comparison differed from the reported state. The next one decides. */
  #isInDoubt = false;

  constructor(telemetry: Telemetry) {
    this.#telemetry = telemetry;
  }

  /**
   * Call it after each reading of the database's clock. Two comparisons in a row must agree,
   * because an answer that waited while the machine was suspended is old, and nothing shows how
   * old.
   */
  compare(clock: DatabaseClock): void {
    const offSeconds = (Date.now() - clock.now()) / 1000;
    this.#telemetry.emit("clock.compared", { offSeconds });
    const isRight = Math.abs(offSeconds) <= toleranceSeconds;
    const isNew = isRight !== this.#isRight;
    if (isNew && this.#isInDoubt) {
      this.#isRight = isRight;
      this.#telemetry.emit("node.clock", { isRight, offSeconds });
    }
    this.#isInDoubt = isNew && !this.#isInDoubt;
  }
}

/**
 * Long enough to outlive a restart of PostgreSQL, short enough that a dead node's binds move within
 * seconds.
 */
const leaseMs = 10_000;
const renewEveryMs = 2000;
/**
 * Safety margin: writing to links stops this long before the lease ends in the database, whose
 * clock differs from ours.
 */
const leaseMarginMs = 2000;
/**
 * A connector counts as up for this long after it was last seen bound, so that a quick rebind does
 * not cause a failover.
 */
const failoverAfterMs = 3000;

/**
 * The configuration version that this node reports, so that a command that changed the
 * configuration can wait for all nodes.
 */
export interface ConfigurationInUse {
  readonly current: { readonly version: bigint };
  onChange(listener: () => void): () => void;
}

export interface MembershipOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
  readonly directory: ConfigurationInUse;
  /** False: this node only takes calls and gets no binds. */
  readonly dispatches: boolean;
  /**
   * No other process can share this database (the embedded one), so every other listed node is
   * dead.
   */
  readonly alone: boolean;
}

export class Membership implements Service {
  readonly name = "membership";
  /** Stands for this registration in what is kept of submissions; 0 until it has one. */
  runNumber = 0;
  readonly #options: MembershipOptions;
  readonly #renewal: PeriodicService;
  /** A separate connection, so that an exhausted pool does not cost the lease. */
  #db: Database | undefined;
  readonly #lastSeenBound = new Map<number, number>();
  readonly #lossListeners = new Set<() => void>();
  #nodeId = uuidv7();
  #entered = false;
  #isAnnounced = false;
  /** Monotonic clock; it advances while a process is frozen. */
  #leaseEndsAt = 0;
  #wasHeld = false;
  readonly #latch: FailureLatch;
  readonly #clockWatch: ClockWatch;
  #forgetDirectory: (() => void) | undefined;

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#latch = new FailureLatch(this.name, options.telemetry);
    this.#clockWatch = new ClockWatch(options.telemetry);
    this.#renewal = new PeriodicService({
      name: this.name,
      everyMs: renewEveryMs,
      runOnce: () => this.#renewOrTell(),
      telemetry: options.telemetry,
    });
  }

  /** Changes each time the node registers again. */
  get nodeId(): string {
    return this.#nodeId;
  }

  /**
   * Whether this node may write to its links now. The lease counts from before the renewal was
   * sent.
   */
  get isLeaseHeld(): boolean {
    return performance.now() < this.#leaseEndsAt;
  }

  /** Called when the database reports that the lease has ended and this node did not know it. */
  onLeaseLost(listener: () => void): () => void {
    this.#lossListeners.add(listener);
    return () => this.#lossListeners.delete(listener);
  }

  /**
   * Started last, when calls are answered. Until then this node reports version 0, so that a
   * command that waits for a change does not return before it can be used.
   */
  get announcement(): Service {
    return {
      name: "announcement",
      start: async () => {
        this.#isAnnounced = true;
        await this.#tellConfiguration();
      },
      stop: () => Promise.resolve(),
    };
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

  /** Whether any node has this connector bound, or had it bound a moment ago. */
  isConnectorUp(connectorId: number): boolean {
    const seenAt = this.#lastSeenBound.get(connectorId);
    return seenAt !== undefined && performance.now() - seenAt < failoverAfterMs + renewEveryMs;
  }

  /** Records that a bind of this node is up, without asking the database. */
  noteBound(connectorId: number): void {
    this.#lastSeenBound.set(connectorId, performance.now());
  }

  // Failed rounds do not back off: the lease must be renewed as soon as the database is back.
  #renewOrTell(): Promise<void> {
    return this.#latch.watch(() => this.#renew());
  }

  /** Runs a round now, after the one in progress if there is one. */
  async renew(): Promise<void> {
    await this.#renewal.runNow();
  }

  async #renew(): Promise<void> {
    try {
      await this.#renewLease();
    } finally {
      // The lease may also have ended because the database did not answer.
      this.#tellLease();
    }
  }

  async #renewLease(): Promise<void> {
    const db = this.#db;
    if (db === undefined) return;
    const askedAt = performance.now();
    const { isRenewed, ...cluster } = await renewNode(db, this.#lease);
    if (this.#entered && !isRenewed) this.#enterAnew();
    if (!this.#entered) this.#entered = await this.#enter(db);
    if (this.#entered) this.#leaseEndsAt = askedAt + leaseMs - leaseMarginMs;
    this.#options.db.clock.heard(cluster.now, askedAt);
    this.#clockWatch.compare(this.#options.db.clock);
    for (const connectorId of cluster.boundConnectors) this.noteBound(connectorId);
    if (cluster.hasDeadNodes) await removeDeadNodes(db);
  }

  #tellLease(): void {
    if (this.#wasHeld === this.isLeaseHeld) return;
    this.#wasHeld = this.isLeaseHeld;
    this.#options.telemetry.emit("node.lease", { held: this.#wasHeld });
  }

  // The lease has expired. The binds and claims of the old id are taken over like those of any dead
  // node.
  #enterAnew(): void {
    this.#nodeId = uuidv7();
    this.runNumber = 0;
    this.#entered = false;
    this.#leaseEndsAt = 0;
    this.#tellLease();
    for (const listener of this.#lossListeners) listener();
  }

  get #lease(): NodeLease {
    const configurationVersion = this.#isAnnounced ? this.#options.directory.current.version : 0n;
    return { nodeId: this.#nodeId, leaseMs, configurationVersion };
  }

  async #enter(db: Database): Promise<boolean> {
    const { dispatches } = this.#options;
    const own = { host: hostname(), pid: process.pid };
    if (this.runNumber === 0) this.runNumber = (await numberNodeRun(db, { nodeId: this.#nodeId, ...own })) ?? 0;
    return insertNode(db, { ...this.#lease, ...own, dispatches });
  }

  /**
   * Reports the version at once, for commands that wait. If this fails, the next renewal reports
   * it.
   */
  async #tellConfiguration(): Promise<void> {
    await renewNode(this.#options.db, this.#lease).catch(() => undefined);
  }
}
