// One view of the whole service: combines the rows that all nodes write, and lists what needs a
// person. Any node can make it, from a few rows.
import type { Directory } from "../directory/directory.ts";
import { listLastChanges } from "../store/audit.ts";
import type { Queryable } from "../store/database.ts";
import { countRows, listLowCredit, readFigures, type ReadFigures } from "../store/figures.ts";
import { type Attention, findAttention, mostReviewsCounted, type Seen, silentAfterSeconds } from "./attention.ts";
import { countWaits, type WaitCount } from "./waiting.ts";
import { type BindFigures, type Counts, noCounts, type NodeFigures } from "./tally.ts";

export interface LiveConnector {
  readonly name: string;
  readonly enabled: boolean;
  /** Binds stay, nothing is submitted. */
  readonly paused: boolean;
  /** For how long no bind has been up; absent while one is, or while it is off. */
  readonly unboundSeconds?: number;
  /** The latest of a bind that is not up. */
  readonly lastError?: string;
  readonly partsPerSecond: number;
  /** In the last five minutes. */
  readonly submitted: number;
  readonly unanswered: number;
  readonly binds: readonly (Omit<BindFigures, "connector"> & { readonly node: string })[];
}

export interface LiveNode {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  /** Since it last reported its figures: at least each 4 seconds. */
  readonly silentSeconds: number;
  /** Whether its lease holds. */
  readonly lease: boolean;
  /** Since it last lost its lease, if that was within five minutes. */
  readonly leaseLostSeconds?: number;
  /** From the clock of the database, if that is more than a minute. */
  readonly clockOffSeconds?: number;
  /** Messages a second, as `sent`. */
  readonly accepted: number;
  readonly sent: number;
  readonly binds: number;
  readonly boundBinds: number;
}

/** What somebody has switched off, or paused. */
export interface SwitchedOff {
  readonly kind: "operator" | "connector";
  readonly name: string;
  /** A connector whose binds stay. */
  readonly isPaused: boolean;
  /** Absent: the audit no longer says it. */
  readonly since?: Date;
  readonly who?: string;
}

export interface LiveFigures {
  readonly at: Date;
  /** A second, of all nodes. */
  readonly rates: Readonly<Counts>;
  /** From a submit_sm to its answer: half, and 95 of 100, took at most this. */
  readonly latency: { readonly medianMs: number; readonly slowMs: number };
  readonly queue: {
    readonly waiting: number;
    readonly scheduled: number;
    readonly oldestCodeSeconds: number;
    readonly oldestOtherSeconds: number;
  };
  /** What the queue waits for. */
  readonly waits: readonly WaitCount[];
  readonly connectors: readonly LiveConnector[];
  readonly nodes: readonly LiveNode[];
  readonly attention: readonly Attention[];
  readonly switchedOff: readonly SwitchedOff[];
}

export interface LiveLookOptions {
  readonly db: Queryable;
  readonly directory: { readonly current: Pick<Directory, "connectors" | "routes" | "disabledOperators"> };
  readonly now?: () => Date;
}

/** Longer between two looks, and what happened between them is unknown. */
const unseenMs = 10_000;
/** What changes slowly is read so often. */
const slowEveryMs = 10_000;
/** Than the reading of the queue took. */
const restsLonger = 20;
const mostAccountsListed = 20;

interface Slow {
  readonly readAt: number;
  readonly waitingTemplates: number;
  readonly inReview: number;
  readonly lowCredit: Seen["lowCredit"];
  readonly switchedOff: readonly SwitchedOff[];
}

export class LiveLook {
  readonly #options: LiveLookOptions;
  /** Since when each connector has been seen without a bind that is up. */
  readonly #unboundSince = new Map<string, number>();
  #lookedAt = -Infinity;
  #waits: readonly WaitCount[] = [];
  #waitsDueAt = -Infinity;
  #slow: Slow = { readAt: -Infinity, waitingTemplates: 0, inReview: 0, lowCredit: [], switchedOff: [] };

  constructor(options: LiveLookOptions) {
    this.#options = options;
  }

  async look(): Promise<LiveFigures> {
    const { db, directory, now = () => new Date() } = this.#options;
    const rows = await readFigures<NodeFigures>(db);
    const { waitingTemplates, inReview, lowCredit, switchedOff } = await this.#readSlow();
    if (performance.now() >= this.#waitsDueAt) void this.#readWaits();
    const at = now();
    const speaking = rows.filter(({ silentSeconds }) => silentSeconds < silentAfterSeconds);
    const connectors = this.#connectorsOf(speaking, at);
    const nodes = rows.map((row) => describeNode(row, at));
    const queue = queueOf(speaking, at);
    return {
      at,
      rates: sumRates(speaking),
      latency: latencyOf(speaking),
      queue,
      waits: [...this.#waits, ...(inReview > 0 ? [{ kind: "review" as const, messages: inReview }] : [])],
      connectors,
      nodes,
      attention: findAttention({
        ...queue,
        falls: speaking.flatMap(({ figures: { falls = [] } }) => falls),
        ...{ connectors, nodes, lowCredit, inReview, waitingTemplates, waits: this.#waits },
        routes: directory.current.routes.map(({ operator, line, connectors: of }) => ({
          ...{ operator, line },
          connectors: of.flatMap(({ id }) => directory.current.connectors.find((each) => each.id === id)?.name ?? []),
        })),
      }),
      switchedOff,
    };
  }

  /** No look waits for it: a long queue takes seconds to read, and is read the less often. */
  async #readWaits(): Promise<void> {
    const { db, directory } = this.#options;
    const startedAt = performance.now();
    this.#waitsDueAt = Infinity;
    try {
      this.#waits = await countWaits(db, directory.current);
    } catch {
      // Where the database is away, the look itself fails and says so.
    } finally {
      const endedAt = performance.now();
      this.#waitsDueAt = endedAt + Math.max(slowEveryMs, (endedAt - startedAt) * restsLonger);
    }
  }

  async #readSlow() {
    const now = performance.now();
    const { db, directory } = this.#options;
    const off = switchedOffIn(directory.current);
    const isOther = namesOf(off) !== namesOf(this.#slow.switchedOff);
    if (isOther || now - this.#slow.readAt >= slowEveryMs) {
      const low = await listLowCredit(db, mostAccountsListed);
      const lowCredit = low.map(({ account, balance, limit: below }) => ({
        ...{ account, balance: Number(balance), limit: Number(below) },
      }));
      const inReview = await countRows(db, "messagesInReview", mostReviewsCounted);
      const waitingTemplates = await countRows(db, "templatesToDecide");
      const switchedOff = await withWho(db, off);
      this.#slow = { readAt: now, waitingTemplates, inReview, lowCredit, switchedOff };
    }
    return this.#slow;
  }

  #connectorsOf(rows: readonly ReadFigures<NodeFigures>[], at: Date): readonly LiveConnector[] {
    const { connectors } = this.#options.directory.current;
    if (at.getTime() - this.#lookedAt > unseenMs) this.#unboundSince.clear();
    this.#lookedAt = at.getTime();
    return connectors.map(({ name, enabled, paused }): LiveConnector => {
      const binds = rows.flatMap(({ host, figures }) =>
        figures.binds.flatMap(({ connector, ...bind }) => (connector === name ? [{ ...bind, node: host }] : [])),
      );
      const asked = rows.map(({ figures }) => figures.asked[name]);
      const unboundSeconds = this.#unboundSeconds(name, binds, at);
      return {
        name,
        enabled,
        paused,
        ...(enabled && unboundSeconds !== undefined && { unboundSeconds, ...lastErrorOf(binds) }),
        partsPerSecond: rounded(sum(binds.map(({ partsPerSecond }) => partsPerSecond))),
        submitted: sum(asked.map((each) => each?.submitted ?? 0)),
        unanswered: sum(asked.map((each) => each?.unanswered ?? 0)),
        binds: binds.toSorted((one, other) => one.bind - other.bind),
      };
    });
  }

  /**
   * How long no bind of the connector has been up; undefined while one is. Counted from when the
   * last bind went down. If no node holds a bind, from when this node first saw that; so also for
   * a connector that was removed and added anew while somebody looked.
   */
  #unboundSeconds(name: string, binds: readonly Omit<BindFigures, "connector">[], at: Date): number | undefined {
    if (binds.some(({ bound }) => bound)) {
      this.#unboundSince.delete(name);
      return undefined;
    }
    const downSince = binds.map(({ since }) => Date.parse(since));
    const seen = this.#unboundSince.get(name) ?? at.getTime();
    const since = Math.min(seen, ...(downSince.length > 0 ? [Math.max(...downSince)] : []));
    this.#unboundSince.set(name, since);
    return Math.max(0, Math.round((at.getTime() - since) / 1000));
  }
}

function lastErrorOf(binds: readonly Omit<BindFigures, "connector">[]): { readonly lastError?: string } {
  const failed = binds.toSorted((one, other) => (other.lastErrorAt ?? "").localeCompare(one.lastErrorAt ?? ""))[0];
  return failed?.lastError === undefined ? {} : { lastError: failed.lastError };
}

function switchedOffIn({ disabledOperators, connectors }: Pick<Directory, "connectors" | "disabledOperators">) {
  return [
    ...[...disabledOperators].map((name): SwitchedOff => ({ kind: "operator", name, isPaused: false })),
    ...connectors
      .filter(({ enabled, paused }) => !enabled || paused)
      .map(({ name, enabled }): SwitchedOff => ({ kind: "connector", name, isPaused: enabled })),
  ];
}

function namesOf(all: readonly SwitchedOff[]): string {
  return JSON.stringify(all.map(({ kind, name, isPaused }) => [kind, name, isPaused]));
}

async function withWho(db: Queryable, off: readonly SwitchedOff[]): Promise<readonly SwitchedOff[]> {
  if (off.length === 0) return off;
  const changes = await listLastChanges(
    db,
    off.map(({ kind, name, isPaused }) => ({ kind, name, keys: [isPaused ? "paused" : "enabled"] })),
  );
  return off.map((each) => {
    const change = changes.find(({ kind, name }) => kind === each.kind && name === each.name);
    return { ...each, ...(change && { since: change.at, who: change.who }) };
  });
}

function describeNode({ processId, host, silentSeconds, figures }: ReadFigures<NodeFigures>, at: Date): LiveNode {
  const { pid, lease, leaseLostAt, clockOffSeconds, rates, binds } = figures;
  const lostSeconds = leaseLostAt === undefined ? undefined : (at.getTime() - Date.parse(leaseLostAt)) / 1000;
  return {
    id: processId,
    host,
    pid,
    silentSeconds: Math.round(silentSeconds),
    lease,
    ...(lostSeconds !== undefined && { leaseLostSeconds: Math.max(0, Math.round(lostSeconds)) }),
    ...(clockOffSeconds !== undefined && { clockOffSeconds }),
    accepted: rates.accepted,
    sent: rates.sent,
    binds: binds.length,
    boundBinds: binds.filter(({ bound }) => bound).length,
  };
}

function sumRates(rows: readonly ReadFigures<NodeFigures>[]): Counts {
  const rates = { ...noCounts };
  for (const name of Object.keys(noCounts) as (keyof Counts)[]) {
    rates[name] = rounded(sum(rows.map(({ figures }) => figures.rates[name])));
  }
  return rates;
}

/**
 * The median is weighted by each node's number of answers. The slow value is that of the slowest
 * node.
 */
function latencyOf(rows: readonly ReadFigures<NodeFigures>[]): LiveFigures["latency"] {
  const all = rows.map(({ figures }) => figures.latency);
  const answers = sum(all.map((each) => each.answers));
  const weighed = sum(all.map((each) => each.answers * each.medianMs));
  return {
    medianMs: answers === 0 ? 0 : Math.round(weighed / answers),
    slowMs: Math.max(0, ...all.map(({ slowMs }) => slowMs)),
  };
}

/** Each node that dispatches measures the whole queue. */
function queueOf(rows: readonly ReadFigures<NodeFigures>[], at: Date): LiveFigures["queue"] {
  const measured = rows.flatMap(({ figures }) => figures.queue ?? []);
  const secondsSince = (since: string | null): number =>
    since === null ? 0 : Math.round((at.getTime() - Date.parse(since)) / 1000);
  return {
    waiting: Math.max(0, ...measured.map(({ waiting }) => waiting)),
    scheduled: Math.max(0, ...measured.map(({ scheduled }) => scheduled)),
    oldestCodeSeconds: Math.max(0, ...measured.map(({ oldestCodeAt }) => secondsSince(oldestCodeAt))),
    oldestOtherSeconds: Math.max(0, ...measured.map(({ oldestOtherAt }) => secondsSince(oldestOtherAt))),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
