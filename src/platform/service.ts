// The common interface of services: start, stop, and for background services `runOnce`. Independent
// of what the services do.
import type { Telemetry } from "./telemetry.ts";

export interface Service {
  readonly name: string;
  /** Absent: calls alone drive the service. */
  start?(): Promise<void>;
  /** Something for it to do is due, or will be in so many milliseconds. */
  wake?(inMs: number): void;
  /** Idempotent and allowed before start. Resolves when nothing of the service runs any more. */
  stop(): Promise<void>;
}

/**
 * Starts in the given order. If one fails, those already started are stopped and its error is
 * thrown.
 */
export async function startAll(services: readonly Service[]): Promise<void> {
  const started: Service[] = [];
  for (const service of services) {
    try {
      started.push(service);
      await service.start?.();
    } catch (error) {
      await stopAll(started).catch(() => undefined);
      throw error;
    }
  }
}

/** Stops in reverse order. Every service is stopped, even if another's stop fails. */
export async function stopAll(services: readonly Service[]): Promise<void> {
  const failures: unknown[] = [];
  for (const service of [...services].reverse()) {
    try {
      await service.stop();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, "several services failed to stop");
}

export interface PeriodicServiceOptions {
  readonly name: string;
  /** The pause after a round. */
  readonly everyMs: number;
  /** Rounds run only when `wake` asks for them. */
  readonly onDemand?: boolean;
  /**
   * One round of work. Its counts are for tests and logs. The signal aborts when the service stops.
   */
  // eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- a duty without counts is an ordinary async function
  readonly runOnce: (signal: AbortSignal) => Promise<Record<string, number> | void>;
  readonly telemetry: Telemetry;
  /**
   * For work whose cost grows with the data: the pause after a round is at least this many times as
   * long as the round.
   */
  readonly restFactor?: number;
}

/**
 * Tells telemetry of the first failure of a service, and of its recovery, however often it fails in
 * between. Says how long to wait before the next try.
 */
export class FailureLatch {
  readonly #service: string;
  readonly #telemetry: Telemetry;
  readonly #tellsEach: boolean;
  /** In a row. */
  #failures = 0;

  /** `tellsEach`: each failure is reported, because they are rare. */
  constructor(service: string, telemetry: Telemetry, { tellsEach = false } = {}) {
    this.#service = service;
    this.#telemetry = telemetry;
    this.#tellsEach = tellsEach;
    telemetry.emit("service.watched", { service });
  }

  get isFailing(): boolean {
    return this.#failures > 0;
  }

  failed(error: unknown): void {
    if (!this.isFailing || this.#tellsEach) this.#telemetry.emit("service.failed", { service: this.#service, error });
    else this.#telemetry.emit("service.failedAgain", { service: this.#service });
    this.#failures += 1;
  }

  worked(): void {
    if (this.isFailing) this.#telemetry.emit("service.recovered", { service: this.#service });
    this.#failures = 0;
  }

  /** Before the next try: twice as long after each failure. 0 while it works. */
  pauseMs(firstMs: number, longestMs: number): number {
    return this.isFailing ? Math.min(longestMs, firstMs * 2 ** (this.#failures - 1)) : 0;
  }

  /** Does the work, and tells its failure instead of throwing it. */
  async watch(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      this.worked();
    } catch (error) {
      this.failed(error);
    }
  }
}

/** Each retry of a failing round waits twice as long as the one before, up to this limit. */
const longestBackOffMs = 5_000;

/**
 * Runs rounds of work repeatedly, never two at once. A round that throws is reported to telemetry
 * and retried later. Only stop() ends the loop.
 */
export class PeriodicService implements Service {
  readonly name: string;
  readonly #options: PeriodicServiceOptions;
  #abort: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<unknown> | undefined;
  readonly #latch: FailureLatch;
  /** A timed round runs, or waits for the one that `runNow` runs. */
  #isTicking = false;
  #isWoken = false;
  /** The pause after the last timed round ends then. */
  #restsUntil = 0;

  constructor(options: PeriodicServiceOptions) {
    this.name = options.name;
    this.#options = options;
    this.#latch = new FailureLatch(options.name, options.telemetry, { tellsEach: true });
  }

  async start(): Promise<void> {
    if (this.#abort && !this.#abort.signal.aborted) return;
    this.#abort = new AbortController();
    if (this.#options.onDemand !== true || this.#isWoken) this.#schedule(this.#abort, 0);
  }

  async stop(): Promise<void> {
    this.#abort?.abort();
    clearTimeout(this.#timer);
    await this.#round?.catch(() => undefined);
  }

  /**
   * Runs a round in so many milliseconds, and not before the pause after the last one is over.
   * Called many times before that round, or before the start, it runs one.
   */
  wake(inMs = 0): void {
    this.#isWoken = true;
    if (this.#abort && !this.#isTicking)
      this.#schedule(this.#abort, Math.max(inMs, this.#restsUntil - performance.now()));
  }

  /**
   * Runs one round now, after the one in progress if any, and throws its error. Works without
   * start.
   */
  async runNow(): Promise<Record<string, number>> {
    while (this.#round) await this.#round.catch(() => undefined);
    const round = this.#options.runOnce(this.#abort?.signal ?? new AbortController().signal);
    return (await this.#hold(round)) ?? {};
  }

  async #hold<T>(round: Promise<T>): Promise<T> {
    this.#round = round;
    try {
      return await round;
    } finally {
      this.#round = undefined;
    }
  }

  #schedule(abort: AbortController, afterMs: number): void {
    if (abort.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      void this.#tick(abort);
    }, afterMs);
  }

  async #tick(abort: AbortController): Promise<void> {
    this.#isTicking = true;
    while (this.#round) await this.#round.catch(() => undefined);
    if (!abort.signal.aborted) await this.#timedRound(abort);
    this.#isTicking = false;
    if (this.#options.onDemand !== true || this.#isWoken || this.#latch.isFailing)
      this.#schedule(abort, Math.max(0, this.#restsUntil - performance.now()));
  }

  async #timedRound(abort: AbortController): Promise<void> {
    const stopped = () => abort.signal.aborted;
    const { everyMs, runOnce, restFactor = 0 } = this.#options;
    this.#isWoken = false;
    const begunAt = performance.now();
    try {
      await this.#hold(runOnce(abort.signal));
      this.#latch.worked();
    } catch (error) {
      if (!stopped()) this.#latch.failed(error);
    }
    const restMs = restFactor * (performance.now() - begunAt);
    const pauseMs = this.#latch.isFailing ? this.#latch.pauseMs(2 * everyMs, longestBackOffMs) : restMs;
    this.#restsUntil = performance.now() + Math.max(everyMs, pauseMs);
  }
}
