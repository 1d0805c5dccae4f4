// The use case behind replays, by HTTP and command: what the log holds and the endpoint wants is
// noted for the node that sends its events.
import { maskOf, wants } from "../sms/event-types.ts";
import type { Queryable, Transactional } from "../store/database.ts";
import { countLogOf, currentPosition, findLogRows } from "../store/event-log.ts";
import type { EndpointRow } from "../store/webhook-endpoints.ts";
import { insertReplay, isReplaying, type ReplayToInsert } from "../store/webhook-attempts.ts";

/** The most events that a replay of a period may send. */
export const mostReplayed = 1_000_000;
const dayMs = 86_400_000;

export type WantedReplay = { readonly eventIds: readonly string[] } | { readonly from: Date; readonly to: Date };

export type ReplayRefusal = "disabled" | "busy" | "tooMany";

export class ReplayRefused extends Error {
  override readonly name = "ReplayRefused";
  readonly refusal: ReplayRefusal;

  constructor(refusal: ReplayRefusal) {
    super(`the replay is refused: ${refusal}`);
    this.refusal = refusal;
  }
}

export interface ReplayRequest {
  readonly endpoint: Pick<EndpointRow, "id" | "accountId" | "events" | "enabled">;
  readonly wanted: WantedReplay;
  /** What is older counts as gone, even where it is still stored. */
  readonly eventDays: number;
  /** Of a time; another number for tests. */
  readonly most?: number;
}

export interface ReplayDatabases {
  readonly db: Transactional;
  /** For counting, which may take seconds; absent: `db`. */
  readonly reads?: Transactional;
}

/** Answers how many events are sent again. Throws ReplayRefused. */
export async function replayEvents({ db, reads = db }: ReplayDatabases, request: ReplayRequest): Promise<number> {
  const { endpoint } = request;
  if (!endpoint.enabled) throw new ReplayRefused("disabled");
  // Counted in a separate transaction, so that only the commit of the replay itself can be in
  // doubt.
  const { count, ...found } = await reads.transaction((tx) => findReplayed(tx, request));
  if (count === 0) return 0;
  const outcome = await db.transaction((tx) => insertReplay(tx, { endpointId: endpoint.id, ...found }));
  if (outcome !== "begins") throw new ReplayRefused(outcome);
  return count;
}

interface Replayed extends Omit<ReplayToInsert, "endpointId"> {
  readonly count: number;
}

async function findReplayed(
  tx: Queryable,
  { endpoint: { id, accountId, events }, wanted, eventDays, most = mostReplayed }: ReplayRequest,
): Promise<Replayed> {
  if (await isReplaying(tx, id)) throw new ReplayRefused("busy");
  // Read first: later events are new to the endpoint anyway.
  const until = await currentPosition(tx);
  const mask = maskOf(events);
  const kept = new Date(Date.now() - eventDays * dayMs);
  if ("eventIds" in wanted) {
    const rows = await findLogRows(tx, { accountId, ids: wanted.eventIds });
    const eventIds = rows.filter(({ type, at }) => wants(mask, type) && at >= kept).map((row) => row.id);
    return { eventIds, from: null, to: null, until, count: eventIds.length };
  }
  const from = wanted.from > kept ? wanted.from : kept;
  const count = await countLogOf(tx, { accountId, mask, from, to: wanted.to, limit: most + 1 });
  if (count > most) throw new ReplayRefused("tooMany");
  return { eventIds: null, from, to: wanted.to, until, count };
}
