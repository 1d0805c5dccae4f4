// Writes what this node sees: one row, replaced each second if it changed, and what it has counted in
// each minute. One small statement a second at most; when the database is slow or away, seconds are left
// out, never kept.
import { hostname } from "node:os";
import { PeriodicService, type Service } from "../platform/service.ts";
import type { Database } from "../store/database.ts";
import { dropFiguresOf, insertMinute, type MinuteOfNode, tellFigures } from "../store/figures.ts";
import type { HeldBind, Telemetry } from "../platform/telemetry.ts";
import { uuidv7 } from "../platform/uuid.ts";
import { type BindFigures, type Counts, difference, type NodeFigures, Tally } from "./tally.ts";
import { dropOldRows } from "../store/old-rows.ts";

export interface FiguresReporterOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
  /** Absent on a node that only takes calls. */
  readonly heldBinds?: (() => readonly HeldBind[]) | undefined;
}

const everyMs = 1000;
/** What has not changed is written so often, to say that the node is there. */
const sameEveryMs = 4000;
const minuteMs = 60_000;
/** Minutes that could not be written yet; older ones are given up. */
const mostMinutesKept = 120;
/** Rows of nodes that have ended without a word go after so long. */
const silentSeconds = 300;
/** The loss of a lease is shown for so long. */
const leaseLossShownMs = 300_000;

export class FiguresReporter implements Service {
  readonly name = "report-figures";
  readonly #options: FiguresReporterOptions;
  readonly #tally = new Tally();
  readonly #processId = uuidv7();
  readonly #reporting: PeriodicService;
  #stopListening: (() => void) | undefined;
  #reported = { at: performance.now(), counts: this.#tally.totals, parts: new Map<string, number>() };
  #minute = { at: startOfMinute(Date.now()), counts: this.#tally.totals };
  #minutes: MinuteOfNode[] = [];
  #written = { text: "", at: 0 };

  constructor(options: FiguresReporterOptions) {
    this.#options = options;
    const { telemetry } = options;
    this.#reporting = new PeriodicService({ name: this.name, everyMs, runOnce: () => this.#report(), telemetry });
  }

  async start(): Promise<void> {
    this.#stopListening ??= this.#tally.listen(this.#options.telemetry);
    await this.#reporting.start();
  }

  async stop(): Promise<void> {
    await this.#reporting.stop();
    this.#stopListening?.();
    this.#stopListening = undefined;
    this.#endMinute(this.#minute.at + minuteMs);
    const { db } = this.#options;
    await dropFiguresOf(db, this.#processId).catch(() => undefined);
    await this.#writeMinutes().catch(() => undefined);
  }

  /** Writes now, for tests. */
  async runNow(): Promise<void> {
    await this.#reporting.runNow();
  }

  async #report(): Promise<void> {
    const { db } = this.#options;
    const figures = this.#look();
    const [text, at] = [JSON.stringify(figures), performance.now()];
    if (text !== this.#written.text || at - this.#written.at > sameEveryMs - everyMs / 2) {
      await tellFigures(db, { processId: this.#processId, host: hostname(), figures });
      this.#written = { text, at };
    }
    const minute = startOfMinute(Date.now());
    if (minute <= this.#minute.at) return;
    this.#endMinute(minute);
    await dropOldRows(db, "silentNodes", silentSeconds);
    await this.#writeMinutes();
  }

  #look(): NodeFigures {
    const now = performance.now();
    const counts = this.#tally.totals;
    const seconds = Math.max(0.001, (now - this.#reported.at) / 1000);
    const passed = difference(counts, this.#reported.counts);
    const { latency } = this.#tally;
    const figures: NodeFigures = {
      pid: process.pid,
      rates: perSecond(passed, seconds),
      latency: {
        answers: latency.answers,
        medianMs: latency.percentile(50),
        slowMs: latency.percentile(95),
      },
      binds: this.#lookAtBinds(seconds),
      asked: Object.fromEntries(this.#tally.asked),
      ...(this.#tally.queue && { queue: this.#tally.queue }),
      ...(this.#tally.falls.length > 0 && { falls: this.#tally.falls }),
      lease: this.#tally.isLeaseHeld,
      ...this.#leaseLoss(),
      ...(this.#tally.clockOffSeconds !== undefined && { clockOffSeconds: this.#tally.clockOffSeconds }),
    };
    latency.clear();
    this.#reported = { ...this.#reported, at: now, counts };
    return figures;
  }

  #leaseLoss(): Pick<NodeFigures, "leaseLostAt"> {
    const { leaseLostAt } = this.#tally;
    const isShown = leaseLostAt !== undefined && Date.now() - leaseLostAt.getTime() < leaseLossShownMs;
    return isShown ? { leaseLostAt: leaseLostAt.toISOString() } : {};
  }

  #lookAtBinds(seconds: number): readonly BindFigures[] {
    const held = this.#options.heldBinds?.() ?? [];
    this.#tally.keepBinds(held);
    const parts = new Map<string, number>();
    const binds = held.map(({ connector, bindNumber, bound, inFlight, window }): BindFigures => {
      const { since, error, errorAt, parts: taken } = this.#tally.bindOf(connector, bindNumber);
      const key = `${connector} ${bindNumber}`;
      parts.set(key, taken);
      return {
        connector,
        bind: bindNumber,
        bound,
        since: since.toISOString(),
        inFlight,
        window,
        partsPerSecond: round((taken - (this.#reported.parts.get(key) ?? taken)) / seconds),
        ...(error !== undefined && { lastError: error }),
        ...(errorAt && { lastErrorAt: errorAt.toISOString() }),
      };
    });
    this.#reported = { ...this.#reported, parts };
    return binds;
  }

  #endMinute(next: number): void {
    const counts = this.#tally.totals;
    const { latencyOfMinute } = this.#tally;
    const minute: MinuteOfNode = {
      at: new Date(this.#minute.at),
      processId: this.#processId,
      ...difference(counts, this.#minute.counts),
      answers: latencyOfMinute.answers,
      medianMs: latencyOfMinute.percentile(50),
      slowMs: latencyOfMinute.percentile(95),
    };
    latencyOfMinute.clear();
    this.#minute = { at: next, counts };
    this.#minutes = [...this.#minutes, minute].slice(-mostMinutesKept);
  }

  async #writeMinutes(): Promise<void> {
    while (this.#minutes.length > 0) {
      const [minute] = this.#minutes;
      if (minute) await insertMinute(this.#options.db, minute);
      this.#minutes = this.#minutes.slice(1);
    }
  }
}

function startOfMinute(ms: number): number {
  return Math.floor(ms / minuteMs) * minuteMs;
}

function perSecond(counts: Counts, seconds: number): Counts {
  const rates = { ...counts };
  for (const name of Object.keys(counts) as (keyof Counts)[]) rates[name] = round(counts[name] / seconds);
  return rates;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
