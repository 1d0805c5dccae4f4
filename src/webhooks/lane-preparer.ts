// Reads what an endpoint has to get, and makes requests of it just before they are sent. What is
// told for several endpoints at once is told by one statement.
import { type ToldEvent, tellEvents } from "../events/tell-events.ts";
import { GroupCommitter } from "../platform/group-commit.ts";
import { wants } from "../sms/event-types.ts";
import type { Transactional } from "../store/database.ts";
import {
  comparePositions,
  type EventsOfAccount,
  findLogRows,
  type LogPage,
  type LogRow,
  type Position,
  readLogOf,
} from "../store/event-log.ts";
import { countRetries, divideRetry, readRetries, type StoredRetry } from "../store/webhook-requests.ts";
import type { Clock } from "./clock.ts";
import type { EndpointLane, LaneRequest, Preparation } from "./endpoint-lane.ts";
import { composeRequests, divideEvents, type EndpointRequest } from "./endpoint-requests.ts";
import { mostQueued } from "./untried-events.ts";

export interface LanePreparerOptions {
  readonly db: Transactional;
  readonly clock: Clock;
  /** Up to where the node's reader has read; undefined: it does not read. */
  readonly head: () => Position | undefined;
  /** Other endpoints wait for their turn: no more is read than is told in this one. */
  readonly isWaitedFor: () => boolean;
  /** The endpoint has requests that nothing is left of. */
  readonly deleteRetry: (lane: EndpointLane, requestId: string) => void;
}

/** Rows that are told by one statement. */
const mostTold = 500;
const tellingAtOnce = 2;
const retriesRead = 64;
const replayPage = 500;
const noOctets = new Uint8Array(0);

export class LanePreparer {
  readonly #options: LanePreparerOptions;
  readonly #teller: GroupCommitter<readonly LogRow[], readonly ToldEvent[]>;

  constructor(options: LanePreparerOptions) {
    this.#options = options;
    this.#teller = new GroupCommitter({
      commit: (lots) => tellLots(options.db, lots),
      weigh: (lot) => lot.length,
      maximumWeight: mostTold,
      concurrency: tellingAtOnce,
      isItemFailure: () => false,
    });
  }

  /** Does one of them. What was dropped meanwhile is void. */
  async prepare(lane: EndpointLane, preparation: Preparation): Promise<void> {
    switch (preparation) {
      case "readRetries":
        return this.#readRetries(lane);
      case "tellRetries":
        return this.#tellRetries(lane);
      case "readLog":
        return this.#readLog(lane);
      case "tellLog":
        return this.#tellLog(lane);
      case "readReplay":
        return this.#readReplay(lane);
      case "tellReplay":
        return this.#tellReplay(lane);
    }
  }

  async #readLog(lane: EndpointLane): Promise<void> {
    const { generation, endpoint, untried } = lane;
    const { accountId, mask, batchSize } = endpoint;
    const turns = this.#options.isWaitedFor() ? 1 : 2;
    const limit = Math.min(mostQueued, Math.max(this.#ahead(lane), 8) * batchSize * turns) - untried.length;
    const page = await this.#readPage({ accountId, mask, after: untried.readTo, limit });
    if (lane.generation !== generation) return;
    untried.add(page, this.#options.clock.now());
    const head = this.#options.head();
    if (page.isEnd && head !== undefined) untried.join(head);
  }

  #readPage(asked: EventsOfAccount): Promise<LogPage> {
    return this.#options.db.transaction((tx) => readLogOf(tx, asked));
  }

  async #tellLog(lane: EndpointLane): Promise<void> {
    const { generation } = lane;
    const rows = lane.untried.take(this.#ahead(lane) * lane.endpoint.batchSize);
    const requests = await this.#tell(lane, rows, "log");
    if (lane.generation === generation) lane.addReady(requests);
  }

  async #readReplay(lane: EndpointLane): Promise<void> {
    const { generation, replay: reading, endpoint } = lane;
    if (reading === undefined) return;
    const { accountId, mask } = endpoint;
    const { eventIds, from, to, until } = reading.replay;
    const { db } = this.#options;
    if (eventIds !== null) {
      const found = await findLogRows(db, { accountId, ids: eventIds });
      const rows = found.filter(
        ({ position, type }) => comparePositions(position, reading.readTo) > 0 && wants(mask, type),
      );
      if (lane.generation === generation) reading.add({ rows, position: until }, true);
      return;
    }
    const times = { from: from ?? undefined, to: to ?? undefined };
    const page = await this.#readPage({ accountId, mask, after: reading.readTo, until, ...times, limit: replayPage });
    if (lane.generation === generation) reading.add(page, page.isEnd);
  }

  async #tellReplay(lane: EndpointLane): Promise<void> {
    const { generation, replay } = lane;
    if (replay === undefined) return;
    const rows = replay.take(this.#ahead(lane) * lane.endpoint.batchSize);
    const requests = await this.#tell(lane, rows, "replay");
    if (lane.generation === generation && lane.replay === replay) lane.addReady(requests);
  }

  async #tell(
    { endpoint }: EndpointLane,
    rows: readonly LogRow[],
    from: "log" | "replay",
  ): Promise<readonly LaneRequest[]> {
    const { mask, batchSize } = endpoint;
    const end = rows.at(-1)?.position;
    if (end === undefined) return [];
    const events = await this.#teller.add(rows.filter(({ type }) => wants(mask, type)));
    const requests = composeRequests(events, { batchSize, now: this.#now });
    if (requests.length === 0) return [{ id: "", body: noOctets, events: [], requestId: "", from, tries: 0, end }];
    return requests.map((request, index) => {
      const isLast = index === requests.length - 1;
      const settled = isLast ? end : (request.events.at(-1)?.position ?? end);
      return laneRequest(request, { requestId: request.id, from, tries: 0, end: settled });
    });
  }

  async #readRetries(lane: EndpointLane): Promise<void> {
    const { generation, retries, endpoint } = lane;
    const limit = retries.rowsToRead(retriesRead);
    const { db } = this.#options;
    // Nothing else is sent while there seem to be too many.
    const total = retries.isFull ? await countRetries(db, endpoint.id) : undefined;
    const stored = await readRetries(db, endpoint.id, limit);
    if (lane.generation === generation) retries.load(stored, { limit, total, nowMs: this.#options.clock.now() });
  }

  async #tellRetries(lane: EndpointLane): Promise<void> {
    const { generation, retries } = lane;
    const taken = retries.take(this.#ahead(lane));
    try {
      const whole = await this.#divideBatches(lane, taken);
      const told = await this.#tellStored(lane, whole);
      if (lane.generation === generation) {
        for (const [index, request] of told.entries()) {
          const retry = whole[index];
          if (retry === undefined) continue;
          if (request === undefined) this.#options.deleteRetry(lane, retry.requestId);
          else lane.addReady([request]);
        }
        return;
      }
    } catch (error) {
      this.#giveBack(lane, taken);
      throw error;
    }
    this.#giveBack(lane, taken);
  }

  #giveBack({ retries }: EndpointLane, taken: readonly StoredRetry[]): void {
    for (const { requestId } of taken) retries.giveBack(requestId, this.#options.clock.now());
  }

  /** What is larger than the endpoint takes now becomes requests that are read again. */
  async #divideBatches(lane: EndpointLane, taken: readonly StoredRetry[]): Promise<readonly StoredRetry[]> {
    const { id: endpointId, batchSize } = lane.endpoint;
    const whole = taken.filter(({ eventIds }) => eventIds.length <= batchSize);
    for (const { requestId, eventIds } of taken) {
      if (eventIds.length <= batchSize) continue;
      const part = divideEvents(eventIds, batchSize);
      await divideRetry(this.#options.db, { endpointId, requestId, part });
      lane.retries.split(requestId, part.length, this.#options.clock.now());
    }
    return whole;
  }

  /** Undefined: nothing of it is wanted, or stored. */
  async #tellStored(
    { endpoint }: EndpointLane,
    retries: readonly StoredRetry[],
  ): Promise<readonly (LaneRequest | undefined)[]> {
    const { accountId, mask, batchSize } = endpoint;
    if (retries.length === 0) return [];
    const rows = await findLogRows(this.#options.db, { accountId, ids: retries.flatMap(({ eventIds }) => eventIds) });
    const events = await this.#teller.add(rows.filter(({ type }) => wants(mask, type)));
    const eventOf = new Map(events.map((event) => [event.id, event]));
    return retries.map(({ requestId, eventIds, tries }) => {
      const own = eventIds.flatMap((id) => eventOf.get(id) ?? []);
      const [request]: readonly (EndpointRequest | undefined)[] = composeRequests(own, {
        ...{ batchSize, now: this.#now, isWhole: true },
      });
      const end = own.at(-1)?.position;
      return request && end && laneRequest(request, { requestId, from: "retry", tries, end });
    });
  }

  #ahead(lane: EndpointLane): number {
    return lane.ahead(this.#options.clock.now(), this.#options.isWaitedFor());
  }

  get #now(): Date {
    return new Date(this.#options.clock.now());
  }
}

/** Key by key: thousands wait, and a spread object takes nearly three times the memory. */
function laneRequest(
  { id, body, events }: EndpointRequest,
  { requestId, from, tries, end }: Omit<LaneRequest, keyof EndpointRequest>,
): LaneRequest {
  return { id, body, events, from, requestId, tries, end };
}

/** Several endpoints of an account want the same events. */
async function tellLots(
  db: Transactional,
  lots: readonly (readonly LogRow[])[],
): Promise<readonly (readonly ToldEvent[])[]> {
  const [only] = lots;
  if (only !== undefined && lots.length === 1) return [await tellEvents(db, only)];
  const keyOf = ({ accountId, id }: { accountId: number; id: string }): string => `${accountId} ${id}`;
  const rows = new Map(lots.flat().map((row) => [keyOf(row), row]));
  const events = new Map((await tellEvents(db, [...rows.values()])).map((event) => [keyOf(event), event]));
  return lots.map((lot) => lot.flatMap((row) => events.get(keyOf(row)) ?? []));
}
