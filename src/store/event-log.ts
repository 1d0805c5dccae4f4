// Reads the log of events in an order in which nothing that commits later comes before what a
// reader has seen. A row's position is the id of its transaction, raised by the log's shift. A
// reader takes only positions below the oldest transaction that is still running: all transactions
// below it have ended, and later ones get higher ids. So writers share no counter, row or lock, and
// one long transaction holds back all readers (docs/decisions/0040-outbox-and-position.md).
import {
  eventIdOf,
  eventIdOfNumber,
  type EventType,
  eventTypeNumber,
  eventTypeOf,
  readEventId,
  subjectOfEventId,
} from "../sms/event-types.ts";
import type { ReasonCode } from "../sms/message-status.ts";
import { uuidv7 } from "../platform/uuid.ts";
import { onlyOf, type Queryable } from "./database.ts";
import { writeOwnEvents } from "./sql-texts.ts";
import { int2, int4, int8, json, rows, rowStatement, uuid } from "./row-statement.ts";
import { preferIndexOrder } from "./transaction-settings.ts";

/** A place in the log; events of one transaction are in the order of their ids. */
export interface Position {
  /** The id of the writing transaction, raised by the shift. */
  readonly transaction: bigint;
  readonly eventId: string;
}

/** A position as one text, for cursors and columns. */
export function writePosition({ transaction, eventId }: Position): string {
  return `${transaction}.${eventId}`;
}

const positionForm = /^([0-9]{1,19})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const latestTransaction = 2n ** 63n - 1n;

/** Undefined: no text that `writePosition` wrote. */
export function readPosition(text: string): Position | undefined {
  const [, digits, eventId] = positionForm.exec(text) ?? [];
  if (digits === undefined || eventId === undefined) return undefined;
  const transaction = BigInt(digits);
  return transaction > latestTransaction ? undefined : { transaction, eventId };
}

/** Below 0: the first one comes before the second. */
export function comparePositions(first: Position, second: Position): number {
  if (first.transaction !== second.transaction) return first.transaction < second.transaction ? -1 : 1;
  if (first.eventId === second.eventId) return 0;
  return first.eventId < second.eventId ? -1 : 1;
}

export interface LogRow {
  /** The event's id. */
  readonly id: string;
  readonly position: Position;
  readonly accountId: number;
  readonly type: EventType;
  /** The message, or the received message; of others a UUID of their own. */
  readonly subjectId: string;
  readonly at: Date;
  readonly reason: ReasonCode | null;
  /** The event's data, if it is about nothing that is stored. */
  readonly detail: object | null;
}

/** What a reader took from the log. */
export interface LogPage {
  readonly rows: readonly LogRow[];
  /** Where to read on. It advances also where there was nothing. */
  readonly position: Position;
  /** There was no more to read. A page that is not the end may be empty. */
  readonly isEnd: boolean;
  /** Up to when it has been read, by the database's clock. */
  readonly asOf: Date;
  readonly now: Date;
}

/** So long after its last day an event is still there for a reader that was about to get it. */
export const eventGraceMs = 30 * 60_000;

export const logBeginning: Position = { transaction: 0n, eventId: "00000000-0000-0000-0000-000000000000" };

/** After all events of that position. */
function endOf(transaction: bigint): Position {
  return { transaction, eventId: "ffffffff-ffff-ffff-ffff-ffffffffffff" };
}

const latest = endOf(latestTransaction);

const lesser = (one: Position, other: Position): Position => (comparePositions(one, other) < 0 ? one : other);
const greater = (one: Position, other: Position): Position => (comparePositions(one, other) > 0 ? one : other);

/**
 * All positions below `complete` are complete and visible. `last` is the greatest of them that has
 * an event, and a reader never goes beyond it. The reason: a server that crashes may reuse the ids
 * of transactions that did not commit. Events written under such an id would then lie behind a
 * reader that had gone further. The id of a transaction whose event is stored is never reused.
 */
export const completeUntil = `select complete, now,
       coalesce((select position from event where position < complete order by position desc limit 1), 0) as last
  from (select pg_snapshot_xmin(pg_current_snapshot())::text::bigint + shift as complete, now() as now from event_log) as log`;

/** An event's place within its transaction, as it is stored. */
function storedPlace({ transaction, eventId }: Position): readonly [bigint, number, string] {
  return [transaction, Number.parseInt(eventId.slice(0, 1), 16), subjectOfEventId(eventId) ?? `0${eventId.slice(1)}`];
}

interface EventRow {
  /**
   * Needed from the first row only. Reading them from each row would take a third of the time of a
   * page.
   */
  readonly last: bigint | null;
  readonly now: Date | null;
  /** Null: there is no event. */
  readonly position: bigint | null;
  readonly accountId: number;
  readonly type: number;
  readonly subjectId: string;
  readonly at: Date;
  readonly reason: ReasonCode | null;
  readonly detail: object | null;
  /** False: the last one that was looked at is not asked for. */
  readonly isWanted: boolean;
}

const eventColumns = `e.position, e.account_id as "accountId", e.type, e.subject_id as "subjectId", e.at, e.reason, e.detail`;

function readRows(rows: readonly EventRow[]): readonly LogRow[] {
  return rows.flatMap(({ position: transaction, accountId, type: number, subjectId, at, reason, detail }) => {
    const type = eventTypeOf(number);
    // One of a later version is not told by this one.
    if (transaction === null || type === undefined) return [];
    const id = eventIdOf(type, subjectId);
    return { id, position: { transaction, eventId: id }, accountId, type, subjectId, at, reason, detail };
  });
}

interface AskedPage {
  readonly after: Position;
  readonly until?: Position | undefined;
}

/** `isFull`: there may be more behind the last of them. */
function readPage(found: readonly EventRow[], { after, until = latest }: AskedPage, isFull: boolean): LogPage {
  const { last: lastComplete = null, now = null } = found[0] ?? {};
  if (lastComplete === null || now === null) throw new Error("the log has no row of its own");
  const rows = readRows(found.filter(({ isWanted }) => isWanted));
  // Also where this version does not know its type: what lies behind it is not read yet.
  const last = found.at(-1);
  if (isFull && last !== undefined && last.position !== null) {
    const position = { transaction: last.position, eventId: eventIdOfNumber(last.type, last.subjectId) };
    return { rows, position, isEnd: false, asOf: last.at, now };
  }
  const end = endOf(lastComplete);
  return { rows, position: greater(after, lesser(until, end)), isEnd: true, asOf: now, now };
}

/** All that ended transactions have written lies at or before this position. */
export async function currentPosition(db: Queryable): Promise<Position> {
  const row = await onlyOf(db.query<{ last: bigint }>("currentPosition", completeUntil));
  return endOf(row.last);
}

export interface EventsOfAccount {
  readonly accountId: number;
  /** The types to read. */
  readonly mask: number;
  readonly after: Position;
  /** Up to this one, which is included. */
  readonly until?: Position | undefined;
  /** Only what happened from then on. */
  readonly from?: Date | undefined;
  /** Only what happened so long ago at most. */
  readonly keptMs?: number | undefined;
  /** Only what happened before. */
  readonly to?: Date | undefined;
  readonly limit: number;
  /** The rows to look at, at most: those of other types and times count. */
  readonly mostRead?: number;
}

/** A few milliseconds, or a hundred where nothing is in memory. */
const usuallyRead = 5000;

/**
 * The events of one account after a position, at most `limit`. However few of them are asked for, a
 * bounded number is read: the page then ends, and may be empty. The weeks are those of the
 * partitions, which are read or left out as a whole. Call it in a transaction: the planner knows an
 * average account, and would rather read all events of one that has a million.
 */
export async function readLogOf(tx: Queryable, asked: EventsOfAccount): Promise<LogPage> {
  const { accountId, mask, after, until, from, to, keptMs, limit, mostRead = usuallyRead } = asked;
  await preferIndexOrder(tx);
  const found = await tx.query<EventRow & { readonly place: bigint | null }>(
    "readLogOf",
    `with complete as materialized (${completeUntil})
select c.last, c.now, ${eventColumns}, e.is_wanted as "isWanted", e.place
  from complete c left join lateral (
    select * from (
      select *, row_number() over (order by position, type, subject_id) as place,
             ($6::int >> type) & 1 = 1 and at >= ${earliest} and at < coalesce($11::timestamptz, 'infinity') as is_wanted
        from event
       where account_id = $5 and position >= $1 and position < c.complete and (position, type, subject_id) > ($1, $2::smallint, $3::uuid)
         and position <= coalesce($7::bigint, 9223372036854775807)
         and ($7::bigint is null or (position, type, subject_id) <= ($7::bigint, $8::smallint, $9::uuid))
         and at >= date_trunc('week', ${earliest}, 'UTC') and at < coalesce(date_trunc('week', $11::timestamptz, 'UTC') + interval '168 hours', 'infinity')
       order by position, type, subject_id limit $13) looked
     where is_wanted or place = $13
     order by position, type, subject_id limit $4) e on true
 order by e.position, e.type, e.subject_id`,
    [
      ...storedPlace(after),
      limit,
      accountId,
      mask,
      ...(until === undefined ? [null, null, null] : storedPlace(until)),
      from,
      to,
      keptMs,
      mostRead,
    ],
  );
  const isFull = found.length >= limit || Number(found.at(-1)?.place ?? 0) >= mostRead;
  return readPage(found, asked, isFull);
}

const earliest = "coalesce($10::timestamptz, now() - make_interval(secs => $12::float8 / 1000), '-infinity')";

/** From where on which of an account's events are sought. */
export interface SoughtEvents {
  readonly accountId: number;
  readonly mask: number;
  readonly after: Position;
}

export const listFirstEventTimesStatement = rowStatement(
  "listFirstEventTimes",
  {
    sought: rows<SoughtEvents>({
      account_id: int4("accountId"),
      mask: int4("mask"),
      position: int8(({ after }) => storedPlace(after)[0]),
      type: int2(({ after }) => storedPlace(after)[1]),
      subject_id: uuid(({ after }) => storedPlace(after)[2]),
    }),
  },
  ({ sought }) => `with complete as materialized (${completeUntil})
select s.number::int - 1 as index, e.at
  from complete c cross join ${sought.numberedAs("s", "number")}
  cross join lateral (
    select at from event
     where account_id = s.account_id and position >= s.position and position < c.complete
       and (position, event.type, event.subject_id) > (s.position, s.type, s.subject_id)
       and (s.mask >> event.type) & 1 = 1
     order by position, event.type, event.subject_id limit 1) e`,
);

/**
 * Of each of `sought`, when its first event happened; undefined where there is none. Call it in a
 * transaction, as `readLogOf`.
 */
export async function listFirstEventTimes(
  tx: Queryable,
  sought: readonly SoughtEvents[],
): Promise<readonly (Date | undefined)[]> {
  if (sought.length === 0) return [];
  await preferIndexOrder(tx);
  const found = await tx.query<{ index: number; at: Date }>(listFirstEventTimesStatement.with({ sought }));
  const times = new Map(found.map(({ index, at }) => [index, at]));
  return sought.map((_, index) => times.get(index));
}

/**
 * How many of an account's events happened in a time: `limit` at most. For a replay, which reads
 * them by `readLogOf` with the same times, from `logBeginning` up to `currentPosition`.
 */
export async function countLogOf(
  db: Queryable,
  asked: { accountId: number; mask: number; from: Date; to: Date; limit: number },
): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    "countLogOf",
    `select count(*)::int as count
  from (select from event where account_id = $1 and ($2::int >> type) & 1 = 1 and at >= $3 and at < $4 limit $5) counted`,
    [asked.accountId, asked.mask, asked.from, asked.to, asked.limit],
  );
  return row?.count ?? 0;
}

/** The account's events with these ids that the log holds, in the log's order. */
export async function findLogRows(
  db: Queryable,
  { accountId, ids }: { accountId: number; ids: readonly string[] },
): Promise<readonly LogRow[]> {
  const asked = ids.flatMap((id) => readEventId(id.toLowerCase()) ?? []);
  if (asked.length === 0) return [];
  const found = await db.query<EventRow>(
    "findLogRows",
    `with asked as materialized (select * from unnest($2::smallint[], $3::uuid[]) as a (type, subject_id))
select 0::bigint as last, now() as now, ${eventColumns}, true as "isWanted"
  from event e
 where e.subject_id = any ($3::uuid[]) and e.account_id = $1 and (e.type, e.subject_id) in (select type, subject_id from asked)
 order by e.position, e.type, e.subject_id`,
    [accountId, asked.map(({ type }) => eventTypeNumber(type)), asked.map(({ subjectId }) => subjectId)],
  );
  return readRows(found);
}

/** An event that is about nothing that is stored. */
export interface EventToWrite {
  readonly accountId: number;
  readonly type: EventType;
  /** As customers get it, in the order of its keys. */
  readonly detail: object;
}

export const writeEventsStatement = rowStatement(
  "writeEvents",
  {
    event: rows<EventToWrite>({
      account_id: int4("accountId"),
      subject_id: uuid(() => uuidv7()),
      type: int2(({ type }) => eventTypeNumber(type)),
      detail: json(({ detail }) => JSON.stringify(detail)),
    }),
  },
  ({ event }) => `with given as materialized (
  select * from ${event.as("g")}
),
${writeOwnEvents("given")}
select from given`,
);

/** In the transaction of the change. Accounts that do not want the type get none. */
export async function writeEvents(tx: Queryable, events: readonly EventToWrite[]): Promise<void> {
  if (events.length > 0) await tx.query(writeEventsStatement.with({ event: events }));
}

/**
 * Deletes events of accounts that are no more, at most `limit`, and answers how many. One index
 * descent for each account that has events.
 */
export async function dropEventsOfGoneAccounts(db: Queryable, limit: number): Promise<number> {
  const rows = await db.query(
    "dropEventsOfGoneAccounts",
    `with recursive owner (id) as (
  (select account_id from event order by account_id limit 1)
  union all
  select (select e.account_id from event e where e.account_id > o.id order by e.account_id limit 1) from owner o where o.id is not null
),
found as materialized (
  select e.at, e.position, e.subject_id, e.type
    from owner o join event e on e.account_id = o.id
   where not exists (select from account a where a.id = o.id) limit $1
)
delete from event e using found f
 where e.at = f.at and e.subject_id = f.subject_id and e.position = f.position and e.type = f.type
returning 1`,
    [limit],
  );
  return rows.length;
}

/** The transaction that readers wait for: the oldest that writes, with others after it; null: none. */
export async function measureLogHolder(db: Queryable): Promise<bigint | null> {
  const row = await onlyOf(
    db.query<{ oldest: bigint | null }>(
      "measureLogHolder",
      `select case when pg_snapshot_xmin(s) < pg_snapshot_xmax(s) then pg_snapshot_xmin(s)::text::bigint end as oldest
  from (select pg_current_snapshot() as s) as current`,
    ),
  );
  return row.oldest;
}
