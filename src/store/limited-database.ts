// Limits a kind of work to a few sessions of the database, so that clients who control its amount
// cannot take all of them. Further work waits for a bounded time; if it is limited by key, keys take
// turns.
import { Semaphore, SemaphoreFull, type SemaphoreLimits } from "../platform/semaphore.ts";
import type { AskedStatement, Database, DatabaseClock, Queryable, Transactional } from "./database.ts";
import { DatabaseUnavailable } from "./database-errors.ts";

export interface LimitedDatabaseOptions extends SemaphoreLimits {
  /** The error for work that found no place to wait, or waited too long. */
  readonly refusal?: () => Error;
  /** Called when the number of those who wait has changed. */
  readonly onWaiting?: (count: number) => void;
}

const usualWaitMs = 5_000;

export class LimitedDatabase implements Transactional {
  readonly #db: Database;
  readonly #semaphore: Semaphore;
  readonly #refusal: () => Error;
  readonly #onWaiting: (count: number) => void;

  constructor(db: Database, options: LimitedDatabaseOptions) {
    this.#db = db;
    this.#semaphore = new Semaphore({ waitMs: usualWaitMs, ...options });
    this.#refusal = options.refusal ?? tooMuchWaits;
    this.#onWaiting = options.onWaiting ?? (() => undefined);
  }

  get clock(): DatabaseClock {
    return this.#db.clock;
  }

  query<Row>(...asked: AskedStatement): Promise<Row[]> {
    return this.#run("", () => this.#db.query<Row>(...asked));
  }

  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.#run("", () => this.#db.transaction(work));
  }

  /** For work of this key. */
  of(key: string): Transactional {
    return {
      query: <Row>(...asked: AskedStatement) => this.#run(key, () => this.#db.query<Row>(...asked)),
      transaction: <T>(work: (tx: Queryable) => Promise<T>) => this.#run(key, () => this.#db.transaction(work)),
    };
  }

  async #run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const release = this.#semaphore.tryAcquire(key) ?? (await this.#wait(key));
    try {
      return await work();
    } finally {
      release();
    }
  }

  async #wait(key: string): Promise<() => void> {
    try {
      const acquired = this.#semaphore.acquire(key);
      this.#onWaiting(this.#semaphore.waiting);
      return await acquired;
    } catch (error) {
      throw error instanceof SemaphoreFull ? this.#refusal() : error;
    } finally {
      this.#onWaiting(this.#semaphore.waiting);
    }
  }
}

function tooMuchWaits(): DatabaseUnavailable {
  const message = "the database is not available: too many requests of this kind are waiting";
  return new DatabaseUnavailable(message, { inDoubt: false });
}
