// Stores what one subscriber writes to one line in the order in which it came, because a later text
// may take an earlier one back: who writes a stop word and then a resume word is not opted out.
// What others write, and what other nodes receive, waits for nothing here.
import { isRetriable } from "../store/database-errors.ts";

export class TurnsOfSubscribers {
  /** The latest work for each; no longer than it lasts, so what is unanswered bounds its size. */
  readonly #last = new Map<string, Promise<unknown>>();

  /**
   * Begins when all earlier work of this subscriber for this line has ended. If the database could
   * not do the work before, it fails alike: the SMSC sends both again, in their order, and nobody
   * waits for a database that is away once for each message.
   */
  run<Result>(
    { sender, recipient }: { readonly sender: string; readonly recipient: string },
    work: () => Promise<Result>,
  ): Promise<Result> {
    const key = JSON.stringify([sender, recipient]);
    const before = this.#last.get(key);
    const afterFailed = (error: unknown): Promise<Result> => {
      if (isRetriable(error)) throw error;
      return work();
    };
    const done = before === undefined ? work() : before.then(work, afterFailed);
    this.#last.set(key, done);
    const leave = (): void => {
      if (this.#last.get(key) === done) this.#last.delete(key);
    };
    done.then(leave, leave);
    return done;
  }

  get size(): number {
    return this.#last.size;
  }
}
