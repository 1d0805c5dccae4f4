// The catalogue of all events and their emitter. Logs, metrics and tests listen here. Events never
// contain message text, phone numbers or secrets. Fields that serve as labels have few values.

import type { NamedFall } from "../sms/delivery-quality.ts";

export interface TelemetryEvents {
  "batch.accepted": { accountId: number; messages: number; rejected: number; parts: number; durationMs: number };
  "batch.refused": { accountId: number; errorCode: number };
  "http.answered": { method: string; route: string; status: number; durationMs: number };
  "http.failed": { errorId: number; error: unknown };
  /** A connection or a call was dropped to make room for others. */
  "http.shed": { reason: string };
  /** Resources of the HTTP server that callers use now. */
  "http.held": HeldByCallers;
  /** How far the reports are behind the clock, as each dispatching node sees it. */
  "reports.behind": { seconds: number };
  /** Whose share of delivered messages fell, as each dispatching node finds every few minutes. */
  "delivery.measured": { falls: readonly NamedFall[] };
  /** How long events wait for those who read the log, or for those who send from it. */
  "events.behind": { seconds: number };
  /** Calls of the console that wait for their turn at the database. */
  "console.waiting": { kind: ConsoleTurns; count: number };
  /** A call of the console was answered 429. */
  "console.refused": { kind: ConsoleTurns | "changeRate" };
  /** A password or a code was wrong, or was not checked. */
  "login.refused": { reason: "wrong" | "limited" | "busy" };
  /**
   * So many wrong passwords and codes of this person came from this address within 10 s. Without
   * `who` there is no such person.
   */
  "login.failed": { who: string | undefined; address: string; count: number };
  "message.claimed": { connector: string; count: number };
  "submission.settled": {
    connector: string;
    /** Undefined for a late answer. */
    bindNumber?: number | undefined;
    outcome: SubmissionOutcome;
    count: number;
    latencyMs: number;
  };
  "receipt.received": { connector: string; verdict: string };
  "receipt.applied": { matched: number; unmatched: number; late: number };
  /**
   * Parked receipts were dropped because a connector had too many. Emitted once a minute per
   * connector.
   */
  "receipt.dropped": { connector: string; count: number };
  "inbound.received": { connector: string; kind: string };
  /**
   * A connector delivered a message that the line does not accept from it. Emitted once a minute
   * per connector and line.
   */
  "inbound.stray": { connector: string; line: string };
  "inbound.joined": { count: number };
  /** What became of replies to inbound messages. `errorCode`: of refused ones. */
  "replies.settled": { accountId: number; outcome: ReplyOutcome; errorCode?: number; count: number };
  "bind.changed": { connector: string; bindNumber: number; state: BindChange; reason?: string };
  /** This node holds the bind no longer: another node may, or the connector needs it no more. */
  "bind.released": { connector: string; bindNumber: number };
  /** This node leaves the binds to others: it lacks the address that connections come from. */
  "address.missing": { connector: string; address: string };
  /** This node runs the connector no longer, or not with these settings. */
  "connector.retired": { connector: string };
  /**
   * The operator did something that the protocol of the link forbids, `count` times since this was
   * last emitted. Emitted once a minute per bind.
   */
  "link.fault": { connector: string; bindNumber: number; fault: string; count: number };
  "window.use": { connector: string; inFlight: number; size: number };
  /** The times: when the messages fell due that have been due longest; null if none is due. */
  "queue.depth": { waiting: number; scheduled: number; oldestCodeAt: Date | null; oldestOtherAt: Date | null };
  "commit.group": { room: "intake" | "outcomes" | "receipts"; durationMs: number };
  /** A request to an endpoint has ended. */
  "webhook.answered": { outcome: WebhookOutcome; durationMs: number };
  /** Requests that failed and are tried again, of all endpoints. */
  "webhook.waiting": { count: number };
  /** It failed too often, or asked for a pause. */
  "webhook.paused": { account: string; endpoint: string; failure: string; httpStatus?: number | undefined };
  "webhook.recovered": { account: string; endpoint: string };
  "webhook.disabled": { account: string; endpoint: string; reason: string };
  /** The service is watched from now on, so its failures are counted from 0. */
  "service.watched": { service: string };
  "service.failed": { service: string; error: unknown };
  /** The round after a failed one failed, too. */
  "service.failedAgain": { service: string };
  "service.recovered": { service: string };
  /** The accounts of the configuration, or so many that changed, are about to be read. */
  "configuration.reading": { accounts: number | "all" };
  "configuration.reloaded": {
    version: bigint;
    accounts: number;
    /** Their names. */
    connectors: readonly string[];
    portedNumbers: { readonly given: number; readonly imported: number };
    /** On all block lists together. */
    blockListNumbers: number;
  };
  /**
   * A connection to the database failed or broke, for the first time since the database last
   * worked.
   */
  "database.lost": { error: unknown };
  /** The first working connection after database.lost. `lostMs` is the time between the two. */
  "database.back": { lostMs: number };
  /** The embedded PostgreSQL ended unexpectedly. It is restarted. */
  "postgres.exited": { code: number | null; signal: string | null };
  "postgres.started": { pid: number; durationMs: number; restarted: boolean };
  /** The parent of workers has started one of them. */
  "worker.started": { worker: number; pid: number };
  /** It works: it has joined the other nodes, and takes calls if it is to. */
  "worker.ready": { worker: number; pid: number };
  /**
   * The parent did not tell it to end. It starts another one after `restartAfterMs`. With code 0
   * somebody else told it to.
   */
  "worker.ended": {
    worker: number;
    pid: number;
    code: number | null;
    signal: string | null;
    restartAfterMs: number;
  };
  /** A line of the log was lost: it could not be written, and there was no room for it to wait. */
  "log.lineLost": object;
  /** The log is written again. So many lines are missing. */
  "log.lost": { lines: number };
  "node.lease": { held: boolean };
  /** How far this node's wall clock is ahead of the database's; negative: behind. */
  "clock.compared": { offSeconds: number };
  /** The two clocks differ by more than a minute, or do so no longer. */
  "node.clock": { isRight: boolean; offSeconds: number };
  /** All parts of these messages have been taken by an operator. */
  "message.sent": { count: number };
  "message.ended": { status: number; reason?: number; count: number };
}

export interface HeldByCallers {
  readonly connections: number;
  readonly headOctets: number;
  readonly bodyOctets: number;
}

/** What the callers of the console take turns at. */
export type ConsoleTurns = "sessions" | "reads" | "work" | "changes";

export type ReplyOutcome = "sent" | "refused" | "late" | "repeated" | "limited";
/** Delivered, or why it failed (webhooks/request-poster.ts). */
export const webhookOutcomes = [
  ...(["delivered", "status", "redirect", "timeout"] as const),
  ...(["address", "name", "certificate", "tls", "connection"] as const),
];
export type WebhookOutcome = (typeof webhookOutcomes)[number];
export const submissionOutcomes = [
  ...(["accepted", "refused", "deferred", "throttled"] as const),
  ...(["unknown", "expired", "late"] as const),
];
export type SubmissionOutcome = (typeof submissionOutcomes)[number];
export type BindChange = "bound" | "closed" | "refused" | "connecting";

/** A bind that this node holds, as it is now. */
export interface HeldBind {
  readonly connector: string;
  readonly bindNumber: number;
  readonly bound: boolean;
  /** Parts that were submitted and not answered. */
  readonly inFlight: number;
  readonly window: number;
}

export type TelemetryName = keyof TelemetryEvents;
type Listener<K extends TelemetryName> = (event: TelemetryEvents[K]) => void;

export class Telemetry {
  /**
   * By event name. Lists are replaced and never modified, so an event goes to the listeners
   * registered when it is emitted.
   */
  readonly #listeners = new Map<TelemetryName, readonly Listener<never>[]>();

  /**
   * Calls every listener. An error of a listener becomes a process warning; the other listeners
   * still run.
   */
  emit<K extends TelemetryName>(name: K, event: TelemetryEvents[K]): void {
    const listeners = this.#listeners.get(name) as readonly Listener<K>[] | undefined;
    if (!listeners) return;
    for (const listener of listeners) {
      try {
        listener(event);
      } catch (error) {
        process.emitWarning(`a listener of ${name} failed: ${String(error)}`);
      }
    }
  }

  /** Listens until the returned function is called. */
  on<K extends TelemetryName>(name: K, listener: Listener<K>): () => void {
    const before = this.#listeners.get(name) ?? [];
    if (!before.includes(listener)) this.#listeners.set(name, [...before, listener]);
    return () => {
      const now = this.#listeners.get(name) ?? [];
      this.#listeners.set(
        name,
        now.filter((other) => other !== listener),
      );
    };
  }

  /**
   * The next matching event, for tests. Rejects after the deadline, which only ends hanging tests.
   */
  next<K extends TelemetryName>(
    name: K,
    predicate: (event: TelemetryEvents[K]) => boolean = () => true,
    deadlineMs = 60_000,
  ): Promise<TelemetryEvents[K]> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        off();
        reject(new Error(`no ${name} within ${deadlineMs} ms`));
      }, deadlineMs);
      const off = this.on(name, (event) => {
        if (!predicate(event)) return;
        clearTimeout(timer);
        off();
        resolve(event);
      });
    });
  }
}

// Keeps reports of what may happen thousands of times a second rare: of each key one a minute, with
// how often it happened since the one before.

const everyMs = 60_000;

export class ReportLimiter {
  /** The configuration bounds the keys. */
  readonly #keys = new Map<string, { reportedAt: number; count: number }>();

  add(key: string, count = 1): void {
    const entry = this.#keys.get(key) ?? { reportedAt: -Infinity, count: 0 };
    entry.count += count;
    this.#keys.set(key, entry);
  }

  /** How many to report now; 0: none, or the report before was less than a minute ago. */
  take(key: string): number {
    const entry = this.#keys.get(key);
    const now = performance.now();
    if (entry === undefined || entry.count === 0 || now - entry.reportedAt < everyMs) return 0;
    const { count } = entry;
    Object.assign(entry, { reportedAt: now, count: 0 });
    return count;
  }
}
