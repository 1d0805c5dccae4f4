// Who of those who look at the console reads from the database next. Connections for that are few, so each person or account has one read
// at a time, and those who wait take turns: somebody who repeats a slow search waits for themselves and for nobody else.
import { AsyncLocalStorage } from "node:async_hooks";
import type { ConsoleSession } from "../../credentials/console-sessions.ts";
import { ApiError } from "../../errors.ts";
import type { Queryable, Statement, Transactional } from "../../store/database.ts";

export interface ReadTurnsOptions {
  /** Reads at once: as many as there are connections. */
  readonly atOnce: number;
  /** A read that has waited for so long is refused. */
  readonly patienceMs?: number;
  /** Reads of one reader that may wait. */
  readonly waitingOfOne?: number;
}

/** Longer than a statement may take: who waits behind one slow read of their own gets a turn. */
const usualPatienceMs = 6_000;
/** A page asks for a few things at once, and somebody may have several pages open. */
const usualWaiting = 32;
const retrySeconds = 2;

export class ReadTurns implements Transactional {
  readonly #db: Transactional;
  readonly #patienceMs: number;
  readonly #waitingOfOne: number;
  readonly #reader = new AsyncLocalStorage<string>();
  readonly #reading = new Set<string>();
  /** Only readers who wait. The first has the next turn, then goes to the end. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #free: number;

  constructor(
    db: Transactional,
    { atOnce, patienceMs = usualPatienceMs, waitingOfOne = usualWaiting }: ReadTurnsOptions,
  ) {
    this.#db = db;
    this.#free = atOnce;
    this.#patienceMs = patienceMs;
    this.#waitingOfOne = waitingOfOne;
  }

  /**
   * What the present call reads from now on, also while it streams its answer, is this person's. Users of an account are one reader: an
   * owner makes as many as they like.
   */
  continueAs({ person, account }: Pick<ConsoleSession, "person" | "account">): void {
    const staffId = "staffId" in person ? person.staffId : 0;
    this.#reader.enterWith(account === undefined ? `staff ${staffId}` : `account ${account.id}`);
  }

  query<Row>(statement: Statement): Promise<Row[]> {
    return this.#inTurn(() => this.#db.query<Row>(statement));
  }

  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.#inTurn(() => this.#db.transaction(work));
  }

  async #inTurn<T>(read: () => Promise<T>): Promise<T> {
    const reader = this.#reader.getStore() ?? "";
    if (this.#free > 0 && !this.#reading.has(reader)) this.#begin(reader);
    else await this.#turnOf(reader);
    try {
      return await read();
    } finally {
      this.#reading.delete(reader);
      this.#free += 1;
      this.#beginNext();
    }
  }

  #begin(reader: string): void {
    this.#reading.add(reader);
    this.#free -= 1;
  }

  /** Resolves when it has begun. Throws 429. */
  #turnOf(reader: string): Promise<void> {
    const queue = this.#waiting.get(reader) ?? [];
    if (queue.length >= this.#waitingOfOne) return Promise.reject(tooManyReads());
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(begin), 1);
        if (queue.length === 0) this.#waiting.delete(reader);
        reject(tooManyReads());
      }, this.#patienceMs);
      queue.push(begin);
      this.#waiting.set(reader, queue);
    });
  }

  #beginNext(): void {
    for (const [reader, queue] of this.#waiting) {
      if (this.#free === 0) return;
      if (this.#reading.has(reader)) continue;
      const begin = queue.shift();
      this.#waiting.delete(reader);
      if (queue.length > 0) this.#waiting.set(reader, queue);
      this.#begin(reader);
      begin?.();
    }
  }
}

function tooManyReads(): ApiError {
  const headers = { "retry-after": String(retrySeconds) };
  return new ApiError("tooManyRequests", { values: { seconds: retrySeconds }, headers });
}
