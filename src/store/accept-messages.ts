// The accepting statement: everything that a group of send calls leaves behind (charge, ledger, idempotency answer, messages,
// queue) in one implicit transaction, so that 200 can be answered when it returns.
import type { Queryable } from "./database.ts";

/** One send call as it is stored. `batchId` is a UUIDv7; its messages' ids carry the same millisecond. */
export interface CallToStore {
  readonly accountId: number;
  readonly batchId: string;
  readonly total: bigint;
  readonly priority: number;
  readonly sendAt: Date | undefined;
  readonly idempotency: { readonly key: string; readonly fingerprint: Buffer } | undefined;
  /** Body of the 200 answer, kept with the idempotency key. */
  readonly answer: string;
  readonly messages: readonly MessageToStore[];
}

export interface MessageToStore {
  readonly id: string;
  readonly sender: string;
  readonly recipient: string;
  readonly givenSender: string | null;
  readonly givenRecipient: string | null;
  readonly content: string;
  readonly language: string;
  readonly operator: string;
  readonly encoding: string;
  readonly parts: number;
  readonly cost: bigint;
  readonly templateId: string | null;
  readonly routeId: number;
  readonly reference: number | null;
  readonly validSeconds: number;
}

/** What became of a call: stored; not covered by the account's credit; or its idempotency key was there before it. */
export type CallFate = "stored" | "unaffordable" | "keyTaken";

// Credit is judged call by call, in order: the first call that fits by itself is always stored, however many of its account's
// calls stand in the group, so that of calls that compete for the last of a credit one wins each time.
const acceptCallsText = `/* acceptCalls */
with call as materialized (
  select * from unnest($1::int[], $2::int[], $3::uuid[], $4::bigint[], $5::int[], $6::smallint[], $7::timestamptz[], $8::text[], $9::bytea[], $10::text[])
    as c (call_number, account_id, batch_id, total, messages, priority, send_at, key, fingerprint, answer)
),
locked as materialized (
  select b.account_id, b.balance, b.unlimited from account_balance b
   where b.account_id in (select account_id from call) order by b.account_id for update
),
affordable as materialized (
  select call_number from (
    select c.call_number, l.balance, l.unlimited, sum(c.total) over (partition by c.account_id order by c.call_number) as spent
      from call c join locked l using (account_id) where l.unlimited or c.total <= l.balance) judged
   where unlimited or spent <= balance
),
keyed as (
  insert into idempotency_key (account_id, key, fingerprint, answer)
  select c.account_id, c.key, c.fingerprint, c.answer from call c join affordable using (call_number)
   where c.key is not null order by c.account_id, c.key
  on conflict (account_id, key) do update
     set fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = now()
   where idempotency_key.created_at < now() - make_interval(hours => $11)
  returning account_id, key
),
taken as materialized (
  select c.* from call c join affordable using (call_number) left join keyed k on k.account_id = c.account_id and k.key = c.key
   where c.key is null or k.key is not null
),
charged as (
  update account_balance b set balance = b.balance - t.total
    from (select account_id, sum(total) as total from taken group by account_id) t
   where b.account_id = t.account_id
),
entered as (
  insert into ledger_entry (account_id, id, kind, amount, messages)
  select account_id, batch_id, 'charge', -total, messages from taken
),
incoming as materialized (
  select t.account_id, t.batch_id, t.priority, t.send_at, coalesce(t.send_at, now()) as due_at, m.*
    from unnest($12::int[], $13::uuid[], $14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[],
                $22::smallint[], $23::bigint[], $24::text[], $25::int[], $26::int[], $27::int[])
      as m (call_number, id, sender, recipient, given_sender, given_recipient, content, language, operator, encoding,
            parts, cost, template_id, route_id, reference, valid_seconds)
    join taken t using (call_number)
),
stored as (
  insert into message (account_id, id, batch_id, sender, recipient, given_sender, given_recipient, content, language, operator, encoding,
                       parts, cost, template_id, route_id, priority, reference, send_at, valid_until)
  select account_id, id, batch_id, sender, recipient, given_sender, given_recipient, content, language, operator, encoding,
         parts, cost, template_id, route_id, priority, reference, send_at, due_at + make_interval(secs => valid_seconds) from incoming
),
queued as (
  insert into message_queue (route_id, priority, account_id, due_at, message_id, valid_until, parts)
  select route_id, priority, account_id, due_at, id, due_at + make_interval(secs => valid_seconds), parts from incoming
)
select c.call_number as "callNumber",
       case when t.call_number is not null then 'stored'
            when exists (select from affordable a where a.call_number = c.call_number) then 'keyTaken'
            else 'unaffordable' end as fate
  from call c left join taken t using (call_number)`;

/** Stores the calls that their accounts' credit covers. Answers one fate a call, in the calls' order. No key may stand twice among the calls. */
export async function acceptCalls(
  db: Queryable,
  calls: readonly CallToStore[],
  idempotencyHours: number,
): Promise<CallFate[]> {
  const messages = calls.flatMap((call, callNumber) => call.messages.map((message) => ({ callNumber, message })));
  const rows = await db.query<{ callNumber: number; fate: CallFate }>({
    name: "acceptCalls",
    text: acceptCallsText,
    values: [
      calls.map((_, callNumber) => callNumber),
      calls.map((call) => call.accountId),
      calls.map((call) => call.batchId),
      calls.map((call) => call.total),
      calls.map((call) => call.messages.length),
      calls.map((call) => call.priority),
      calls.map((call) => call.sendAt ?? null),
      calls.map((call) => call.idempotency?.key ?? null),
      calls.map((call) => call.idempotency?.fingerprint ?? null),
      calls.map((call) => (call.idempotency ? call.answer : null)),
      idempotencyHours,
      messages.map(({ callNumber }) => callNumber),
      messages.map(({ message }) => message.id),
      messages.map(({ message }) => message.sender),
      messages.map(({ message }) => message.recipient),
      messages.map(({ message }) => message.givenSender),
      messages.map(({ message }) => message.givenRecipient),
      messages.map(({ message }) => message.content),
      messages.map(({ message }) => message.language),
      messages.map(({ message }) => message.operator),
      messages.map(({ message }) => message.encoding),
      messages.map(({ message }) => message.parts),
      messages.map(({ message }) => message.cost),
      messages.map(({ message }) => message.templateId),
      messages.map(({ message }) => message.routeId),
      messages.map(({ message }) => message.reference),
      messages.map(({ message }) => message.validSeconds),
    ],
  });
  const fates = new Array<CallFate>(calls.length).fill("unaffordable");
  for (const row of rows) fates[row.callNumber] = row.fate;
  return fates;
}

/** The answer kept under an idempotency key, with the request it belongs to. */
export async function findIdempotentAnswer(
  db: Queryable,
  { accountId, key, idempotencyHours }: { accountId: number; key: string; idempotencyHours: number },
): Promise<{ fingerprint: Buffer; answer: string } | undefined> {
  const rows = await db.query<{ fingerprint: Buffer; answer: string }>({
    name: "findIdempotentAnswer",
    text: `/* findIdempotentAnswer */
select fingerprint, answer from idempotency_key
 where account_id = $1 and key = $2 and created_at >= now() - make_interval(hours => $3)`,
    values: [accountId, key, idempotencyHours],
  });
  return rows[0];
}

/** The credit at hand, as the accepting statement would see it; an unlimited account has no figure. */
export async function findSpendableCredit(db: Queryable, accountId: number): Promise<bigint | "unlimited"> {
  const rows = await db.query<{ balance: bigint; unlimited: boolean }>({
    name: "findSpendableCredit",
    text: `/* findSpendableCredit */
select balance, unlimited from account_balance where account_id = $1`,
    values: [accountId],
  });
  const row = rows[0];
  if (!row) return 0n;
  return row.unlimited ? "unlimited" : row.balance;
}

/**
 * Settles calls whose accepting statement was cut off before its answer came, and answers the ids of those that were stored. First a zero entry under each
 * batch's id makes sure that a statement still under way on the server can never commit after we have called its batch not stored: the
 * ledger's key admits one of the two.
 */
export async function settleCallsInDoubt(
  db: Queryable,
  calls: readonly { accountId: number; batchId: string }[],
): Promise<Set<string>> {
  const values = [calls.map((call) => call.accountId), calls.map((call) => call.batchId)];
  await db.query({
    name: "voidDoubtedCalls",
    text: `/* voidDoubtedCalls */
insert into ledger_entry (account_id, id, kind, amount)
select account_id, id, 'void', 0 from unnest($1::int[], $2::uuid[]) as d (account_id, id) order by id
on conflict (account_id, id) do nothing`,
    values,
  });
  const rows = await db.query<{ id: string }>({
    name: "findStoredCalls",
    text: `/* findStoredCalls */
select e.id from ledger_entry e join unnest($1::int[], $2::uuid[]) as d (account_id, id) using (account_id, id) where e.kind = 'charge'`,
    values,
  });
  return new Set(rows.map((row) => row.id));
}

/**
 * Gives each recipient its next concatenation references: `counts[i]` of them, the last being the answer for recipient i. The commit need not wait for
 * the disk: the accepting commit that follows carries it there.
 */
export async function advanceConcatenationReferences(
  db: Queryable,
  recipients: readonly string[],
  counts: readonly number[],
): Promise<Map<string, number>> {
  const rows = await db.query<{ recipient: string; last: number }>({
    name: "advanceConcatenationReferences",
    text: `/* advanceConcatenationReferences */
with relaxed as materialized (select set_config('synchronous_commit', 'off', true))
insert into concatenation_reference (recipient, last)
select t.recipient, t.count from unnest($1::text[], $2::int[]) as t (recipient, count), relaxed order by t.recipient
on conflict (recipient) do update
   set last = (concatenation_reference.last + excluded.last) % 65536, used_at = now()
returning recipient, last`,
    values: [recipients, counts],
  });
  return new Map(rows.map((row) => [row.recipient, row.last]));
}

export async function dropOldIdempotencyKeys(db: Queryable, idempotencyHours: number): Promise<void> {
  await db.query({
    name: "dropOldIdempotencyKeys",
    text: `/* dropOldIdempotencyKeys */
delete from idempotency_key where created_at < now() - make_interval(hours => $1)`,
    values: [idempotencyHours],
  });
}

/** Forgets the references of phones that have got no long message for so long. */
export async function dropIdleReferences(db: Queryable, idleDays: number): Promise<void> {
  await db.query({
    name: "dropIdleReferences",
    text: `/* dropIdleReferences */
delete from concatenation_reference where used_at < now() - make_interval(days => $1)`,
    values: [idleDays],
  });
}
