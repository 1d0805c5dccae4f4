// Statements on the references of long messages: which message holds which reference of a phone,
// and which messages wait for one.
import { lingerSeconds, type ReferenceSpace } from "../sms/concatenation.ts";
import { messageStatus } from "../sms/message-status.ts";
import type { Queryable } from "./database.ts";
import { rows, rowStatement, single, text, timestamptz } from "./row-statement.ts";
import { apartPriority, duePriority, messageColumns, queuePriority, timeOfId } from "./sql-texts.ts";

/** A long message about to be submitted in parts. */
export interface ReferenceHolder {
  readonly accountId: number;
  readonly messageId: string;
  readonly recipient: string;
}

export interface ReferenceAnswer {
  readonly messageId: string;
  /** Null: every reference that may be in use at the phone is taken. */
  readonly number: number | null;
  /** Other messages wait for a reference of this phone. */
  readonly hasLine: boolean;
  /** How many messages hold a reference of the phone. */
  readonly holders: number;
}

export const takeReferencesStatement = rowStatement(
  "takeReferences",
  {
    message: rows<ReferenceHolder>({
      recipient: text("recipient"),
      ...messageColumns,
    }),
    size: single<number>(),
    most: single<number>(),
    fromLine: single<boolean>(),
  },
  ({
    message,
    size,
    most,
    fromLine,
  }) => `with relaxed as materialized (select set_config('synchronous_commit', 'off', true)),
item as materialized (
  select * from ${message.numberedAs("i", "place")}
),
wanting as (
  select recipient, array_agg(account_id order by place) as account_ids, array_agg(message_id order by place) as message_ids from item group by recipient
),
phone as (
  insert into concatenation_reference as c (recipient, last, numbers, account_ids, message_ids)
  select recipient, cardinality(message_ids), array(select generate_series(1, cardinality(message_ids))), account_ids, message_ids
    from wanting, relaxed order by recipient
  on conflict (recipient) do update set used_at = now(), (last, numbers, account_ids, message_ids) = (
    with holder as (
      select * from unnest(c.numbers, c.account_ids, c.message_ids) with ordinality as h (number, account_id, message_id, place)
    ),
    kept as (
      select * from holder h
       where h.message_id <> all (excluded.message_ids)
          or not exists (select from holder earlier where earlier.place < h.place and earlier.number % ${size}::int = h.number % ${size})
    ),
    fresh as (
      select w.*, row_number() over (order by w.place) as turn
        from unnest(excluded.account_ids, excluded.message_ids) with ordinality as w (account_id, message_id, place)
       where w.message_id not in (select message_id from kept)
    ),
    free as (
      select n as number, row_number() over (order by n) as turn
        from generate_series(c.last + 1, c.last + least(${size}, cardinality(excluded.message_ids) + cardinality(c.numbers))) as n
       where n % ${size} not in (select number % ${size} from kept)
    ),
    given as (
      select number % 65536 as number, account_id, message_id, turn from fresh join free using (turn)
       where turn + (select count(*) from kept) <= ${most}::int and (${fromLine}::boolean or not exists (select from reference_wait r where r.recipient = c.recipient))
    ),
    held as (
      select number, account_id, message_id, 1 as list, place from kept
      union all
      select number, account_id, message_id, 2, turn from given
    )
    select coalesce((select number from given order by turn desc limit 1), c.last),
           coalesce(array_agg(number order by list, place), '{}'), coalesce(array_agg(account_id order by list, place), '{}'),
           coalesce(array_agg(message_id order by list, place), '{}')
      from held
  )
  returning recipient, numbers, message_ids
)
select i.message_id as "messageId", h.number, cardinality(p.numbers) as holders,
       exists (select from reference_wait r where r.recipient = p.recipient) as "hasLine"
  from item i join phone p using (recipient)
  left join lateral unnest(p.numbers, p.message_ids) as h (number, message_id) on h.message_id = i.message_id`,
);

/**
 * Gives each message a reference that no other message to its phone holds, or the one that it
 * already holds; at most 256 messages at a time. A message with a reference of another space keeps
 * it only if no earlier holder has an equal one in this space. While others wait in line, a message
 * gets a reference only with `fromLine`.
 *
 * The commit does not wait for the disk: the outcomes of these parts, or any other commit, bring it
 * to disk soon after.
 */
export function takeReferences(
  db: Queryable,
  messages: readonly ReferenceHolder[],
  { space, fromLine }: { space: ReferenceSpace; fromLine: boolean },
): Promise<ReferenceAnswer[]> {
  const { size, most } = space;
  return db.query<ReferenceAnswer>(takeReferencesStatement.with({ message: messages, size, most, fromLine }));
}

/** A message that is not found was committed less than this ago, or was dropped with its week. */
const forgottenAfterSeconds = 3600;

/**
 * Removes holders that no longer need their reference: their message has ended, or its last part
 * was taken long enough ago.
 */
export async function freeReferences(db: Queryable, recipients: readonly string[]): Promise<void> {
  await db.query(
    "freeReferences",
    `with phone as materialized (
  select recipient from concatenation_reference where recipient = any ($1::text[]) order by recipient for update
)
update concatenation_reference c set (numbers, account_ids, message_ids) = (
  select coalesce(array_agg(h.number order by h.place), '{}'), coalesce(array_agg(h.account_id order by h.place), '{}'),
         coalesce(array_agg(h.message_id order by h.place), '{}')
    from unnest(c.numbers, c.account_ids, c.message_ids) with ordinality as h (number, account_id, message_id, place)
    left join lateral (
      select m.status, m.reason, m.sent_at from message m where m.account_id = h.account_id and m.id = h.message_id) m on true
   where case m.status when ${messageStatus.waiting} then true
                       when ${messageStatus.sent} then m.reason is null and m.sent_at > now() - make_interval(secs => $2)
                       else m.status is null and ${timeOfId("h.message_id")} > now() - make_interval(secs => $3) end
)
  from phone where c.recipient = phone.recipient`,
    [recipients, lingerSeconds, forgottenAfterSeconds],
  );
}

/** A message that waits for a reference of its phone. */
export interface HeldBackMessage extends ReferenceHolder {
  /** Its place in the order of the queue. */
  readonly dueAt: Date;
}

export const holdBackStatement = rowStatement(
  "holdBack",
  {
    message: rows<HeldBackMessage>({
      ...messageColumns,
      recipient: text("recipient"),
      due_at: timestamptz("dueAt"),
    }),
  },
  ({ message }) => `with waiting as (
  update message_queue q set due_at = q.valid_until, priority = ${apartPriority("q.priority")}
    from ${message.as("t")}
   where q.account_id = t.account_id and q.message_id = t.message_id
  returning t.recipient, ${duePriority("q.priority")} as priority, q.message_id, q.account_id, t.due_at
)
insert into reference_wait (recipient, priority, message_id, account_id, due_at)
select recipient, priority, message_id, account_id, due_at from waiting
on conflict do nothing`,
);

/**
 * Adds queued messages to the line that waits for a reference. They are not due before their
 * validity ends, unless they are released.
 */
export async function holdBack(tx: Queryable, messages: readonly HeldBackMessage[]): Promise<void> {
  await tx.query(holdBackStatement.with({ message: messages }));
}

/** Phones with waiting messages, in order, after `after`. */
export async function findPhonesWithLine(
  db: Queryable,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const phones = await db.query<{ recipient: string }>(
    "findPhonesWithLine",
    `with recursive phone as (
  (select recipient from reference_wait where recipient > $1 order by recipient limit 1)
  union all
  (select n.recipient from phone p cross join lateral (
     select w.recipient from reference_wait w where w.recipient > p.recipient order by w.recipient limit 1) n)
)
select recipient from phone limit $2`,
    [after, limit],
  );
  return phones.map(({ recipient }) => recipient);
}

/**
 * Removes messages from a phone's line that no longer wait, because they expired or were canceled.
 */
export async function leaveLine(tx: Queryable, recipient: string): Promise<void> {
  await tx.query(
    "leaveLine",
    `delete from reference_wait w
 where w.recipient = $1
   and not exists (select from message_queue q where q.account_id = w.account_id and q.message_id = w.message_id)`,
    [recipient],
  );
}

/** The first messages of a phone's line, as many as there are free references. */
export function findFirstInLine(
  tx: Queryable,
  recipient: string,
  { most }: ReferenceSpace,
): Promise<ReferenceHolder[]> {
  return tx.query<ReferenceHolder>(
    "findFirstInLine",
    `select account_id as "accountId", message_id as "messageId", recipient from reference_wait where recipient = $1
 order by priority, message_id
 limit greatest(0, $2 - coalesce((select cardinality(numbers) from concatenation_reference where recipient = $1), 0))`,
    [recipient, most],
  );
}

/** Releases the messages of a phone's line that got a reference. */
export async function letGo(tx: Queryable, recipient: string, messageIds: readonly string[]): Promise<void> {
  await tx.query(
    "letGo",
    `with gone as (
  delete from reference_wait where recipient = $1 and message_id = any ($2::uuid[]) returning account_id, message_id, due_at
)
update message_queue q set due_at = gone.due_at, priority = ${queuePriority("q.priority & 7", "gone.due_at")}
  from gone where q.account_id = gone.account_id and q.message_id = gone.message_id`,
    [recipient, messageIds],
  );
}
