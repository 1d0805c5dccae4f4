// Stores what one subscriber writes to one line in the order in which it came, because a later text
// may take an earlier one back: somebody who writes a stop word and then a resume word is not opted
// out. Texts of other subscribers, and texts that other nodes receive, do not wait.
import { isRetriable } from "../store/database-errors.ts";

export class SubscriberOrder {
  /**
   * The latest work for each subscriber and line, until it ends. So there are at most as many as
   * unanswered messages.
   */
  readonly #last = new Map<string, Promise<unknown>>();

  /**
   * Begins when all earlier work of this subscriber for this line has ended. If the work before
   * failed because of the database, this one fails with the same error. The SMSC then sends both
   * again, in their order, and the wait for a database that is away does not add up.
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
