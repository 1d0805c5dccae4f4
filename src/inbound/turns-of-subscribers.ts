// Stores what one subscriber writes to one line in the order in which it came, because a later text
// may take an earlier one back: who writes a stop word and then a resume word is not opted out.
// What others write, and what other nodes receive, waits for nothing here.

export class TurnsOfSubscribers {
  /** The latest work for each; no longer than it lasts, so what is unanswered bounds its size. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** Begins when all earlier work of this subscriber for this line has ended, failed or not. */
  run<Result>(
    { sender, recipient }: { readonly sender: string; readonly recipient: string },
    work: () => Promise<Result>,
  ): Promise<Result> {
    const key = JSON.stringify([sender, recipient]);
    const before = this.#last.get(key);
    const done = before === undefined ? work() : before.then(work, work);
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
