// Moves messages that wait on a removed route to the current routes. A message that matches no
// route keeps waiting.
import type { Directory } from "../directory/directory.ts";
import { chooseRoute, variantsOf } from "../sms/routing.ts";
import type { Database } from "../store/database.ts";
import { findMessagesOnRoutes, findStrayRoutes, moveToRoutes, type StrayMessage } from "../store/message-queue.ts";

interface RerouteWaitingOptions {
  readonly db: Database;
  readonly directory: { readonly current: Directory };
}

/**
 * A message in progress when its route was removed returns to that route later. A node that has not
 * seen the change yet may also accept messages for it.
 */
const againAfterMs = 30_000;
const pageSize = 1000;
const beforeAll = { accountId: 0, messageId: "00000000-0000-0000-0000-000000000000" };

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
    const page: StrayMessage[] = await findMessagesOnRoutes(db, strayRoutes, { after, limit: pageSize });
    const moves = page.flatMap((stray) => {
      const routeId = findRoute(stray);
      return routeId === undefined ? [] : [{ accountId: stray.accountId, messageId: stray.messageId, routeId }];
    });
    if (moves.length > 0) await db.transaction((tx) => moveToRoutes(tx, moves));
    moved += moves.length;
    after = page.length === pageSize ? page.at(-1) : undefined;
  }
  return { moved };
}
