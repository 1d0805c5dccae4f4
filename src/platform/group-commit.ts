// Collects items while the database is busy and commits them as a group, not one commit per call.
// There is no timer: an idle database takes the first item at once, and a busy one takes the whole
// group when it is free again.

export interface GroupCommitOptions<Item, Result> {
  /** Commits all items or none. Returns one result per item, in order. */
  readonly commit: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** The weight of an item, its number of rows, for the limit of a group. */
  readonly weigh: (item: Item) => number;
  readonly maximumWeight: number;
  /**
   * Whether an item goes before the non-urgent ones in the next group. By default all keep their
   * order of arrival.
   */
  readonly isUrgent?: (item: Item) => boolean;
  /** Groups in progress at a time. */
  readonly concurrency: number;
  /** Whether a failure came from one of the items. Each item is then tried alone. */
  readonly isItemFailure: (error: unknown) => boolean;
  /**
   * Called after a group that failed through no fault of its items. Returns the error for the items
   * that waited during the whole group. Undefined, or not given: they wait for their own group.
   */
  readonly failWaiting?: (error: unknown, groupMs: number) => Error | undefined;
}

interface Entry<Item, Result> {
  readonly item: Item;
  /** By the monotonic clock. */
  readonly addedAt: number;
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
  #idle: (() => void)[] = [];

  constructor(options: GroupCommitOptions<Item, Result>) {
    this.#options = options;
  }

  /** Weight of the items whose group has not begun. */
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
      const isUrgent = this.#options.isUrgent?.(item) === true;
      (isUrgent ? this.#urgent : this.#waiting).push({ item, addedAt: performance.now(), resolve, reject });
      this.#weightWaiting += this.#options.weigh(item);
      this.#scheduleStart();
    });
  }

  /** Rejects the items whose group has not begun. */
  rejectWaiting(reason: Error): void {
    const waiting = [...this.#urgent.splice(0), ...this.#waiting.splice(0)];
    this.#weightWaiting = 0;
    for (const { reject } of waiting) reject(reason);
  }

  /** Resolves when no item is waiting and no group is in progress. */
  drained(): Promise<void> {
    if (this.isIdle) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  // All requests that one turn of the event loop reads form one group.
  #scheduleStart(): void {
    if (this.#startScheduled || this.#running >= this.#options.concurrency) return;
    this.#startScheduled = true;
    setImmediate(() => {
      this.#startScheduled = false;
      this.#startGroups();
    });
  }

  #startGroups(): void {
    while (this.#running < this.#options.concurrency && this.#hasWaiting) {
      const group = this.#takeGroup(this.#options.maximumWeight);
      this.#running += 1;
      void this.#commitGroup(group).then((settle) => {
        this.#running -= 1;
        // The next group starts before the callers of this one continue, so that the database is
        // not idle.
        this.#startGroups();
        settle();
        // The callers may add items at once.
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

  /** Returns the function that resolves or rejects the waiting callers. */
  async #commitGroup(group: readonly Entry<Item, Result>[]): Promise<() => void> {
    const startedAt = performance.now();
    try {
      const results = await this.#options.commit(group.map((entry) => entry.item));
      return () => group.forEach((entry, index) => entry.resolve(results[index] as Result));
    } catch (error) {
      if (!this.#options.isItemFailure(error)) return this.#failGroup(group, error, startedAt);
      if (group.length === 1) return () => group.forEach((entry) => entry.reject(error));
      for (const entry of group) (await this.#commitGroup([entry]))();
      return () => undefined;
    }
  }

  #failGroup(group: readonly Entry<Item, Result>[], error: unknown, startedAt: number): () => void {
    const reason = this.#options.failWaiting?.(error, performance.now() - startedAt);
    const waited =
      reason === undefined ? [] : [this.#urgent, this.#waiting].flatMap((line) => takeOlder(line, startedAt));
    for (const { item } of waited) this.#weightWaiting -= this.#options.weigh(item);
    return () => {
      for (const entry of group) entry.reject(error);
      for (const entry of waited) entry.reject(reason);
    };
  }
}

function takeWhile<Item>(items: Item[], isTaken: (item: Item, index: number) => boolean): Item[] {
  const end = items.findIndex((item, index) => !isTaken(item, index));
  return items.splice(0, end < 0 ? items.length : end);
}

/** Takes the items that came before `startedAt`. Each line is in the order of their arrival. */
function takeOlder<Item, Result>(line: Entry<Item, Result>[], startedAt: number): Entry<Item, Result>[] {
  return takeWhile(line, ({ addedAt }) => addedAt < startedAt);
}
