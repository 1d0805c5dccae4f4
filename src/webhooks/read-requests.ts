// Reads what an endpoint is to get next, and makes requests of it: first the retries that are due,
// then the events of the log behind its place, then those of a replay.
import { maskOf, wants } from "../sms/event-types.ts";
import type { Transactional } from "../store/database.ts";
import { comparePositions, findLogRows, type LogRow, type Position, readLogOf } from "../store/event-log.ts";
import { type ClaimedEndpoint, mostRetries, readDueRetries, type Replay } from "../store/webhook-deliveries.ts";
import { type CustomerEvent, loadEvents } from "../events/event-json.ts";
import { composeBatch, composeRequests, type EventRequest } from "./event-requests.ts";
import type { StoredRequestState } from "./round-outcomes.ts";

export interface DeliveryRequest extends EventRequest, StoredRequestState {
  /** Of its last event in the log. */
  readonly end: Position;
}

export interface NextRequests {
  readonly from: "retries" | "log" | "replay";
  readonly requests: readonly DeliveryRequest[];
  /** The place in the log or of the replay when all are begun. */
  readonly end?: Position;
  /** There is nothing behind them, of any kind. */
  readonly isEnd: boolean;
  /** Stored requests of which nothing is left, or that were divided. */
  readonly replaced: readonly StoredRequestState[];
  /** What they were divided into. */
  readonly parts: readonly StoredRequestState[];
}

export interface AskedRequests {
  /** How many may be under way. */
  readonly allowed: number;
  /** After a pause a single request is tried first. */
  readonly isProbing: boolean;
  /** Ids of requests without an answer. */
  readonly underWay: readonly string[];
}

/** So many for each that may be under way: read once, sent one after the other. */
const singlesAhead = 64;
const retriesAhead = 8;

export async function readRequests(
  db: Transactional,
  delivery: ClaimedEndpoint,
  asked: AskedRequests,
): Promise<NextRequests> {
  const retries = delivery.retries > asked.underWay.length ? await readRetries(db, delivery, asked) : undefined;
  if (retries !== undefined) return retries;
  // With too many failed requests, nothing untried is sent until they become fewer.
  if (delivery.retries >= mostRetries) return { from: "retries", requests: [], isEnd: true, replaced: [], parts: [] };
  const { replay } = delivery;
  const log = await readLog(db, delivery, asked);
  if (log.requests.length > 0 || !log.isEnd || replay === null) return { ...log, isEnd: log.isEnd && replay === null };
  return readReplay(db, delivery, replay, asked);
}

/** Undefined: none is due. */
async function readRetries(
  db: Transactional,
  { endpointId, accountId, events: patterns, batchSize, now }: ClaimedEndpoint,
  { allowed, isProbing, underWay }: AskedRequests,
): Promise<NextRequests | undefined> {
  const limit = isProbing ? 1 : allowed * retriesAhead;
  const stored = await readDueRetries(db, { endpointId, underWay, limit });
  if (stored.length === 0) return undefined;
  const mask = maskOf(patterns);
  const rows = await findLogRows(db, { accountId, ids: stored.flatMap(({ eventIds }) => eventIds) });
  const events = await loadEvents(
    db,
    rows.filter(({ type }) => wants(mask, type)),
  );
  const eventOf = new Map(events.map((event) => [event.id, event]));
  const requests: DeliveryRequest[] = [];
  const replaced: StoredRequestState[] = [];
  for (const request of stored) {
    const { requestId, eventIds, happenedAt, tries } = request;
    const own = eventIds.flatMap((id) => eventOf.get(id) ?? []);
    const isWhole = own.length > 0 && eventIds.length <= batchSize;
    if (!isWhole) replaced.push({ ...request, isStored: true });
    // What is tried again has the same events, also where it is larger than a batch may be.
    const parts = isWhole && batchSize > 1 ? [composeBatch(own, now)] : composeRequests(own, { batchSize, now });
    for (const part of parts) {
      const id = isWhole ? requestId : part.id;
      requests.push(deliveryRequest(part, { requestId: id, happenedAt, tries, isStored: isWhole }));
    }
  }
  return { from: "retries", requests, isEnd: false, replaced, parts: requests.filter(({ isStored }) => !isStored) };
}

async function readLog(
  db: Transactional,
  { accountId, events, position: after, ...delivery }: ClaimedEndpoint,
  asked: AskedRequests,
): Promise<NextRequests> {
  const page = await db.transaction((tx) =>
    readLogOf(tx, { accountId, mask: maskOf(events), after, limit: eventsFor(delivery, asked) }),
  );
  const requests = untried(await loadEvents(db, page.rows), delivery);
  return { from: "log", requests, end: page.position, isEnd: page.isEnd, replaced: [], parts: [] };
}

async function readReplay(
  db: Transactional,
  { accountId, events, ...delivery }: ClaimedEndpoint,
  { eventIds, from, to, position: after, until }: Replay,
  asked: AskedRequests,
): Promise<NextRequests> {
  const mask = maskOf(events);
  const limit = eventsFor(delivery, asked);
  const read = async (): Promise<{ rows: readonly LogRow[]; position: Position; isEnd: boolean }> => {
    if (eventIds === null) {
      const times = { from: from ?? undefined, to: to ?? undefined };
      return db.transaction((tx) => readLogOf(tx, { accountId, mask, after, until, ...times, limit }));
    }
    const found = await findLogRows(db, { accountId, ids: eventIds });
    const left = found.filter(({ position, type }) => comparePositions(position, after) > 0 && wants(mask, type));
    const rows = left.slice(0, limit);
    const isEnd = rows.length === left.length;
    return { rows, position: isEnd ? until : (rows.at(-1)?.position ?? until), isEnd };
  };
  const page = await read();
  const requests = untried(await loadEvents(db, page.rows), delivery);
  return { from: "replay", requests, end: page.position, isEnd: page.isEnd, replaced: [], parts: [] };
}

function eventsFor({ batchSize }: Pick<ClaimedEndpoint, "batchSize">, { allowed, isProbing }: AskedRequests): number {
  return batchSize === 1 && !isProbing ? allowed * singlesAhead : allowed * batchSize;
}

function untried(
  events: readonly CustomerEvent[],
  { batchSize, now }: Pick<ClaimedEndpoint, "batchSize" | "now">,
): readonly DeliveryRequest[] {
  return composeRequests(events, { batchSize, now }).map((request) =>
    deliveryRequest(request, {
      ...{ requestId: request.id, tries: 0, isStored: false },
      happenedAt: new Date(request.events[0]?.timestamp ?? now),
    }),
  );
}

function deliveryRequest(
  { id, body, events }: EventRequest,
  state: Omit<StoredRequestState, "eventIds">,
): DeliveryRequest {
  const last = events.at(-1);
  if (last === undefined) throw new Error("a request has no event");
  return { ...state, id, body, events, eventIds: events.map((event) => event.id), end: last.position };
}
