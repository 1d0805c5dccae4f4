// The window of one bind in its dispatcher: how many parts it can still take, which messages wait to
// be written, and whether a claim is under way. Pure.
import { messagePriority } from "../sms/message-status.ts";
import type { ActiveMessage } from "./active-message.ts";

// In which order the claims of one bind look at the queue: round robin over accounts, by priority. Pure.
// The order is a hint in memory: if it is lost, the next claim begins with the first account again.

/** One account's queue on one route. */
interface AccountQueue {
  readonly routeId: number;
  readonly accountId: number;
}

/** Where a claim ended in it. */
interface Served extends AccountQueue {
  readonly dueAt: Date;
}

/** Accounts above `after`, up to and including `until`, that a claim looks at in order. */
export interface AccountRange {
  readonly priority: number;
  readonly routeId: number;
  readonly after: number;
  readonly until: number;
  /** Only messages due since then; absent: all. */
  readonly since?: Date;
}

// What claims took from the front of an account's queue stays in the index until vacuum removes it, and each
// further claim passes it. So after many messages, claims of the account served last go on where the one before
// ended. What was put back before that place waits until a claim begins at the front again: after this time, or
// when a claim is not filled.
const manyTaken = 1000;
const goOnForMs = 200;

/** Priorities of messages that are due, the most urgent first. */
const priorities = [0, 1, 2, 3, 4, 5, 6, 7] as const;
const [before, last] = [0, 2 ** 31 - 1];

export class RoundRobin {
  /** The account that was served last, by priority. */
  readonly #served = new Map<number, Served>();
  /** When a claim began at the front of all queues. */
  #beganAt = -Infinity;
  /** Messages since `startOver`. */
  #taken = 0;

  /**
   * Where the next claim looks: for each priority, all accounts once, those served last at the end.
   * `now`: in milliseconds of the monotonic clock.
   */
  ranges(routeIds: readonly number[], now: number): readonly AccountRange[] {
    const goesOn = this.#taken >= manyTaken && now < this.#beganAt + goOnForMs;
    if (!goesOn) this.#beganAt = now;
    const routes = [...new Set(routeIds)].sort((one, other) => one - other);
    return priorities.flatMap((priority) => {
      const whole = (routeId: number): AccountRange => ({ priority, routeId, after: before, until: last });
      const served = this.#served.get(priority);
      if (served === undefined) return routes.map(whole);
      const { routeId, accountId, dueAt } = served;
      const again = { priority, routeId, after: before, until: accountId };
      // Codes always begin at the front.
      const since = goesOn && priority !== messagePriority.oneTimeCode ? dueAt : undefined;
      const isServed = routes.includes(routeId);
      return [
        ...(isServed ? [{ priority, routeId, after: accountId, until: last }] : []),
        ...routes.filter((route) => route > routeId).map(whole),
        ...routes.filter((route) => route < routeId).map(whole),
        ...(!isServed ? [] : since === undefined ? [again] : goOnSince(again, since)),
      ];
    });
  }

  /** The next claims begin at the front of all queues. */
  startOver(): void {
    this.#taken = 0;
  }

  /** The messages that a claim brought, in its order. */
  served(messages: readonly ({ readonly priority: number } & Served)[]): void {
    this.#taken += messages.length;
    for (const priority of priorities) {
      const last = lastWhollyServed(messages.filter((message) => message.priority === priority));
      if (last !== undefined) this.#served.set(priority, last);
    }
  }
}

/** The last account of the range only since then. */
function goOnSince(range: AccountRange, since: Date): readonly AccountRange[] {
  const others = range.until - 1;
  return [
    { ...range, until: others },
    { ...range, after: others, since },
  ];
}

/**
 * Every account gets the same share of a claim. If the capacity ends within the share of an account,
 * that account is the first of the next claim. Otherwise it could be last each time, and would
 * always get less than the others.
 */
function lastWhollyServed(messages: readonly Served[]): Served | undefined {
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

/**
 * All counts are parts. At most one window is unsettled, plus the further parts of a long message
 * that begins within it.
 */
export class BindWindow {
  readonly bindNumber: number;
  /** Each bind has its own order and makes one claim at a time, so every account is served. */
  readonly order = new RoundRobin();
  /** A one-time code is due: a single free place is worth a claim. */
  urgent = false;
  readonly #configuredSize: number;
  #waiting: ActiveMessage[] = [];
  /**
   * Parts that are claimed or reserved, and not yet recorded as settled. A crash would leave these
   * uncertain.
   */
  #unsettled = 0;
  #claim: "none" | "under way" | "to be repeated" = "none";
  #asked = 0;
  /** Consecutive parts that were written and never answered. */
  #unanswered = 0;

  constructor(bindNumber: number, configuredSize: number) {
    this.bindNumber = bindNumber;
    this.#configuredSize = configuredSize;
  }

  /**
   * Consecutive unanswered parts keep their places until an answer comes. When an SMSC goes silent,
   * or a link loses packets, only one window becomes uncertain; after that it gets one message at a
   * time, and the rest of the queue stays certain.
   */
  get size(): number {
    return Math.max(1, this.#configuredSize - this.#unanswered);
  }

  /**
   * Without what a claim under way may bring. Below 0 while a long message reaches beyond the
   * window, or after the window shrank.
   */
  get capacity(): number {
    return this.size - this.#unsettled - this.#asked;
  }

  /** Parts that a claim under way may bring. */
  get asked(): number {
    return this.#asked;
  }

  /** The parts of a claimed or reserved message count as unsettled from now on. */
  hold(parts: number): void {
    this.#unsettled += parts;
  }

  /** Parts are settled and on disk, or what they were reserved for was not stored. */
  free(parts: number): void {
    this.#unsettled -= parts;
  }

  /** Queues a message, which is held already, behind those that wait to be written. */
  put(message: ActiveMessage): void {
    this.#waiting.push(message);
  }

  /** The message whose parts are written next. */
  get next(): ActiveMessage | undefined {
    return this.#waiting[0];
  }

  /** All parts of `next` are written. */
  passNext(): void {
    this.#waiting.shift();
  }

  /** Takes out all that waits to be written. */
  takeWaiting(): readonly ActiveMessage[] {
    const waiting = this.#waiting;
    if (waiting.length > 0) this.#waiting = [];
    return waiting;
  }

  /** Whether a part was answered, or given up as unanswered. */
  answered(isUnanswered: boolean): void {
    this.#unanswered = isUnanswered ? this.#unanswered + 1 : 0;
  }

  get isClaiming(): boolean {
    return this.#claim !== "none";
  }

  /** Something is under way, and nothing urgent waits. */
  get isBusy(): boolean {
    return this.#unsettled > 0 && !this.urgent;
  }

  /**
   * The least capacity that is worth a claim while so many parts wait. A busy bind claims again only
   * for all of them, or for a quarter of its window, so that each claim is worth its commit.
   */
  worthwhileCapacity(partsWaiting: number): number {
    return this.isBusy ? Math.min(Math.ceil(this.size / 4), partsWaiting) : 1;
  }

  beginClaim(parts: number): void {
    this.#claim = "under way";
    this.#asked = parts;
    this.urgent = false;
  }

  /** A message fell due. A claim under way may have read the queue before it. */
  noteDue(): void {
    if (this.#claim === "under way") this.#claim = "to be repeated";
  }

  /** Returns whether the claim must be repeated. */
  endClaim(): boolean {
    const isToBeRepeated = this.#claim === "to be repeated";
    this.#claim = "none";
    this.#asked = 0;
    return isToBeRepeated;
  }
}
