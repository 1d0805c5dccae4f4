// Limits a kind of work to a share of the pool, so that clients who control its amount cannot take
// all sessions. Further work waits in order, as long as any work waits for a session.
import type { DatabaseClock } from "./database-clock.ts";
import type { Database, Queryable, Statement, Transactional } from "./database.ts";
import { DatabaseUnavailable } from "./database-errors.ts";

export interface DatabaseShareOptions {
  readonly sessions: number;
  readonly patienceMs?: number;
}

interface Waiter {
  readonly begin: () => void;
}

const usualPatienceMs = 5000;

export class DatabaseShare implements Transactional {
  readonly #db: Database;
  readonly #patienceMs: number;
  readonly #waiting = new Set<Waiter>();
  #free: number;

  constructor(db: Database, { sessions, patienceMs = usualPatienceMs }: DatabaseShareOptions) {
    this.#db = db;
    this.#free = sessions;
    this.#patienceMs = patienceMs;
  }

  get clock(): DatabaseClock {
    return this.#db.clock;
  }

  query<Row>(statement: Statement): Promise<Row[]> {
    return this.#within(() => this.#db.query<Row>(statement));
  }

  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.#within(() => this.#db.transaction(work));
  }

  async #within<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn();
    try {
      return await work();
    } finally {
      this.#giveBack();
    }
  }

  /** Resolves when a session is handed over. */
  #turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        begin: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(waiter);
        reject(
          new DatabaseUnavailable("the database is not available: too many requests of this kind are waiting", {
            inDoubt: false,
          }),
        );
      }, this.#patienceMs);
      this.#waiting.add(waiter);
    });
  }

  #giveBack(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next.begin();
  }
}
