// Statements on waiting messages: claim them for a bind, give them back, cancel them, let them
// expire.
import { bitsOf, type PartNumber } from "../sms/segmentation.ts";
import { messageStatus, reasonCode } from "../sms/message-status.ts";
import type { StoredNotTaken } from "../sms/not-taken.ts";
import type { Queryable } from "./database.ts";
import { byWeek, float8, idRange, int2, int4, rows, rowStatement, text, timestamptz } from "./row-statement.ts";
import {
  heldBits,
  isFreeText,
  messageColumns,
  notTakenJson,
  notTakenOr,
  queuePriority,
  type SubmissionsNotTaken,
} from "./sql-texts.ts";

/** A message claimed for one bind, with everything needed to submit its missing parts. */
export interface ClaimedMessage {
  readonly accountId: number;
  readonly messageId: string;
  readonly routeId: number;
  readonly priority: number;
  readonly dueAt: Date;
  /** The remaining validity by the database's clock, because a node's clock may be wrong. */
  readonly validForMs: number;
  /** Tries that failed because of the message itself; the back-off grows with them. */
  readonly attempt: number;
  /** Submissions of the message that were never answered. */
  readonly unanswered: number;
  /** How often the message was requeued, for any reason; it makes each requeue happen once. */
  readonly tries: number;
  readonly sender: string;
  readonly recipient: string;
  readonly content: string;
  readonly encoding: "gsm7" | "ucs2";
  readonly parts: number;
  /** Bit n-1 is set when an SMSC took part n before, or may have: a held part. */
  readonly partsTaken: number;
  /** A one-time code, or a reply of an inbound rule: it goes out at any hour. */
  readonly isFree: boolean;
  /** When the sending hours end in which it was claimed; null: it may go out at any time. */
  readonly windowEnd?: Date | null | undefined;
  /** Earlier submissions that did not get it taken. */
  readonly earlierNotTaken?: StoredNotTaken | null;
  /** The template that it was made from. */
  readonly templateId?: string | null;
}

// A queue is that of one account, of one priority on one route. The claim walks the queues in the
// order of the ranges it is given, priority by priority, and takes an equal share of the room
// from each, at least one message; a second round fills what is left of the room. PostgreSQL
// evaluates all of it lazily: each step skips to the next queue in the key, and when the room is
// filled, the rest is never read. So the cost is that of what it takes, however many messages,
// accounts or scheduled messages there are. `since` excludes nothing but what was taken before, which stays
// in the index until vacuum removes it. What another claim has locked is passed over; if it is
// released between the two rounds, a row can be met twice. The claim row is written in the same
// statement, so it is durable before anything is sent.
//
// Planning takes longer than the claim. `asked` hides the values from the planner, so that a plan
// for known values looks no cheaper than the general one, which is kept from the sixth claim of a
// session on. The limit in `waiting` excludes nothing: it has `taken` and `chosen` joined by a hash.
const claimDueMessagesText = `/* claimDueMessages */
with asked as materialized (
  select $5::int[] as priorities, $6::int[] as routes, $7::int[] as afters, $8::int[] as untils, $9::timestamptz[] as sinces, $10::int as room
),
candidate as materialized (
  select row_number() over () as step, place, parts from (
    select q.place, q.parts
      from generate_series(0, 7) as p (priority) cross join lateral (
        with account_queue as materialized (
          select s.route_id, a.account_id, s.since
            from unnest((select priorities from asked), (select routes from asked), (select afters from asked), (select untils from asked), (select sinces from asked))
                   as s (priority, route_id, after, until, since) cross join lateral (
              with recursive account as (
                (select account_id from message_queue
                  where route_id = s.route_id and priority = p.priority and (account_id, due_at) >= (s.after + 1, s.since) and account_id <= s.until
                  order by account_id, due_at limit 1)
                union all
                (select n.account_id from account a cross join lateral (
                   select account_id from message_queue
                    where route_id = s.route_id and priority = p.priority and account_id > a.account_id and account_id <= s.until
                    order by account_id limit 1) n)
              )
              select account_id from account) a
           where s.priority = p.priority
        ),
        few as materialized (
          select ((select room from asked) + count(*) - 1) / greatest(1, count(*)) as share from (select from account_queue limit (select room from asked)) l
        )
        select q.place, q.parts from (values (true), (false)) as round (is_first) cross join lateral (
          select route_id, account_id, since, round.is_first from account_queue offset 0) l cross join lateral (
          select ctid as place, parts from message_queue
           where route_id = l.route_id and priority = p.priority and account_id = l.account_id and due_at >= l.since and due_at <= now()
             and (window_end is null or window_end > now())
           order by due_at, message_id
           limit case when round.is_first then (select share from few) else (select room from asked) end
          offset case when round.is_first then 0 else (select share from few) end
             for update skip locked) q) q
     where exists (select from node where id = $2 and lease_until > now())
     limit (select room from asked)) q
),
chosen as materialized (
  select place, step from (
    select place, step, sum(parts) over (order by step) - parts as parts_before
      from (select place, min(step) as step, min(parts) as parts from candidate group by place) once) ordered
   where parts_before < (select room from asked)
),
taken as (
  delete from message_queue q where q.ctid = any (array(select place from chosen))
  returning q.ctid as place, q.account_id, q.message_id, q.route_id, q.priority, q.due_at, q.valid_until, q.attempt, q.unanswered, q.window_end
),
waiting as materialized (
  select t.step, t.account_id, t.message_id, t.route_id, t.priority, t.due_at, t.valid_until, t.attempt, t.unanswered, t.window_end, m.tries, m.sender, m.recipient,
         m.content, m.encoding, m.parts, m.parts_taken | case when m.reason = ${reasonCode.outcomeUnknown} then ${heldBits} else 0 end as parts_taken, m.not_taken, m.template_id, ${isFreeText} as is_free
    from (select taken.*, step from taken join chosen using (place) limit (select room from asked)) t join message m on m.account_id = t.account_id and m.id = t.message_id
   where m.status = ${messageStatus.waiting}
),
recorded as (
  insert into claim (id, node_id, connector_id, bind_number, account_ids, message_ids)
  select $1, $2, $3, $4, array_agg(account_id), array_agg(message_id) from waiting having count(*) > 0
)
select account_id as "accountId", message_id as "messageId", route_id as "routeId", priority, due_at as "dueAt",
       (extract(epoch from valid_until - now()) * 1000)::double precision as "validForMs", attempt, unanswered, tries, sender, recipient, content, encoding, parts, parts_taken as "partsTaken", not_taken as "earlierNotTaken", template_id as "templateId", is_free as "isFree", window_end as "windowEnd"
  from waiting
 order by step`;

export interface ClaimRequest {
  readonly claimId: string;
  readonly nodeId: string;
  readonly connectorId: number;
  readonly bindNumber: number;
  /** Where it looks, in order: each priority's together, and no account twice. */
  readonly ranges: readonly {
    readonly priority: number;
    readonly routeId: number;
    /** Accounts above this one. */
    readonly after: number;
    /** And up to this one. */
    readonly until: number;
    /** Messages that are due since then; absent: all. Of a range of one account. */
    readonly since?: Date | undefined;
  }[];
  /** Parts that fit into the bind's window; the last claimed message may exceed it. */
  readonly partsLimit: number;
}

/**
 * Takes due messages off the queue for one bind, if this node's lease still holds. They are in the
 * order of the turns in which they were taken.
 */
export function claimDueMessages(db: Queryable, request: ClaimRequest): Promise<ClaimedMessage[]> {
  const { ranges } = request;
  return db.query<ClaimedMessage>({
    name: "claimDueMessages",
    text: claimDueMessagesText,
    values: [
      request.claimId,
      request.nodeId,
      request.connectorId,
      request.bindNumber,
      ranges.map(({ priority }) => priority),
      ranges.map(({ routeId }) => routeId),
      ranges.map(({ after }) => after),
      ranges.map(({ until }) => until),
      ranges.map(({ since }) => since ?? "-infinity"),
      request.partsLimit,
    ],
  });
}

/** A message that goes back to the queue and is due after `delayMs`. */
export interface MessageToRequeue {
  readonly accountId: number;
  readonly messageId: string;
  /** Undefined: as soon as possible, in the order of its first due time. */
  readonly delayMs: number | undefined;
  readonly dueAt: Date;
  readonly attempt: number;
  /** As it was claimed. */
  readonly tries: number;
  /**
   * Parts that were submitted to a connector and never answered. The outcome stays open (1302)
   * until they are answered.
   */
  readonly open?: { readonly connectorId: number; readonly parts: readonly PartNumber[] } | undefined;
  /** How often that happened, including this time; 0 if absent. */
  readonly unanswered?: number;
  /** The operator's answer that turned the message away for now. */
  readonly turnedAway?: { readonly connectorId: number; readonly answer: string } | undefined;
  /** Another route, or variant of a route, on which it waits. */
  readonly routeId?: number;
  readonly notTaken?: SubmissionsNotTaken | undefined;
  /**
   * The next window of its sending hours, if it may not go out now. Its validity stands still
   * meanwhile.
   */
  readonly window?: { readonly from: Date; readonly until: Date } | undefined;
  /** As it was claimed. A message of which a part was submitted is continued at any hour. */
  readonly windowEnd?: Date | null | undefined;
}

export const requeueMessagesStatement = byWeek(
  "requeueMessages",
  {
    message: rows<MessageToRequeue>({
      ...messageColumns,
      delay_ms: float8("delayMs"),
      due_at: timestamptz("dueAt"),
      attempt: int2("attempt"),
      tries: int2("tries"),
      unanswered: int2((message) => message.unanswered ?? 0),
      open_on: int4((message) => message.open?.connectorId),
      parts_open: int4((message) => message.open?.parts.reduce((bits, part) => bits | bitsOf(part), 0)),
      route_id: int4("routeId"),
      turned_away_by: int4((message) => message.turnedAway?.connectorId),
      answer: text((message) => message.turnedAway?.answer),
      not_taken: text(({ notTaken }) => notTakenJson(notTaken)),
      window_from: timestamptz(({ window }) => window?.from),
      window_end: timestamptz(({ window, windowEnd }) => window?.until ?? windowEnd),
    }),
  },
  ({ message }, isInWeek) => `with returned as (
  update message m set tries = (m.tries + 1) % 32768, route_id = coalesce(r.route_id, m.route_id), reason = case when r.open_on is null then m.reason else ${reasonCode.outcomeUnknown} end,
         connector_id = coalesce(r.open_on, m.connector_id),
         parts_unanswered = case when m.parts_unanswered > 0 and r.parts_open > 0 and m.connector_id = r.open_on
                                 then m.parts_unanswered | r.parts_open else coalesce(r.parts_open, m.parts_unanswered) end,
         turned_away = case when r.answer is null then m.turned_away else coalesce(m.turned_away, 0) + 1 end,
         turned_away_by = coalesce(r.turned_away_by, m.turned_away_by), turned_away_answer = coalesce(r.answer, m.turned_away_answer),
         turned_away_at = case when r.answer is null then m.turned_away_at else statement_timestamp() end,
         not_taken = ${notTakenOr("r.not_taken", "m.not_taken")}, send_at = coalesce(r.window_from, m.send_at),
         valid_until = m.valid_until + coalesce(greatest(r.window_from - statement_timestamp(), interval '0'), interval '0')
    from (select * from ${message.as("u")} order by account_id, message_id) r
   where m.account_id = r.account_id and m.id = r.message_id and ${isInWeek} and m.status = ${messageStatus.waiting} and m.tries = r.tries
  returning m.route_id, m.priority, m.account_id, m.id, m.valid_until, m.parts, r.attempt, r.unanswered,
            coalesce(r.window_from, statement_timestamp() + make_interval(secs => r.delay_ms / 1000.0), r.due_at) as due_at,
            case when m.parts_taken = 0 and m.reason is null then r.window_end end as window_end, case when r.window_from is not null then r.due_at end as wanted_at
)
insert into message_queue (route_id, priority, account_id, due_at, message_id, valid_until, parts, attempt, unanswered, window_end, wanted_at)
select route_id, ${queuePriority("priority", "due_at")}, account_id, due_at, id, valid_until, parts, attempt, unanswered, window_end, wanted_at from returned`,
);

/**
 * Puts messages back in the queue, except those that have ended, were sent, or were already put
 * back from the same claim: a repetition after a lost answer changes nothing. `tries` only has to
 * differ from one time to the next, and wraps, because an operator that turns messages away for a
 * day would overflow a smallint.
 */
export async function requeueMessages(tx: Queryable, messages: readonly MessageToRequeue[]): Promise<void> {
  await tx.query(requeueMessagesStatement.of(idRange(messages)).with({ message: messages }));
}

/** A message taken off the queue. */
export interface DequeuedMessage {
  readonly accountId: number;
  readonly messageId: string;
}

export const dequeueUnsubmittedStatement = rowStatement(
  "dequeueUnsubmitted",
  {
    message: rows<DequeuedMessage>({
      ...messageColumns,
    }),
  },
  ({ message }) => `with target as materialized (
  select * from ${message.as("t")}
),
queued as (
  delete from message_queue q using target t, message m
   where q.account_id = t.account_id and q.message_id = t.message_id and q.unanswered = 0
     and m.account_id = t.account_id and m.id = t.message_id and m.status = ${messageStatus.waiting} and m.reason is null and m.parts_taken = 0
  returning q.account_id, q.message_id
),
reviewed as (
  delete from review r using target t where r.account_id = t.account_id and r.message_id = t.message_id
  returning r.account_id, r.message_id
)
select account_id as "accountId", message_id as "messageId" from (table queued union all table reviewed) taken`,
);

/**
 * Takes these messages off the queue if they wait there and no part of them was submitted, or if
 * they wait for staff.
 */
export function dequeueUnsubmitted(tx: Queryable, messages: readonly DequeuedMessage[]): Promise<DequeuedMessage[]> {
  return tx.query<DequeuedMessage>(dequeueUnsubmittedStatement.with({ message: messages }));
}

/** A waiting message with the facts that its route is chosen by. */
export interface StrayMessage {
  readonly accountId: number;
  readonly messageId: string;
  readonly operator: string;
  readonly line: string;
  readonly routeId: number;
}

/**
 * Removed routes on which messages still wait. Skips from route to route in the key, however many
 * messages wait.
 */
export async function findStrayRoutes(db: Queryable, routeIds: readonly number[]): Promise<number[]> {
  const rows = await db.query<{ routeId: number }>(
    "findStrayRoutes",
    `with recursive route as (
  (select route_id from message_queue order by route_id limit 1)
  union all
  (select n.route_id from route r cross join lateral (
     select q.route_id from message_queue q where q.route_id > r.route_id order by q.route_id limit 1) n)
)
select route_id as "routeId" from route where route_id <> all ($1::int[])`,
    [routeIds],
  );
  return rows.map((row) => row.routeId);
}

/** Messages that wait on these routes, in the order of their ids, after `after`. */
export function findMessagesOnRoutes(
  db: Queryable,
  routeIds: readonly number[],
  { after, limit }: { after: { accountId: number; messageId: string }; limit: number },
): Promise<StrayMessage[]> {
  return db.query<StrayMessage>(
    "findMessagesOnRoutes",
    `select q.account_id as "accountId", q.message_id as "messageId", q.route_id as "routeId", m.operator, m.sender as "line"
  from message_queue q join message m on m.account_id = q.account_id and m.id = q.message_id
 where q.route_id = any ($1::int[]) and (q.account_id, q.message_id) > ($2, $3::uuid)
 order by q.account_id, q.message_id limit $4`,
    [routeIds, after.accountId, after.messageId, limit],
  );
}

/** A message and the route that it goes to. */
interface RouteMove {
  readonly accountId: number;
  readonly messageId: string;
  readonly routeId: number;
}

export const moveToRoutesStatement = rowStatement(
  "moveToRoutes",
  { move: rows<RouteMove>({ ...messageColumns, route_id: int4("routeId") }) },
  ({ move }) => `with queued as (
  update message_queue q set route_id = t.route_id from ${move.as("t")}
   where q.account_id = t.account_id and q.message_id = t.message_id
  returning q.account_id, q.message_id, q.route_id
)
update message m set route_id = q.route_id from queued q
 where m.account_id = q.account_id and m.id = q.message_id`,
);

/** Moves waiting messages to other routes. */
export async function moveToRoutes(db: Queryable, moves: readonly RouteMove[]): Promise<void> {
  await db.query(moveToRoutesStatement.with({ move: moves }));
}
