// Decides whose statement goes to the database next among the users of the console. There are few
// connections for them. So each caller has one statement or transaction at a time, and waiting
// callers take turns. Somebody who repeats slow calls makes only themselves wait.
import { AsyncLocalStorage } from "node:async_hooks";
import type { ConsoleSession } from "../../credentials/console-sessions.ts";
import { ApiError } from "../../texts/errors.ts";
import type { Queryable, Statement, Transactional } from "../../store/database.ts";
import type { ConsoleTurns, Telemetry } from "../../platform/telemetry.ts";

/** All users of an account count as one caller, because an owner can create any number of users. */
export function callerKeyOf({ person, account }: Pick<ConsoleSession, "person" | "account">): string {
  const staffId = "staffId" in person ? person.staffId : 0;
  return account === undefined ? `staff ${staffId}` : `account ${account.id}`;
}

/**
 * Who makes the present call. Known also while its answer is streamed.
 *
 * Node 20 follows every promise of the process while a storage is in use, at 8 µs for each call of
 * the clients. So it is in use only while calls of the console are under way.
 */
export class PresentCaller {
  readonly #name = new AsyncLocalStorage<string>();
  #underWay = 0;

  /**
   * From now on the present call is this caller's. Call the returned function once when it is over.
   */
  begin(caller: string): () => void {
    this.#name.enterWith(caller);
    this.#underWay += 1;
    return () => {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#name.disable();
    };
  }

  get name(): string {
    return this.#name.getStore() ?? "";
  }
}

export interface CallerTurnsOptions {
  readonly caller: PresentCaller;
  /** The label under which metrics count waiting and refused calls. */
  readonly kind: ConsoleTurns;
  readonly telemetry: Telemetry;
  /** At once: as many as there are connections for it. */
  readonly atOnce: number;
  /** A statement that has waited this long is refused. */
  readonly patienceMs?: number;
  /** How many statements of one caller may wait. */
  readonly waitingOfOne?: number;
}

/**
 * Longer than a statement may take, so that a caller who waits behind one slow read of their own
 * still gets a turn.
 */
const usualPatienceMs = 6_000;
/** A page asks for a few things at once, and somebody may have several pages open. */
const usualWaiting = 32;
const retrySeconds = 2;

export class CallerTurns implements Transactional {
  readonly #db: Transactional;
  readonly #caller: PresentCaller;
  readonly #kind: ConsoleTurns;
  readonly #telemetry: Telemetry;
  readonly #patienceMs: number;
  readonly #waitingOfOne: number;
  readonly #busy = new Set<string>();
  /** Only callers who wait. The first has the next turn, then goes to the end. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #free: number;
  #waitingInAll = 0;

  constructor(db: Transactional, options: CallerTurnsOptions) {
    this.#db = db;
    this.#caller = options.caller;
    this.#kind = options.kind;
    this.#telemetry = options.telemetry;
    this.#free = options.atOnce;
    this.#patienceMs = options.patienceMs ?? usualPatienceMs;
    this.#waitingOfOne = options.waitingOfOne ?? usualWaiting;
  }

  query<Row>(statement: Statement): Promise<Row[]> {
    return this.#inTurn(this.#caller.name, () => this.#db.query<Row>(statement));
  }

  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.#inTurn(this.#caller.name, () => this.#db.transaction(work));
  }

  /** In the turns of this caller, whoever makes the present call. */
  of(caller: string): Transactional {
    return {
      query: <Row>(statement: Statement) => this.#inTurn(caller, () => this.#db.query<Row>(statement)),
      transaction: <T>(work: (tx: Queryable) => Promise<T>) => this.#inTurn(caller, () => this.#db.transaction(work)),
    };
  }

  async #inTurn<T>(caller: string, run: () => Promise<T>): Promise<T> {
    if (this.#free > 0 && !this.#busy.has(caller)) this.#begin(caller);
    else await this.#turnOf(caller);
    try {
      return await run();
    } finally {
      this.#busy.delete(caller);
      this.#free += 1;
      this.#beginNext();
    }
  }

  #begin(caller: string): void {
    this.#busy.add(caller);
    this.#free -= 1;
  }

  /** Resolves when it has begun. Throws 429. */
  #turnOf(caller: string): Promise<void> {
    const queue = this.#waiting.get(caller) ?? [];
    if (queue.length >= this.#waitingOfOne) return Promise.reject(this.#refusal());
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        this.#countWaiting(-1);
        resolve();
      };
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(begin), 1);
        if (queue.length === 0) this.#waiting.delete(caller);
        this.#countWaiting(-1);
        reject(this.#refusal());
      }, this.#patienceMs);
      queue.push(begin);
      this.#countWaiting(1);
      this.#waiting.set(caller, queue);
    });
  }

  #countWaiting(change: number): void {
    this.#waitingInAll += change;
    this.#telemetry.emit("console.waiting", { kind: this.#kind, count: this.#waitingInAll });
  }

  #refusal(): ApiError {
    this.#telemetry.emit("console.refused", { kind: this.#kind });
    return tooManyCalls(retrySeconds);
  }

  #beginNext(): void {
    for (const [caller, queue] of this.#waiting) {
      if (this.#free === 0) return;
      if (this.#busy.has(caller)) continue;
      const begin = queue.shift();
      this.#waiting.delete(caller);
      if (queue.length > 0) this.#waiting.set(caller, queue);
      this.#begin(caller);
      begin?.();
    }
  }
}

/** 429, to be tried again after so long. */
export function tooManyCalls(seconds: number): ApiError {
  const headers = { "retry-after": String(seconds) };
  return new ApiError("tooManyRequests", { values: { seconds }, headers });
}
