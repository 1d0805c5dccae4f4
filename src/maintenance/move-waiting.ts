// Moves waiting messages in the queue: to another time when sending hours change or end, to another route when
// routes change, and to those that can be claimed when their time has come.
import { type Directory, sendingHoursOf } from "../directory/directory.ts";
import { chooseRoute, variantsOf } from "../sms/routing.ts";
import { movedTime } from "../sms/sending-hours.ts";
import type { Database, Queryable } from "../store/database.ts";
import { findMessagesOnRoutes, findStrayRoutes, moveToRoutes, type StrayMessage } from "../store/message-queue.ts";
import {
  findInWindow,
  findWaiting,
  moveInTime,
  type TimeMove,
  type WaitingMessage,
  releaseDue,
} from "../store/queue-times.ts";
import { octet } from "../sms/concatenation.ts";
import {
  findFirstInLine,
  findPhonesWithLine,
  freeReferences,
  leaveLine,
  letGo,
  takeReferences,
} from "../store/concatenation-references.ts";

interface MoveOptions {
  readonly db: Database;
  readonly directory: { readonly current: Pick<Directory, "accounts" | "lines" | "rules"> };
  /** Something may be due now. */
  readonly onQueued: () => void;
}

interface KeepSendingHoursOptions extends MoveOptions {
  readonly directory: MoveOptions["directory"] & { onChange(listener: () => void): unknown };
}

const pageSize = 2000;
const beforeAll = { accountId: 0, messageId: "00000000-0000-0000-0000-000000000000" };

export class KeepSendingHours {
  readonly #options: KeepSendingHoursOptions;
  // What waits is looked through once at the start: a rule may have changed meanwhile.
  #seen: string | undefined;
  #isChanged = false;

  constructor(options: KeepSendingHoursOptions) {
    this.#options = options;
    // Rules that came and went between two rounds have moved messages, too.
    options.directory.onChange(() => this.#compare());
  }

  async run(signal: AbortSignal): Promise<{ moved: number }> {
    this.#compare();
    let moved = 0;
    if (this.#isChanged) {
      // A change while messages are moved sets it again.
      this.#isChanged = false;
      try {
        moved += await moveByNewRules(this.#options, signal);
      } catch (error) {
        this.#isChanged = true;
        throw error;
      }
      this.#isChanged ||= signal.aborted;
    }
    return { moved: moved + (await moveInWindow(this.#options, "now", signal)) };
  }

  #compare(): void {
    const now = hoursByLine(this.#options.directory.current);
    this.#isChanged ||= now !== this.#seen;
    this.#seen = now;
  }
}

/** What decides about hours, as a text to compare: the rules, and the kinds of lines. */
function hoursByLine({ rules, lines }: Pick<Directory, "rules" | "lines">): string {
  if (rules.sendingHours.length === 0) return "";
  return JSON.stringify([rules.sendingHours, Array.from(lines.values(), ({ number, kind }) => [number, kind])]);
}

/** Without rules, what has no window needs none. */
function moveByNewRules(options: MoveOptions, signal: AbortSignal): Promise<number> {
  const hasRules = options.directory.current.rules.sendingHours.length > 0;
  return hasRules ? moveAllWaiting(options, signal) : moveInWindow(options, "infinity", signal);
}

/** Until nothing that has to be moved is in a window that ends by then. */
export async function moveInWindow(
  options: MoveOptions,
  endsBy: "now" | "infinity",
  signal?: AbortSignal,
): Promise<number> {
  let total = 0;
  for (;;) {
    const page = await findInWindow(options.db, { endsBy, limit: pageSize });
    const moved = await movePage(options, page);
    total += moved;
    // What another node moves meanwhile is left to it.
    if (moved === 0 || page.length < pageSize || signal?.aborted === true) return total;
  }
}

export async function moveAllWaiting(options: MoveOptions, signal?: AbortSignal): Promise<number> {
  let total = 0;
  let after: { accountId: number; messageId: string } | undefined = beforeAll;
  while (after !== undefined && signal?.aborted !== true) {
    const page: WaitingMessage[] = await findWaiting(options.db, { after, limit: pageSize });
    total += await movePage(options, page);
    after = page.at(-1);
  }
  return total;
}

/** Answers how many of them were moved; another node may have moved some since they were read. */
export async function movePage(
  { db, directory, onQueued }: MoveOptions,
  page: readonly WaitingMessage[],
): Promise<number> {
  const moves = page.flatMap((message): TimeMove[] => {
    const { accountId, messageId, dueAt: dueBefore, windowEnd: windowBefore, now } = message;
    const moved = movedTime(message, sendingHoursOf(directory.current, message), now);
    return moved === undefined ? [] : [{ accountId, messageId, dueBefore, windowBefore, ...moved }];
  });
  if (moves.length === 0) return 0;
  const count = await moveInTime(db, moves);
  onQueued();
  return count;
}

interface RerouteWaitingOptions {
  readonly db: Database;
  readonly directory: { readonly current: Directory };
}

/**
 * A message in progress when its route was removed returns to that route later. A node that has not
 * seen the change yet may also accept messages for it.
 */
const againAfterMs = 30_000;
const reroutedAtOnce = 1000;

/** Moves them when the configuration has changed, and again some seconds later. */
export class RerouteWaiting {
  readonly #options: RerouteWaitingOptions;
  #seenVersion: bigint | undefined;
  #seenAt = 0;

  constructor(options: RerouteWaitingOptions) {
    this.#options = options;
  }

  async run(): Promise<{ moved: number }> {
    const { version } = this.#options.directory.current;
    if (version === this.#seenVersion && performance.now() - this.#seenAt < againAfterMs) return { moved: 0 };
    const moved = await rerouteWaiting(this.#options);
    this.#seenVersion = version;
    this.#seenAt = performance.now();
    return moved;
  }
}

export async function rerouteWaiting({ db, directory }: RerouteWaitingOptions): Promise<{ moved: number }> {
  const { routes, lines, connectors } = directory.current;
  const carriers = new Map(connectors.map(({ id, settings }) => [id, settings]));
  const variants = routes.flatMap((route) =>
    variantsOf(route, (id) => carriers.get(id)).map(({ variantId }) => variantId),
  );
  const strayRoutes = await findStrayRoutes(db, [...routes.map((route) => route.id), ...variants]);
  if (strayRoutes.length === 0) return { moved: 0 };
  const findRoute = ({ operator, line }: StrayMessage): number | undefined =>
    chooseRoute(routes, operator, lines.get(line) ?? { number: line, kind: "dedicated" })?.id;
  let moved = 0;
  let after: { accountId: number; messageId: string } | undefined = beforeAll;
  while (after !== undefined) {
    const page: StrayMessage[] = await findMessagesOnRoutes(db, strayRoutes, { after, limit: reroutedAtOnce });
    const moves = page.flatMap((stray) => {
      const routeId = findRoute(stray);
      return routeId === undefined ? [] : [{ accountId: stray.accountId, messageId: stray.messageId, routeId }];
    });
    if (moves.length > 0) await moveToRoutes(db, moves);
    moved += moves.length;
    after = page.length === reroutedAtOnce ? page.at(-1) : undefined;
  }
  return { moved };
}

interface ReleaseOptions {
  readonly db: Database;
  readonly announceDue: (due: { readonly urgent: boolean }) => void;
}

const batch = 1000;
const phonesAtATime = 100;

/** Until nothing more is due. What is released can be sent while the rest is. */
export async function releaseDueMessages(
  { db, announceDue }: ReleaseOptions,
  signal?: AbortSignal,
): Promise<{ released: number }> {
  let released = 0;
  for (;;) {
    const { count, isUrgent } = await releaseDue(db, batch);
    if (count > 0) announceDue({ urgent: isUrgent });
    released += count;
    if (count < batch || signal?.aborted === true) return { released };
  }
}

/**
 * Releases long messages that wait for a reference of their phone, in order, as many as there are
 * free references.
 */
export async function releaseWaitingForReferences({
  db,
  announceDue,
}: ReleaseOptions): Promise<Record<string, number>> {
  let released = 0;
  let after: string | undefined = "";
  while (after !== undefined) {
    const phones: string[] = await findPhonesWithLine(db, { after, limit: phonesAtATime });
    for (const phone of phones) released += await db.transaction((tx) => releaseFirst(tx, phone));
    after = phones.length === phonesAtATime ? phones.at(-1) : undefined;
  }
  if (released > 0) announceDue({ urgent: true });
  return { released };
}

async function releaseFirst(tx: Queryable, phone: string): Promise<number> {
  await freeReferences(tx, [phone]);
  await leaveLine(tx, phone);
  const first = await findFirstInLine(tx, phone, octet);
  if (first.length === 0) return 0;
  const answers = await takeReferences(tx, first, { space: octet, fromLine: true });
  const numbered = answers.filter(({ number }) => number !== null).map(({ messageId }) => messageId);
  await letGo(tx, phone, numbered);
  return numbered.length;
}
