// The accepting statement writes everything for a group of send calls (charge, ledger, idempotency
// answer, messages, queue or claims) in one implicit transaction, so the calls can be answered 200
// when it returns.
import type { Encoding } from "../sms/text-kind.ts";
import {
  boolArray,
  byteaArray,
  int2Array,
  int4Array,
  int8Array,
  textArray,
  timestamptzArray,
  uuidArray,
} from "./array-parameters.ts";
import type { Queryable } from "./database.ts";
import { queuePriority } from "./queue-priority.ts";

/**
 * One send call as it is stored. `batchId` is a UUIDv7; its messages' ids carry the same
 * millisecond.
 */
export interface CallToStore {
  readonly accountId: number;
  readonly batchId: string;
  readonly total: bigint;
  readonly priority: number;
  readonly sendAt: Date | undefined;
  readonly idempotency: { readonly key: string; readonly fingerprint: Buffer } | undefined;
  /** Body of the 200 answer, stored with the idempotency key. */
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
  readonly encoding: Encoding;
  readonly parts: number;
  readonly cost: bigint;
  readonly templateId: string | null;
  readonly routeId: number;
  readonly reference: number | null;
  readonly validSeconds: number;
}

/**
 * Claims for binds of this node that have room, so that their messages skip the queue. They are
 * stored together with the messages: a claim is on disk before its message is written to a link.
 */
export interface StraightClaims {
  readonly nodeId: string;
  readonly claims: readonly { readonly claimId: string; readonly connectorId: number; readonly bindNumber: number }[];
  /**
   * For each message of all calls, in order, the index of its claim; null when it waits in the
   * queue.
   */
  readonly claimOf: readonly (number | null)[];
}

/**
 * The outcome of a call. `unaffordable`: the account's credit does not cover it. `keyTaken`: its
 * idempotency key existed already. `unjudged`: the credit does not cover all calls of the account
 * in this group, so they must be judged one by one.
 */
export type CallFate = "stored" | "unaffordable" | "keyTaken" | "unjudged";

/** The outcome of one accepting statement. */
export interface StoredCalls {
  /** One per call, in order. */
  readonly fates: readonly CallFate[];
  /** When the calls were stored, by the database's clock. */
  readonly storedAt: Date;
  /** False when the node's lease has ended; then all messages wait in the queue. */
  readonly isClaimed: boolean;
}

const callText = `call as materialized (
  select * from unnest($1::int[], $2::uuid[], $3::bigint[], $4::int[], $5::smallint[], $6::timestamptz[])
    with ordinality as c (account_id, batch_id, total, messages, priority, send_at, place)
)`;

// Everything except the choice of the calls to store.
const storeTakenText = `entered as (
  insert into ledger_entry (account_id, id, kind, amount, messages)
  select account_id, batch_id, 'charge', -total, messages from taken
),
lease as materialized (select exists (select from node where id = $25 and lease_until > now()) as stands),
incoming as materialized (
  select t.account_id, t.batch_id, t.priority, t.send_at, coalesce(t.send_at, now()) as due_at, m.*
    from unnest($7::int[], $8::uuid[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[],
                $17::smallint[], $18::bigint[], $19::text[], $20::int[], $21::int[], $22::int[], $23::boolean[])
      as m (place, id, sender, recipient, given_sender, given_recipient, content, language, operator, encoding,
            parts, cost, template_id, route_id, reference, valid_seconds, is_claimed)
    join taken t using (place)
),
stored as (
  insert into message (account_id, id, batch_id, sender, recipient, given_sender, given_recipient, content, language, operator, encoding,
                       parts, cost, template_id, route_id, priority, reference, send_at, valid_until)
  select account_id, id, batch_id, sender, recipient, given_sender, given_recipient, content, language, operator, encoding,
         parts, cost, template_id, route_id, priority, reference, send_at, due_at + make_interval(secs => valid_seconds) from incoming
),
claimed as (
  insert into claim (id, node_id, connector_id, bind_number, account_ids, message_ids, attempts)
  select c.id, $25, c.connector_id, c.bind_number, ($30::int[])[c.first:c.last], ($31::uuid[])[c.first:c.last],
         array_fill(0::smallint, array[c.last - c.first + 1])
    from unnest($24::uuid[], $26::int[], $27::int[], $28::int[], $29::int[]) as c (id, connector_id, bind_number, first, last), lease
   where lease.stands
),
queued as (
  insert into message_queue (route_id, priority, account_id, due_at, message_id, valid_until, parts)
  select route_id, ${queuePriority("priority", "due_at")}, account_id, due_at, id, due_at + make_interval(secs => valid_seconds), parts
    from incoming, lease where not (is_claimed and lease.stands)
)
select now() as "storedAt", (select stands from lease) as "isClaimed", array(select place from taken) as "taken"`;

// The usual case: the credit covers all calls of an account together, and none has an idempotency
// key.
const acceptCoveredCallsText = `/* acceptCoveredCalls */
with ${callText},
charged as (
  update account_balance b set balance = b.balance - t.total
    from unnest($32::int[], $33::bigint[]) as t (account_id, total)
   where b.account_id = t.account_id and (b.unlimited or b.balance >= t.total)
  returning b.account_id
),
taken as materialized (select c.* from call c join charged using (account_id)),
${storeTakenText}, '{}'::int[] as "affordable"`;

// Credit is judged call by call, in order. The first call that fits by itself is always stored, so
// one of the calls that compete for the last credit always succeeds.
const acceptJudgedCallsText = `/* acceptJudgedCalls */
with ${callText},
given_key as (
  select * from unnest($32::text[], $33::bytea[], $34::text[]) with ordinality as k (key, fingerprint, answer, place) where key is not null
),
locked as materialized (
  select b.account_id, b.balance, b.unlimited from account_balance b
   where b.account_id in (select account_id from call) order by b.account_id for update
),
affordable as materialized (
  select place from (
    select c.place, l.balance, l.unlimited, sum(c.total) over (partition by c.account_id order by c.place) as spent
      from call c join locked l using (account_id) where l.unlimited or c.total <= l.balance) judged
   where unlimited or spent <= balance
),
keyed as (
  insert into idempotency_key (account_id, key, fingerprint, answer)
  select c.account_id, k.key, k.fingerprint, k.answer from call c join affordable using (place) join given_key k using (place)
   order by c.account_id, k.key
  on conflict (account_id, key) do update
     set fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = now()
   where idempotency_key.created_at < now() - make_interval(hours => $35)
  returning account_id, key
),
taken as materialized (
  select c.* from call c join affordable using (place) left join given_key k using (place)
    left join keyed on keyed.account_id = c.account_id and keyed.key = k.key
   where k.key is null or keyed.key is not null
),
charged as (
  update account_balance b set balance = b.balance - t.total
    from (select account_id, sum(total) as total from taken group by account_id) t
   where b.account_id = t.account_id
),
${storeTakenText}, array(select place from affordable) as "affordable"`;

/** No claims: all messages go to the queue. */
export const nothingStraight: StraightClaims = {
  nodeId: "00000000-0000-0000-0000-000000000000",
  claims: [],
  claimOf: [],
};

interface StoredRow {
  readonly storedAt: Date;
  readonly isClaimed: boolean;
  /** Positions of the calls, from 1. */
  readonly taken: readonly bigint[];
  readonly affordable: readonly bigint[];
}

/**
 * Stores calls without idempotency keys: all calls of an account, or none of them. If the credit
 * does not cover all calls of an account, they return as `unjudged`.
 */
export async function acceptCoveredCalls(
  db: Queryable,
  calls: readonly CallToStore[],
  straight: StraightClaims = nothingStraight,
): Promise<StoredCalls> {
  const totals = new Map<number, bigint>();
  for (const { accountId, total } of calls) totals.set(accountId, (totals.get(accountId) ?? 0n) + total);
  const accounts = [...totals].sort(([left], [right]) => left - right);
  const [row] = await db.query<StoredRow>({
    name: "acceptCoveredCalls",
    text: acceptCoveredCallsText,
    values: [
      ...storedColumns(calls, straight),
      int4Array(accounts.map(([accountId]) => accountId)),
      int8Array(accounts.map(([, total]) => total)),
    ],
  });
  return readStored(calls, row, () => "unjudged");
}

/**
 * Stores each call that its account's credit covers. All idempotency keys among the calls must
 * differ.
 */
export async function acceptJudgedCalls(
  db: Queryable,
  calls: readonly CallToStore[],
  idempotencyHours: number,
  straight: StraightClaims = nothingStraight,
): Promise<StoredCalls> {
  const [row] = await db.query<StoredRow>({
    name: "acceptJudgedCalls",
    text: acceptJudgedCallsText,
    values: [
      ...storedColumns(calls, straight),
      textArray(calls.map((call) => call.idempotency?.key ?? null)),
      byteaArray(calls.map((call) => call.idempotency?.fingerprint ?? null)),
      textArray(calls.map((call) => (call.idempotency ? call.answer : null))),
      idempotencyHours,
    ],
  });
  const affordable = new Set(row?.affordable.map(Number));
  return readStored(calls, row, (place) => (affordable.has(place) ? "keyTaken" : "unaffordable"));
}

function readStored(
  calls: readonly CallToStore[],
  row: StoredRow | undefined,
  fateOfOthers: (place: number) => CallFate,
): StoredCalls {
  if (row === undefined) throw new Error("the accepting statement returned no row");
  const taken = new Set(row.taken.map(Number));
  const fates = calls.map((_, index) => (taken.has(index + 1) ? "stored" : fateOfOthers(index + 1)));
  return { fates, storedAt: row.storedAt, isClaimed: row.isClaimed };
}

function storedColumns(calls: readonly CallToStore[], { nodeId, claims, claimOf }: StraightClaims): unknown[] {
  const messages = calls.flatMap((call) => call.messages);
  // A call that the credit does not cover is listed in its claim but stored nowhere else. That is
  // harmless, because every reader of a claim joins the messages.
  const claimed = claims.map(() => ({ accountIds: [] as number[], messageIds: [] as string[] }));
  const places: number[] = [];
  calls.forEach((call, callNumber) => {
    for (const message of call.messages) {
      const claim = claimed[claimOf[places.length] ?? -1];
      claim?.accountIds.push(call.accountId);
      claim?.messageIds.push(message.id);
      places.push(callNumber + 1);
    }
  });
  let last = 0;
  const ends = claimed.map(({ messageIds }) => (last += messageIds.length));
  return [
    int4Array(calls.map((call) => call.accountId)),
    uuidArray(calls.map((call) => call.batchId)),
    int8Array(calls.map((call) => call.total)),
    int4Array(calls.map((call) => call.messages.length)),
    int2Array(calls.map((call) => call.priority)),
    timestamptzArray(calls.map((call) => call.sendAt ?? null)),
    int4Array(places),
    uuidArray(messages.map((message) => message.id)),
    textArray(messages.map((message) => message.sender)),
    textArray(messages.map((message) => message.recipient)),
    textArray(messages.map((message) => message.givenSender)),
    textArray(messages.map((message) => message.givenRecipient)),
    textArray(messages.map((message) => message.content)),
    textArray(messages.map((message) => message.language)),
    textArray(messages.map((message) => message.operator)),
    textArray(messages.map((message) => message.encoding)),
    int2Array(messages.map((message) => message.parts)),
    int8Array(messages.map((message) => message.cost)),
    textArray(messages.map((message) => message.templateId)),
    int4Array(messages.map((message) => message.routeId)),
    int4Array(messages.map((message) => message.reference)),
    int4Array(messages.map((message) => message.validSeconds)),
    boolArray(messages.map((_, index) => typeof claimOf[index] === "number")),
    uuidArray(claims.map((claim) => claim.claimId)),
    nodeId,
    int4Array(claims.map((claim) => claim.connectorId)),
    int4Array(claims.map((claim) => claim.bindNumber)),
    int4Array(claimed.map(({ messageIds }, index) => (ends[index] ?? 0) - messageIds.length + 1)),
    int4Array(ends),
    int4Array(claimed.flatMap(({ accountIds }) => accountIds)),
    uuidArray(claimed.flatMap(({ messageIds }) => messageIds)),
  ];
}

/** The answer stored under an idempotency key, and the request that it belongs to. */
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

/** The spendable credit as the accepting statement would see it, or "unlimited". */
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
 * Settles calls whose accepting statement was interrupted, and returns the batch ids that were
 * stored. First it writes a zero entry under each batch id: the ledger's key admits only one entry,
 * so a statement that still runs on the server cannot commit after its batch was reported as not
 * stored.
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

export async function dropOldIdempotencyKeys(db: Queryable, idempotencyHours: number): Promise<void> {
  await db.query({
    name: "dropOldIdempotencyKeys",
    text: `/* dropOldIdempotencyKeys */
delete from idempotency_key where created_at < now() - make_interval(hours => $1)`,
    values: [idempotencyHours],
  });
}
