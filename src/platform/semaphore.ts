// Limits how much of one kind of work runs at once, in all and for each key (an address, an
// account). Work beyond that waits, and waiting keys take turns (round robin), so that somebody who
// asks for much makes only themselves wait. How much waits, and for how long, is bounded too.

export interface SemaphoreLimits {
  /** What may run at once. */
  readonly total: number;
  /** Of one key; absent: as many as in all. */
  readonly perKey?: number;
  /** What may wait; absent: everything. */
  readonly waiting?: number;
  readonly waitingPerKey?: number;
  /** The longest wait in milliseconds; absent: for ever. */
  readonly waitMs?: number;
}

/** No place to wait, or a wait that was too long. */
export class SemaphoreFull extends Error {
  override readonly name = "SemaphoreFull";

  constructor() {
    super("too much of this work is waiting");
  }
}

/** To be called once, when the work is done. */
export type Release = () => void;

export class Semaphore {
  readonly #limits: Required<SemaphoreLimits>;
  readonly #running = new Map<string, number>();
  /** Only keys that wait. The first key is next, and then goes to the end. */
  readonly #waiting = new Map<string, Set<() => void>>();
  #runningInAll = 0;
  #waitingInAll = 0;

  constructor({ total, perKey = total, waiting = Infinity, waitingPerKey = waiting, waitMs = 0 }: SemaphoreLimits) {
    this.#limits = { total, perKey, waiting, waitingPerKey, waitMs };
  }

  get running(): number {
    return this.#runningInAll;
  }

  get waiting(): number {
    return this.#waitingInAll;
  }

  /** Throws SemaphoreFull if the work may neither run nor wait. */
  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const release = await this.acquire(key);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** As `run`, for work whose end the caller reports itself. */
  async acquire(key: string): Promise<Release> {
    return this.tryAcquire(key) ?? this.#wait(key);
  }

  /** Undefined: no place is free now. */
  tryAcquire(key: string): Release | undefined {
    return this.#isFree(key) ? this.#begin(key) : undefined;
  }

  #isFree(key: string): boolean {
    const { total, perKey } = this.#limits;
    return this.#runningInAll < total && (this.#running.get(key) ?? 0) < perKey;
  }

  #begin(key: string): Release {
    this.#runningInAll += 1;
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
    return () => this.#end(key);
  }

  #end(key: string): void {
    this.#runningInAll -= 1;
    const left = (this.#running.get(key) ?? 0) - 1;
    if (left > 0) this.#running.set(key, left);
    else this.#running.delete(key);
    this.#beginWaiting();
  }

  #wait(key: string): Promise<Release> {
    const { waiting, waitingPerKey, waitMs } = this.#limits;
    const ofKey = this.#waiting.get(key) ?? new Set();
    if (this.#waitingInAll >= waiting || ofKey.size >= waitingPerKey) return Promise.reject(new SemaphoreFull());
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve(this.#begin(key));
      };
      const giveUp = (): void => {
        this.#leave(key, begin);
        reject(new SemaphoreFull());
      };
      const timer = waitMs > 0 ? setTimeout(giveUp, waitMs) : undefined;
      ofKey.add(begin);
      this.#waiting.set(key, ofKey);
      this.#waitingInAll += 1;
    });
  }

  #leave(key: string, begin: () => void): void {
    const ofKey = this.#waiting.get(key);
    if (ofKey?.delete(begin) !== true) return;
    this.#waitingInAll -= 1;
    if (ofKey.size === 0) this.#waiting.delete(key);
  }

  #beginWaiting(): void {
    for (const [key, ofKey] of this.#waiting) {
      if (this.#runningInAll >= this.#limits.total) return;
      const [begin] = ofKey;
      if (begin === undefined || !this.#isFree(key)) continue;
      this.#leave(key, begin);
      if (this.#waiting.delete(key)) this.#waiting.set(key, ofKey);
      begin();
    }
  }
}
