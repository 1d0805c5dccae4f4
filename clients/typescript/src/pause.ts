// Waiting that an abort signal ends.
import { setTimeout as after } from "node:timers/promises";

/** A timer of Node.js that shall wait for longer ends at once. */
const longestTimerMs = 2 ** 31 - 1;

/** Rejects with the signal's reason when it aborts. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await after(Math.min(ms, longestTimerMs), undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/** The promise, or the signal's reason when it aborts first. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever the caller aborted with
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** A signal that aborts with the given one, or when the time is over: 24 days at most. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #given: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #abort = (): void => this.#controller.abort(this.#given?.reason);
  isOver = false;

  constructor(ms: number, given?: AbortSignal) {
    given?.throwIfAborted();
    this.#given = given;
    given?.addEventListener("abort", this.#abort, { once: true });
    this.#timer = setTimeout(
      () => {
        this.isOver = true;
        this.#controller.abort();
      },
      Math.min(ms, longestTimerMs),
    );
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Gives back the timer and the place at the given signal. */
  release(): void {
    clearTimeout(this.#timer);
    this.#given?.removeEventListener("abort", this.#abort);
  }
}
