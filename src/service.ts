// The one silhouette of everything that lives for a while: start, stop, and for background duties a `runOnce`. Knows
// nothing of what the services do.
import type { Telemetry } from "./telemetry.ts";

export interface Service {
  readonly name: string;
  start(): Promise<void>;
  /** Idempotent, legal before start, and over only when nothing of the service runs any more. */
  stop(): Promise<void>;
}

/** Starts in the order given. Where one fails, those already started are stopped again and its error is thrown. */
export async function startAll(services: readonly Service[]): Promise<void> {
  const started: Service[] = [];
  for (const service of services) {
    try {
      started.push(service);
      await service.start();
    } catch (error) {
      await stopAll(started).catch(() => undefined);
      throw error;
    }
  }
}

/** Stops in reverse of the order given. Every service is stopped, even where another's stop fails. */
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
  readonly everyMs: number;
  /** One round of the duty; its counts are for tests and logs. The signal aborts when the service stops. */
  // eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- a duty without counts is an ordinary async function
  readonly runOnce: (signal: AbortSignal) => Promise<Record<string, number> | void>;
  readonly telemetry: Telemetry;
  /** When the first round runs after start; 0 (at once) unless told. */
  readonly firstAfterMs?: number;
  /** Of a duty that costs more the more there is: the pause after a round is at least so many times as long as the round was. */
  readonly restFactor?: number;
}

/** A failing round is tried again after twice the time of the one before, at most this long. */
const longestBackOffMs = 5_000;

/**
 * Runs a duty again and again, never two rounds at once. A round that throws is told to telemetry and tried again later:
 * nothing ends the loop but stop().
 */
export class PeriodicService implements Service {
  readonly name: string;
  readonly #options: PeriodicServiceOptions;
  #abort: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<unknown> | undefined;
  #failures = 0;

  constructor(options: PeriodicServiceOptions) {
    this.name = options.name;
    this.#options = options;
  }

  async start(): Promise<void> {
    if (this.#abort && !this.#abort.signal.aborted) return;
    this.#abort = new AbortController();
    this.#schedule(this.#abort, this.#options.firstAfterMs ?? 0);
  }

  async stop(): Promise<void> {
    this.#abort?.abort();
    clearTimeout(this.#timer);
    await this.#round?.catch(() => undefined);
  }

  /** Runs one round now, after the one under way if there is one, and throws what it throws. Needs no start. */
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
    this.#timer = setTimeout(() => {
      void this.#tick(abort);
    }, afterMs);
  }

  async #tick(abort: AbortController): Promise<void> {
    while (this.#round) await this.#round.catch(() => undefined);
    const stopped = () => abort.signal.aborted;
    if (stopped()) return;
    const { telemetry, everyMs, runOnce, restFactor = 0 } = this.#options;
    const begunAt = performance.now();
    try {
      await this.#hold(runOnce(abort.signal));
      if (this.#failures > 0) telemetry.emit("service.recovered", { service: this.name });
      this.#failures = 0;
    } catch (error) {
      if (!stopped()) {
        this.#failures += 1;
        telemetry.emit("service.failed", { service: this.name, error });
      }
    }
    const restMs = Math.max(everyMs, restFactor * (performance.now() - begunAt));
    const backOffMs = everyMs * 2 ** Math.min(this.#failures, 10);
    this.#schedule(abort, this.#failures === 0 ? restMs : Math.max(everyMs, Math.min(backOffMs, longestBackOffMs)));
  }
}
