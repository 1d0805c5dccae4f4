// In which order the claims of one bind look at the queue: round robin over accounts, by priority. Pure.
// The order is a hint in memory: if it is lost, the next claim begins with the first account again.

/** One account's queue on one route. */
interface AccountQueue {
  readonly routeId: number;
  readonly accountId: number;
}

/** Accounts above `after`, up to and including `until`, that a claim looks at in order. */
export interface AccountRange {
  readonly priority: number;
  readonly routeId: number;
  readonly after: number;
  readonly until: number;
}

/** Priorities of messages that are due, the most urgent first. */
const priorities = [0, 1, 2, 3, 4, 5, 6, 7] as const;
const [before, last] = [0, 2 ** 31 - 1];

export class RoundRobin {
  /** The account that was served last, by priority. */
  readonly #served = new Map<number, AccountQueue>();

  /**
   * Where the next claim looks: for each priority, all accounts once, those served last at the end.
   */
  ranges(routeIds: readonly number[]): readonly AccountRange[] {
    const routes = [...new Set(routeIds)].sort((one, other) => one - other);
    return priorities.flatMap((priority) => {
      const whole = (routeId: number): AccountRange => ({ priority, routeId, after: before, until: last });
      const served = this.#served.get(priority);
      if (served === undefined) return routes.map(whole);
      const { routeId, accountId } = served;
      const isServed = routes.includes(routeId);
      return [
        ...(isServed ? [{ priority, routeId, after: accountId, until: last }] : []),
        ...routes.filter((route) => route > routeId).map(whole),
        ...routes.filter((route) => route < routeId).map(whole),
        ...(isServed ? [{ priority, routeId, after: before, until: accountId }] : []),
      ];
    });
  }

  /** The messages that a claim brought, in its order. */
  served(messages: readonly ({ readonly priority: number } & AccountQueue)[]): void {
    for (const priority of priorities) {
      const last = lastWhollyServed(messages.filter((message) => message.priority === priority));
      if (last !== undefined) this.#served.set(priority, last);
    }
  }
}

/**
 * Every account gets the same share of a claim. If the capacity ends within the share of an account,
 * that account is the first of the next claim. Otherwise it could be last each time, and would
 * always get less than the others.
 */
function lastWhollyServed(messages: readonly AccountQueue[]): AccountQueue | undefined {
  const last = messages.at(-1);
  if (last === undefined) return undefined;
  const before = messages.slice(0, messages.findLastIndex((message) => !isSame(message, last)) + 1);
  const previous = before.at(-1);
  // The capacity that is left goes to accounts that have already had their share.
  if (previous === undefined || before.some((message) => isSame(message, last))) return last;
  const share = before.filter((message) => isSame(message, previous)).length;
  return messages.length - before.length < share ? previous : last;
}

const isSame = (one: AccountQueue, other: AccountQueue): boolean =>
  one.routeId === other.routeId && one.accountId === other.accountId;
