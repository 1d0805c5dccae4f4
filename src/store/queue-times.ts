// Statements on the queue as time passes: what falls due, what has expired, how much waits, and what is
// past its sending hours. Those that read the whole queue rest the longer, the longer they take.
// Only messages of which no part was submitted are moved to other times.
import { onlyOf, type Queryable } from "./database.ts";
import type { DequeuedMessage } from "./message-queue.ts";
import { messageStatus } from "../sms/message-status.ts";
import type { QueuedRecord } from "../sms/message-timeline.ts";
import type { QueuedTime } from "../sms/sending-hours.ts";
import { float8, idRange, rows, rowStatement, timestamptz } from "./row-statement.ts";
import { duePriority, idBounds, isFreeText, messageColumns, queuePriority } from "./sql-texts.ts";

/**
 * Takes messages off the queue whose validity has ended, those that ended first. It does not run
 * from the end of a message's window to the next one. Reads the whole queue: an index would cost each message that waits.
 */
export function dequeueExpired(tx: Queryable, limit: number): Promise<DequeuedMessage[]> {
  return tx.query<DequeuedMessage>(
    "dequeueExpired",
    `delete from message_queue where ctid = any (array(
  select ctid from message_queue where valid_until <= now() and (window_end is null or valid_until <= window_end) order by valid_until limit $1 for update skip locked))
returning account_id as "accountId", message_id as "messageId"`,
    [limit],
  );
}

/**
 * Makes messages claimable that have fallen due: at most `limit`, the most urgent first, and those
 * that fell due first.
 */
export async function releaseDue(
  db: Queryable,
  limit: number,
): Promise<{ readonly count: number; readonly isUrgent: boolean }> {
  const [row] = await db.query<{ count: number; isUrgent: boolean }>(
    "releaseDue",
    `with due as materialized (
  select d.place from generate_series(8, 15) as p (priority) cross join lateral (
    select ctid as place from message_queue where priority = p.priority and priority >= 8 and due_at <= now() order by due_at limit $1 for update skip locked) d
   limit $1
),
released as (
  update message_queue q set priority = ${duePriority("q.priority")} where q.ctid = any (array(select place from due)) returning q.priority
)
select count(*)::int as "count", coalesce(bool_or(priority = 0), false) as "isUrgent" from released`,
    [limit],
  );
  return row ?? { count: 0, isUrgent: false };
}

export interface QueueDepth {
  readonly waiting: number;
  readonly scheduled: number;
  /** When the one-time code fell due that has been due longest; null if none is. */
  readonly oldestCodeAt: Date | null;
  /** Of any other message. */
  readonly oldestOtherAt: Date | null;
}

/** How many messages wait, and since when. Reads the whole queue. */
export function measureQueue(db: Queryable): Promise<QueueDepth> {
  const rows = db.query<QueueDepth>(
    "measureQueue",
    `select (count(*) filter (where due_at <= now()))::int as "waiting", (count(*) filter (where due_at > now()))::int as "scheduled",
       min(due_at) filter (where due_at <= now() and ${duePriority("priority")} = 0) as "oldestCodeAt",
       min(due_at) filter (where due_at <= now() and ${duePriority("priority")} > 0) as "oldestOtherAt"
  from message_queue`,
  );
  return onlyOf(rows);
}

/** Messages on one route that wait for the same thing. */
export interface WaitingGroup extends QueuedRecord {
  readonly messages: number;
  readonly parts: number;
  /** Of the one that is due first: the operator's last temporary refusal. */
  readonly turnedAwayAt: Date | null;
  readonly turnedAwayBy: string | null;
  readonly turnedAwayAnswer: string | null;
}

/** Of a group, for the operator's answer: the end of a night makes very many due at one time. */
const mostLookedAt = 100;

/** Reads the whole queue, so the caller rests the longer, the longer it takes. */
export function groupWaiting(db: Queryable): Promise<WaitingGroup[]> {
  return db.query<WaitingGroup>(
    "groupWaiting",
    `with queued as materialized (
  select q.route_id, q.due_at <= now() as is_due, q.wanted_at is not null as is_moved, sign(q.unanswered)::int as unanswered, sign(q.attempt) as attempt,
         w.message_id is not null as held_back, min(q.due_at) as first_due, count(*)::int as messages, sum(q.parts)::int as parts
    from message_queue q left join reference_wait w on w.message_id = q.message_id
   group by 1, 2, 3, 4, 5, 6
)
select g.route_id as "routeId", g.is_due as "isDue", greatest(g.first_due, now()) as "dueAt", case when g.is_moved then g.first_due end as "wantedAt",
       g.unanswered, g.held_back as "heldBack", g.messages, g.parts, h.at as "turnedAwayAt", h.connector as "turnedAwayBy", h.answer as "turnedAwayAnswer"
  from queued g left join lateral (
         select m.turned_away_at as at, coalesce(c.name, 'connector ' || m.turned_away_by) as connector, m.turned_away_answer as answer
           from (
                  select account_id, message_id from message_queue
                   where route_id = g.route_id and due_at = g.first_due and sign(attempt) = g.attempt
                   limit ${mostLookedAt}) q
           join message m on m.account_id = q.account_id and m.id = q.message_id
           left join configured_object c on c.id = m.turned_away_by
          where m.turned_away_at is not null
          limit 1) h on true
 order by g.messages desc`,
  );
}

/** Reading more takes too long for a page that is read anew each few seconds. */
const mostBefore = 20_000;

/**
 * The parts that are due before a message on these routes: what is more urgent, what its account has
 * before it, and of each other account as many, because accounts take turns.
 */
export async function measurePartsBefore(
  db: Queryable,
  { accountId, id }: { readonly accountId: number; readonly id: string },
  routeIds: readonly number[],
): Promise<{ readonly partsBefore: number; readonly isAtLeast: boolean }> {
  const [row] = await db.query<{ partsBefore: number; isAtLeast: boolean }>(
    "measurePartsBefore",
    `with own as materialized (
  select account_id, (priority & 7) as priority, due_at, message_id from message_queue where account_id = $1 and message_id = $2
),
mine as materialized (
  select q.parts from own o join message_queue q on q.route_id = any ($3::int[]) and q.priority = o.priority and q.account_id = o.account_id
     and (q.due_at, q.message_id) < (o.due_at, o.message_id) limit ${mostBefore}
),
others as (
  select q.account_id, q.parts, row_number() over (partition by q.account_id order by q.due_at, q.message_id) as place
    from (select q.* from own o join message_queue q on q.route_id = any ($3::int[]) and q.priority = o.priority and q.account_id <> o.account_id limit ${mostBefore}) q
),
before as (
  select parts from mine
  union all
  select parts from others where place <= (select count(*) from mine)
  union all
  (select q.parts from own o join message_queue q on q.route_id = any ($3::int[]) and q.priority < o.priority limit ${mostBefore})
)
select coalesce(sum(parts), 0)::int as "partsBefore",
       count(*) >= ${mostBefore} or ((select count(*) from mine) > 0 and (select count(*) from others) >= ${mostBefore}) as "isAtLeast" from before`,
    [accountId, id, routeIds],
  );
  return row ?? { partsBefore: 0, isAtLeast: false };
}

/** A message that waits in the queue, with what its sending hours depend on. */
export interface WaitingMessage extends QueuedTime {
  readonly accountId: number;
  readonly messageId: string;
  readonly sender: string;
  readonly isFree: boolean;
  /** By the clock of the database. */
  readonly now: Date;
}

const waitingColumns = `q.account_id as "accountId", q.message_id as "messageId", m.sender, ${isFreeText} as "isFree",
       q.due_at as "dueAt", q.wanted_at as "wantedAt", q.window_end as "windowEnd", now() as "now"`;

const isUntouched = `q.unanswered = 0 and m.status = ${messageStatus.waiting} and m.reason is null and m.parts_taken = 0`;

/** What is in a window that ends by then, those whose window ends first. */
export function findInWindow(
  db: Queryable,
  { endsBy, limit }: { endsBy: "now" | "infinity"; limit: number },
): Promise<WaitingMessage[]> {
  return db.query<WaitingMessage>(
    "findInWindow",
    `select ${waitingColumns}
  from (select * from message_queue where window_end <= $1::timestamptz order by window_end, due_at limit $2) q
  join message m on m.account_id = q.account_id and m.id = q.message_id
 where ${isUntouched}`,
    [endsBy, limit],
  );
}

/** All that waits, in the order of the ids, after `after`. */
export function findWaiting(
  db: Queryable,
  { after, limit }: { after: { accountId: number; messageId: string }; limit: number },
): Promise<WaitingMessage[]> {
  return db.query<WaitingMessage>(
    "findWaiting",
    `select ${waitingColumns}
  from (select * from message_queue where (account_id, message_id) > ($1, $2::uuid) order by account_id, message_id limit $3) q
  join message m on m.account_id = q.account_id and m.id = q.message_id
 where ${isUntouched}
 order by q.account_id, q.message_id`,
    [after.accountId, after.messageId, limit],
  );
}

/** A message and its new time. */
export interface TimeMove extends QueuedTime {
  readonly accountId: number;
  readonly messageId: string;
  /** The message is moved only if it is still due then, and in this window. */
  readonly dueBefore: Date;
  readonly windowBefore: Date | null;
  readonly shiftMs: number;
}

export const moveInTimeStatement = rowStatement(
  "moveInTime",
  {
    move: rows<TimeMove>({
      ...messageColumns,
      due_before: timestamptz("dueBefore"),
      window_before: timestamptz("windowBefore"),
      due_at: timestamptz("dueAt"),
      wanted_at: timestamptz("wantedAt"),
      window_end: timestamptz("windowEnd"),
      shift_ms: float8("shiftMs"),
    }),
    ...idBounds,
  },
  ({ move, leastId, greatestId }) => `with moved as (
  update message_queue q set due_at = t.due_at, wanted_at = t.wanted_at, window_end = t.window_end,
         priority = ${queuePriority("(q.priority & 7)", "t.due_at")}, valid_until = q.valid_until + make_interval(secs => t.shift_ms / 1000)
    from ${move.as("t")}
   where q.account_id = t.account_id and q.message_id = t.message_id
     and date_trunc('milliseconds', q.due_at) = t.due_before
     and date_trunc('milliseconds', q.window_end) is not distinct from t.window_before
  returning q.account_id, q.message_id, q.due_at, q.valid_until, t.shift_ms
),
told as (
  update message m set send_at = v.due_at, valid_until = v.valid_until from moved v
   where m.account_id = v.account_id and m.id = v.message_id and m.id between ${leastId} and ${greatestId} and v.shift_ms <> 0
)
select count(*)::int as "count" from moved`,
);

/** Returns how many were moved. */
export async function moveInTime(db: Queryable, moves: readonly TimeMove[]): Promise<number> {
  const [row] = await db.query<{ count: number }>(moveInTimeStatement.with({ move: moves, ...idRange(moves) }));
  return row?.count ?? 0;
}

export const dueChannel = "hodhod_due";

/** Wakes the dispatchers of other nodes. */
export async function notifyDue(db: Queryable, payload: string): Promise<void> {
  await db.query("notifyDue", `select pg_notify($1, $2)`, [dueChannel, payload]);
}
