// Counts what this process does, from its events: for the row that it tells each second, and for
// the minutes of the series. A count costs well below a microsecond; nothing here waits or writes.
import type { Telemetry } from "../platform/telemetry.ts";
import type { NamedFall } from "../sms/delivery-quality.ts";

export interface Counts {
  /** Messages accepted. */
  accepted: number;
  /** Messages whose last part an operator has taken. */
  sent: number;
  delivered: number;
  undelivered: number;
  /** Messages that ended without being sent. */
  unsent: number;
  /** Parts by what operators answered. */
  taken: number;
  refused: number;
  throttled: number;
  unanswered: number;
}

export const noCounts: Readonly<Counts> = {
  accepted: 0,
  sent: 0,
  delivered: 0,
  undelivered: 0,
  unsent: 0,
  taken: 0,
  refused: 0,
  throttled: 0,
  unanswered: 0,
};

/** Upper bounds in milliseconds, each a quarter above the one before: 1 ms to 2 minutes. */
const latencyBounds = Array.from({ length: 54 }, (_, step) => 1.25 ** step);

/** Times from a submit_sm to its answer. */
export class LatencyTally {
  readonly #counts = new Uint32Array(latencyBounds.length + 1);
  answers = 0;

  add(ms: number): void {
    const bucket = ms <= 1 ? 0 : Math.min(latencyBounds.length, Math.ceil(Math.log(ms) / Math.log(1.25)));
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.answers += 1;
  }

  /**
   * The time in milliseconds that `percent` per cent of the answers did not exceed, with an error
   * of at most a quarter. 0 without answers.
   */
  percentile(percent: number): number {
    const wanted = (this.answers * percent) / 100;
    let seen = 0;
    for (const [bucket, count] of this.#counts.entries()) {
      seen += count;
      if (count > 0 && seen >= wanted) return Math.round(latencyBounds[bucket] ?? latencyBounds.at(-1) ?? 0);
    }
    return 0;
  }

  clear(): void {
    this.#counts.fill(0);
    this.answers = 0;
  }
}

/** The recent submissions to one connector. */
export interface Asked {
  submitted: number;
  unanswered: number;
}

const slotMs = 10_000;
const slotsOfFiveMinutes = 30;

/** The last five minutes of each connector, in steps of ten seconds. */
class RecentAnswers {
  readonly #now: () => number;
  #slots: { readonly since: number; readonly byConnector: Map<string, Asked> }[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  add(connector: string, isUnanswered: boolean): void {
    const { byConnector } = this.#current();
    let asked = byConnector.get(connector);
    if (asked === undefined) byConnector.set(connector, (asked = { submitted: 0, unanswered: 0 }));
    asked.submitted += 1;
    if (isUnanswered) asked.unanswered += 1;
  }

  sums(): Map<string, Asked> {
    this.#current();
    const sums = new Map<string, Asked>();
    for (const { byConnector } of this.#slots) {
      for (const [connector, { submitted, unanswered }] of byConnector) {
        const sum = sums.get(connector) ?? { submitted: 0, unanswered: 0 };
        sums.set(connector, { submitted: sum.submitted + submitted, unanswered: sum.unanswered + unanswered });
      }
    }
    return sums;
  }

  #current() {
    const now = this.#now();
    const last = this.#slots.at(-1);
    if (last !== undefined && now < last.since + slotMs) return last;
    const next = { since: now, byConnector: new Map<string, Asked>() };
    this.#slots = [...this.#slots.filter(({ since }) => since > now - slotMs * slotsOfFiveMinutes), next];
    return next;
  }
}

interface BindState {
  isBound: boolean;
  since: Date;
  error?: string;
  errorAt?: Date;
  parts: number;
}

/** Characters of a bind's last error that are kept. */
const longestError = 300;

export class Tally {
  readonly latency = new LatencyTally();
  readonly latencyOfMinute = new LatencyTally();
  readonly #counts: Counts = { ...noCounts };
  readonly #recent: RecentAnswers;
  readonly #binds = new Map<string, Map<number, BindState>>();
  queue: NodeFigures["queue"];
  falls: readonly NamedFall[] = [];
  isLeaseHeld = true;
  leaseLostAt: Date | undefined;
  /** How far the clock of this node is from the database's; undefined if that is within limits. */
  clockOffSeconds: number | undefined;

  constructor({ now = () => performance.now() }: { readonly now?: () => number } = {}) {
    this.#recent = new RecentAnswers(now);
  }

  /** Until the returned function is called. */
  listen(telemetry: Telemetry): () => void {
    const counts = this.#counts;
    const offs = [
      telemetry.on("batch.accepted", ({ messages }) => void (counts.accepted += messages)),
      telemetry.on("message.sent", ({ count }) => void (counts.sent += count)),
      telemetry.on("message.ended", ({ status, count }) => {
        if (status === 2) counts.delivered += count;
        else if (status === 3) counts.undelivered += count;
        else if (status === 4) counts.unsent += count;
      }),
      telemetry.on("submission.settled", ({ connector, bindNumber, outcome, latencyMs }) => {
        // An answer that came too late was counted as missing before.
        if (bindNumber === undefined) return;
        const isUnanswered = outcome === "unknown";
        this.#recent.add(connector, isUnanswered);
        if (isUnanswered) counts.unanswered += 1;
        else if (outcome === "accepted") counts.taken += 1;
        else if (outcome === "throttled") counts.throttled += 1;
        else if (outcome === "refused") counts.refused += 1;
        if (isUnanswered || outcome === "expired") return;
        this.latency.add(latencyMs);
        this.latencyOfMinute.add(latencyMs);
        if (outcome === "accepted") this.#bindOf(connector, bindNumber).parts += 1;
      }),
      telemetry.on("bind.changed", ({ connector, bindNumber, state, reason }) => {
        if (state === "connecting") return;
        const bind = this.#bindOf(connector, bindNumber);
        const at = new Date();
        // A try that fails does not begin the outage anew.
        if (bind.isBound !== (state === "bound")) Object.assign(bind, { isBound: state === "bound", since: at });
        if (reason === undefined) return;
        bind.error = reason.slice(0, longestError);
        bind.errorAt = at;
      }),
      telemetry.on("queue.depth", ({ oldestCodeAt, oldestOtherAt, ...depth }) => {
        this.queue = {
          ...depth,
          oldestCodeAt: oldestCodeAt?.toISOString() ?? null,
          oldestOtherAt: oldestOtherAt?.toISOString() ?? null,
        };
      }),
      telemetry.on("delivery.measured", ({ falls }) => void (this.falls = falls)),
      telemetry.on("node.lease", ({ held }) => {
        this.isLeaseHeld = held;
        if (!held) this.leaseLostAt = new Date();
      }),
      telemetry.on("node.clock", ({ isRight, offSeconds }) => {
        this.clockOffSeconds = isRight ? undefined : Math.round(Math.abs(offSeconds));
      }),
      telemetry.on("clock.compared", ({ offSeconds }) => {
        if (this.clockOffSeconds !== undefined) this.clockOffSeconds = Math.round(Math.abs(offSeconds));
      }),
    ];
    return () => {
      for (const off of offs) off();
    };
  }

  /** Since the process began. */
  get totals(): Readonly<Counts> {
    return { ...this.#counts };
  }

  /** Of the last five minutes. */
  get asked(): Map<string, Asked> {
    return this.#recent.sums();
  }

  bindOf(connector: string, bindNumber: number): Readonly<BindState> {
    return this.#bindOf(connector, bindNumber);
  }

  /** Binds that this node no longer holds are forgotten. */
  keepBinds(held: readonly { readonly connector: string; readonly bindNumber: number }[]): void {
    for (const [connector, binds] of this.#binds) {
      const numbers = new Set(held.filter((bind) => bind.connector === connector).map(({ bindNumber }) => bindNumber));
      for (const bindNumber of binds.keys()) if (!numbers.has(bindNumber)) binds.delete(bindNumber);
      if (binds.size === 0) this.#binds.delete(connector);
    }
  }

  #bindOf(connector: string, bindNumber: number): BindState {
    let binds = this.#binds.get(connector);
    if (binds === undefined) {
      binds = new Map<number, BindState>();
      this.#binds.set(connector, binds);
    }
    const known = binds.get(bindNumber);
    if (known !== undefined) return known;
    const bind = { isBound: false, since: new Date(), parts: 0 };
    binds.set(bindNumber, bind);
    return bind;
  }
}

export function difference(now: Readonly<Counts>, before: Readonly<Counts>): Counts {
  const counts = { ...now };
  for (const name of Object.keys(noCounts) as (keyof Counts)[]) counts[name] = now[name] - before[name];
  return counts;
}

// What a node tells each second, as it stands in its row. Nodes of other versions may stand beside
// this one: fields are only added.

export interface NodeFigures {
  readonly pid: number;
  /** A second. */
  readonly rates: Readonly<Counts>;
  /** From a submit_sm to its answer, in the last second. */
  readonly latency: { readonly answers: number; readonly medianMs: number; readonly slowMs: number };
  readonly binds: readonly BindFigures[];
  /** By connector, in the last five minutes. */
  readonly asked: Readonly<Record<string, Readonly<Asked>>>;
  /** As it was last measured, every 5 s or less often; only of nodes that dispatch. The times in ISO 8601. */
  readonly queue?: {
    readonly waiting: number;
    readonly scheduled: number;
    readonly oldestCodeAt: string | null;
    readonly oldestOtherAt: string | null;
  };
  /** Whose share of delivered messages fell; only of nodes that dispatch, and if there are any. */
  readonly falls?: readonly NamedFall[];
  readonly lease: boolean;
  /** ISO 8601; only if it was lost in the last minutes. */
  readonly leaseLostAt?: string;
  /** Only if its clock is more than a minute from the database's, ahead or behind. */
  readonly clockOffSeconds?: number;
}

export interface BindFigures {
  readonly connector: string;
  readonly bind: number;
  readonly bound: boolean;
  /** ISO 8601: since when it is bound, or is not. */
  readonly since: string;
  /** Parts submitted and not answered yet. */
  readonly inFlight: number;
  readonly window: number;
  readonly partsPerSecond: number;
  readonly lastError?: string;
  readonly lastErrorAt?: string;
}
