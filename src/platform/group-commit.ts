// Collects items while the database is busy and commits them as a group, not one commit per call.
// There is no timer: an idle database takes the first item at once, and a busy one takes the whole
// group when it is free again. One group at a time: items that arrive meanwhile make the next group
// larger, which costs less per item.

export interface GroupCommitOptions<Item, Result> {
  /** Commits all items or none. Returns one result per item, in order; nothing if there are no results. */
  readonly commit: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Limit of a group, in the weights of its items. */
  readonly maximumWeight: number;
  /** Whether a failure came from one of the items. Each item is then tried alone. */
  readonly isItemFailure: (error: unknown) => boolean;
  /**
   * Called after a group that failed through no fault of its items. Returns the error for the items
   * that waited during the whole group. Undefined, or not given: they wait for their own group.
   */
  readonly failWaiting?: (error: unknown, groupMs: number) => Error | undefined;
}

/** Who waits for an item. */
export interface Waiter<Result> {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

interface Entry<Item, Result> {
  readonly item: Item;
  readonly weight: number;
  /** By the monotonic clock. */
  readonly addedAt: number;
  readonly waiter: Waiter<Result>;
}

export class GroupCommitter<Item, Result> {
  readonly #options: GroupCommitOptions<Item, Result>;
  readonly #urgent: Entry<Item, Result>[] = [];
  readonly #waiting: Entry<Item, Result>[] = [];
  #weightWaiting = 0;
  /** A group is in progress, or begins at the end of this turn of the event loop. */
  #isRunning = false;
  #idle: (() => void)[] = [];

  constructor(options: GroupCommitOptions<Item, Result>) {
    this.#options = options;
  }

  /** Weight of the items whose group has not begun. */
  get backlog(): number {
    return this.#weightWaiting;
  }

  get isIdle(): boolean {
    return !this.#isRunning;
  }

  /**
   * `weight`: its number of rows. `isUrgent`: it goes before the items that are not urgent. All others keep
   * their order of arrival.
   */
  add(item: Item, weight = 1, isUrgent = false): Promise<Result> {
    return new Promise((resolve, reject) => this.enqueue(item, { resolve, reject }, weight, isUrgent));
  }

  /** As `add`, for items so many that a promise for each would cost too much. */
  enqueue(item: Item, waiter: Waiter<Result>, weight = 1, isUrgent = false): void {
    this.#weightWaiting += weight;
    const entry = { item, weight, addedAt: performance.now(), waiter };
    if (isUrgent) this.#urgent.push(entry);
    else this.#waiting.push(entry);
    if (this.#isRunning) return;
    this.#isRunning = true;
    // All requests that one turn of the event loop reads form one group.
    setImmediate(() => void this.#run());
  }

  /** Rejects the items whose group has not begun. */
  rejectWaiting(reason: Error): void {
    const waiting = [...this.#urgent.splice(0), ...this.#waiting.splice(0)];
    this.#weightWaiting = 0;
    for (const { waiter } of waiting) waiter.reject(reason);
  }

  /** Resolves when no item is waiting and no group is in progress. */
  drained(): Promise<void> {
    if (this.isIdle) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Commits group after group until nothing waits. */
  async #run(): Promise<void> {
    let committing: Promise<() => void> | undefined = this.#commitGroup(this.#takeGroup());
    while (committing !== undefined) {
      const settle = await committing;
      // The next group starts before the callers of this one continue, so that the database is not idle.
      const next = this.#takeGroup();
      committing = next.length > 0 ? this.#commitGroup(next) : undefined;
      // If it ends here, a caller that adds an item in `settle` begins another run.
      this.#isRunning = committing !== undefined;
      settle();
    }
    // The callers may add items at once.
    if (this.#idle.length > 0) queueMicrotask(() => this.#reportIdle());
  }

  #reportIdle(): void {
    if (this.isIdle) for (const report of this.#idle.splice(0)) report();
  }

  /** The urgent items first. The first item is taken whatever its weight. */
  #takeGroup(): readonly Entry<Item, Result>[] {
    const group: Entry<Item, Result>[] = [];
    let weight = 0;
    for (const line of [this.#urgent, this.#waiting]) {
      let taken = 0;
      for (const entry of line) {
        if (group.length > 0 && weight + entry.weight > this.#options.maximumWeight) break;
        weight += entry.weight;
        taken += 1;
        group.push(entry);
      }
      line.splice(0, taken);
    }
    this.#weightWaiting -= weight;
    return group;
  }

  /** Returns the function that resolves or rejects the waiting callers. */
  async #commitGroup(group: readonly Entry<Item, Result>[]): Promise<() => void> {
    const startedAt = performance.now();
    try {
      const items: Item[] = [];
      for (const { item } of group) items.push(item);
      const results = group.length === 0 ? [] : await this.#options.commit(items);
      return () => {
        for (let index = 0; index < group.length; index += 1) group[index]?.waiter.resolve(results[index] as Result);
      };
    } catch (error) {
      if (!this.#options.isItemFailure(error)) return this.#failGroup(group, error, startedAt);
      if (group.length === 1) return () => group.forEach(({ waiter }) => waiter.reject(error));
      for (const entry of group) (await this.#commitGroup([entry]))();
      return () => undefined;
    }
  }

  #failGroup(group: readonly Entry<Item, Result>[], error: unknown, startedAt: number): () => void {
    const reason = this.#options.failWaiting?.(error, performance.now() - startedAt);
    const waited =
      reason === undefined ? [] : [this.#urgent, this.#waiting].flatMap((line) => takeOlder(line, startedAt));
    for (const { weight } of waited) this.#weightWaiting -= weight;
    return () => {
      for (const { waiter } of group) waiter.reject(error);
      for (const { waiter } of waited) waiter.reject(reason);
    };
  }
}

/** Takes the items that came before `startedAt`. Each line is in the order of their arrival. */
function takeOlder<Item, Result>(line: Entry<Item, Result>[], startedAt: number): Entry<Item, Result>[] {
  const end = line.findIndex(({ addedAt }) => addedAt >= startedAt);
  return line.splice(0, end < 0 ? line.length : end);
}
