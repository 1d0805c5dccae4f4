// Gathers what arrives while the database is busy and commits it together: never one commit for each call. No timer:
// an idle database takes the first item at once, a busy one finds a full group when it is free again.

export interface GroupCommitOptions<Item, Result> {
  /** Commits all items or none, and answers one result an item, in order. */
  readonly commit: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** How much an item weighs, for the bound of a group: its number of rows. */
  readonly weigh: (item: Item) => number;
  readonly maximumWeight: number;
  /** Whether an item goes before those that are not, in the next group that begins; unless given, all go in the order they came. */
  readonly isUrgent?: (item: Item) => boolean;
  /** How much the next group may weigh, of what waits; a promise: nothing for now, and to be asked again when it resolves. Unless given: all. */
  readonly allowance?: (weightWaiting: number) => number | Promise<unknown>;
  /** Groups under way at a time. */
  readonly concurrency: number;
  /** Whether a failure came from one of the items, so that each deserves its own try. */
  readonly isItemFailure: (error: unknown) => boolean;
}

interface Entry<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export class GroupCommitter<Item, Result> {
  readonly #options: GroupCommitOptions<Item, Result>;
  readonly #urgent: Entry<Item, Result>[] = [];
  readonly #waiting: Entry<Item, Result>[] = [];
  #weightWaiting = 0;
  #running = 0;
  #startScheduled = false;
  #isHeldBack = false;
  #idle: (() => void)[] = [];

  constructor(options: GroupCommitOptions<Item, Result>) {
    this.#options = options;
  }

  /** Weight of the items that wait for their group to begin. */
  get backlog(): number {
    return this.#weightWaiting;
  }

  get isIdle(): boolean {
    return this.#running === 0 && !this.#hasWaiting;
  }

  get #hasWaiting(): boolean {
    return this.#urgent.length + this.#waiting.length > 0;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const lane = this.#options.isUrgent?.(item) === true ? this.#urgent : this.#waiting;
      lane.push({ item, resolve, reject });
      this.#weightWaiting += this.#options.weigh(item);
      this.#scheduleStart();
    });
  }

  /** Resolves when nothing waits and nothing runs. */
  drained(): Promise<void> {
    if (this.isIdle) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  // All requests that one turn of the event loop has read become one group.
  #scheduleStart(): void {
    if (this.#startScheduled || this.#running >= this.#options.concurrency) return;
    this.#startScheduled = true;
    setImmediate(() => {
      this.#startScheduled = false;
      this.#startGroups();
    });
  }

  #startGroups(): void {
    while (this.#running < this.#options.concurrency && this.#hasWaiting && !this.#isHeldBack) {
      const allowance = this.#options.allowance?.(this.#weightWaiting) ?? Infinity;
      if (typeof allowance !== "number") {
        this.#isHeldBack = true;
        void allowance.finally(() => {
          this.#isHeldBack = false;
          this.#startGroups();
        });
        return;
      }
      const group = this.#takeGroup(Math.min(allowance, this.#options.maximumWeight));
      this.#running += 1;
      void this.#commitGroup(group).then((settle) => {
        this.#running -= 1;
        // The database shall not wait for what those who waited for this group do now.
        this.#startGroups();
        settle();
        // They may have more to commit at once.
        queueMicrotask(() => this.#tellIdle());
      });
    }
  }

  #tellIdle(): void {
    if (this.isIdle) for (const tell of this.#idle.splice(0)) tell();
  }

  #takeGroup(maximumWeight: number): Entry<Item, Result>[] {
    let weight = 0;
    const fits = ({ item }: Entry<Item, Result>, isFirst: boolean): boolean => {
      const itemWeight = this.#options.weigh(item);
      if (!isFirst && weight + itemWeight > maximumWeight) return false;
      weight += itemWeight;
      return true;
    };
    const urgent = takeWhile(this.#urgent, (entry, index) => fits(entry, index === 0));
    const others = takeWhile(this.#waiting, (entry, index) => fits(entry, urgent.length + index === 0));
    this.#weightWaiting -= weight;
    return [...urgent, ...others];
  }

  /** Answers what tells those who wait for the group. */
  async #commitGroup(group: readonly Entry<Item, Result>[]): Promise<() => void> {
    try {
      const results = await this.#options.commit(group.map((entry) => entry.item));
      return () => group.forEach((entry, index) => entry.resolve(results[index] as Result));
    } catch (error) {
      if (group.length === 1 || !this.#options.isItemFailure(error))
        return () => group.forEach((entry) => entry.reject(error));
      for (const entry of group) (await this.#commitGroup([entry]))();
      return () => undefined;
    }
  }
}

function takeWhile<Item>(items: Item[], isTaken: (item: Item, index: number) => boolean): Item[] {
  const end = items.findIndex((item, index) => !isTaken(item, index));
  return items.splice(0, end < 0 ? items.length : end);
}
