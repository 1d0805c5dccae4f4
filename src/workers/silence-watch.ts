// Notices that a worker hangs: its process is there and takes its share of the connections, but
// does not answer.

export interface SilenceWatchOptions {
  /** Resolves with the worker's answer; rejects when there is none in time. */
  readonly ask: (withinMs: number) => Promise<unknown>;
  /** Called once; then the watch is over. */
  readonly onSilence: () => void;
  readonly pauseMs?: number;
  readonly withinMs?: number;
}

/** Between an answer and the next question. */
const pauseMs = 5_000;
/** For each of two questions in a row: a worker that is only slow answers the second one. */
const withinMs = 15_000;

export class SilenceWatch {
  readonly #options: Required<SilenceWatchOptions>;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(options: SilenceWatchOptions) {
    this.#options = { pauseMs, withinMs, ...options };
    this.#askLater();
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #askLater(): void {
    this.#timer = setTimeout(() => void this.#ask(), this.#options.pauseMs).unref();
  }

  // The second question also forgives a pause of the whole machine, after which both processes go
  // on at the same moment.
  async #ask(): Promise<void> {
    const isAlive = (await this.#isAnswered()) || (await this.#isAnswered());
    if (this.#isOver) return;
    if (isAlive) {
      this.#askLater();
      return;
    }
    this.#isOver = true;
    this.#options.onSilence();
  }

  async #isAnswered(): Promise<boolean> {
    if (this.#isOver) return true;
    return this.#options.ask(this.#options.withinMs).then(
      () => true,
      () => false,
    );
  }
}
