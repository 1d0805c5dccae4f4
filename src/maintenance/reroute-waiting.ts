// Messages that wait on a route which staff have removed find their way by the routes that stand now; with none, they go on waiting.
import type { Directory } from "../directory/directory.ts";
import { PeriodicService } from "../service.ts";
import { chooseRoute } from "../sms/routing.ts";
import type { Database } from "../store/database.ts";
import { findStrayMessages, moveToRoutes } from "../store/message-queue.ts";
import type { Telemetry } from "../telemetry.ts";

export interface RerouteWaitingOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
  readonly directory: { readonly current: Directory };
}

const everyMs = 2000;
const batch = 1000;

export function rerouteWaiting(options: RerouteWaitingOptions): PeriodicService {
  let seenVersion: bigint | undefined;
  return new PeriodicService({
    name: "reroute-waiting",
    everyMs,
    runOnce: async () => {
      const { version } = options.directory.current;
      if (version === seenVersion) return { moved: 0 };
      const counts = await rerouteWaitingOnce(options);
      if (counts.moved === 0) seenVersion = version;
      return counts;
    },
    telemetry: options.telemetry,
  });
}

export async function rerouteWaitingOnce({ db, directory }: RerouteWaitingOptions): Promise<{ moved: number }> {
  const { routes, lines } = directory.current;
  const moved = await db.transaction(async (tx) => {
    const strays = await findStrayMessages(
      tx,
      routes.map((route) => route.id),
      batch,
    );
    const moves = strays.flatMap(({ accountId, messageId, operator, line }) => {
      const senderLine = lines.get(line) ?? ({ number: line, kind: "dedicated" } as const);
      const route = chooseRoute(routes, operator, senderLine);
      return route ? [{ accountId, messageId, routeId: route.id }] : [];
    });
    if (moves.length > 0) await moveToRoutes(tx, moves);
    return moves.length;
  });
  return { moved };
}
