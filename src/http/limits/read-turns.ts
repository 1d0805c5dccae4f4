// Reads callers that send much in turns. In one turn of the event loop Node.js reads up to 2 MiB
// from each full socket but accepts only one connection, so many full sockets would delay everybody
// else. Each turn serves only as many as keep it short. Pure, apart from the clock.

/** A longer turn of the event loop delays other callers noticeably. */
const shortTurnMs = 10;
const mostAtOnce = 32;
const fewestAtOnce = 2;

export interface ReadTurnsOptions<Reader> {
  readonly resume: (reader: Reader) => void;
  readonly now: () => number;
  /** Calls back in the next turn of the event loop. */
  readonly inNextTurn?: (turn: () => void) => void;
}

export class ReadTurns<Reader> {
  readonly #options: Required<ReadTurnsOptions<Reader>>;
  readonly #waiting = new Set<Reader>();
  #atOnce = fewestAtOnce;
  #begunAt = 0;
  #isTaking = false;

  constructor({ inNextTurn = (turn) => void setImmediate(turn), ...options }: ReadTurnsOptions<Reader>) {
    this.#options = { ...options, inNextTurn };
  }

  isWaiting(reader: Reader): boolean {
    return this.#waiting.has(reader);
  }

  /** The owner has paused the reader; it is resumed in its turn. */
  wait(reader: Reader): void {
    this.#waiting.add(reader);
    if (this.#isTaking) return;
    this.#isTaking = true;
    this.#begunAt = this.#options.now();
    this.#options.inNextTurn(() => this.#take());
  }

  /** The reader is closed. */
  leave(reader: Reader): void {
    this.#waiting.delete(reader);
  }

  #take(): void {
    const now = this.#options.now();
    const isLong = now - this.#begunAt > shortTurnMs;
    this.#begunAt = now;
    this.#atOnce = isLong ? Math.max(fewestAtOnce, this.#atOnce >> 1) : Math.min(mostAtOnce, this.#atOnce + 1);
    let left = this.#atOnce;
    for (const reader of this.#waiting) {
      if (left === 0) break;
      left -= 1;
      this.#waiting.delete(reader);
      this.#options.resume(reader);
    }
    this.#isTaking = this.#waiting.size > 0;
    if (this.#isTaking) this.#options.inNextTurn(() => this.#take());
  }
}
