// The accepting statement writes everything for a group of send calls (charge, ledger, idempotency
// answer, messages, queue or claims) in one implicit transaction, so the calls can be answered 200
// when it returns.
import { reasonCode } from "../sms/message-status.ts";
import {
  areUsual,
  type CallToStore,
  type Kind,
  nothingStraight,
  type StoredInText,
  storedParameters,
  storedRows,
  type StraightClaims,
} from "./calls-to-store.ts";
import type { Queryable } from "./database.ts";
import { keepOrRenewKey } from "./idempotency-keys.ts";
import { queuePriority } from "./queue-priority.ts";
import { bytea, int4, int8, rows, type RowsInText, rowStatement, single, text } from "./row-statement.ts";

/**
 * The outcome of a call that is not judged by itself. `unjudged`: the credit does not cover all
 * calls of the account in this group, so they must be judged one by one.
 */
export type CoveredFate = "stored" | "unjudged";

/**
 * The outcome of a call that is judged. `unaffordable`: the account's credit does not cover it.
 * `keyTaken`: its idempotency key existed already.
 */
export type JudgedFate = "stored" | "unaffordable" | "keyTaken";

/** The outcome of one accepting statement. */
export interface StoredCalls<Fate = CoveredFate | JudgedFate> {
  /** One per call, in order. */
  readonly fates: readonly Fate[];
  /** When the calls were stored, by the database's clock. */
  readonly storedAt: Date;
  /** False when the node's lease has ended; then all messages wait in the queue. */
  readonly isClaimed: boolean;
}

export function callText({ call }: StoredInText): string {
  return `call as materialized (
  select * from ${call.numberedAs("c", "place")}
)`;
}

/** Everything except the choice of the calls to store, which are those in `taken`. */
export function storeTakenText(kind: Kind, { message, nodeId, claim, claimed, windowEnd }: StoredInText): string {
  const unusual = kind === "unusual";
  return `entered as (
  insert into ledger_entry (account_id, id, kind, amount, messages)
  select account_id, batch_id, 'charge', -total, messages from taken
),
lease as materialized (select exists (select from node where id = ${nodeId} and lease_until > now()) as stands),
incoming as materialized (
  select t.account_id, t.batch_id, t.priority, ${unusual ? "coalesce(m.send_at, now())" : "now()"} as due_at, m.*
    from ${message.as("m")}
    join taken t using (place)
),
stored as (
  insert into message (account_id, id, batch_id, sender, recipient, given_sender, given_recipient, content, language, operator, encoding,
                       parts, cost, template_id, route_id, priority, valid_until${unusual ? ", send_at, purpose, reason" : ""})
  select account_id, id, batch_id, sender, recipient, given_sender, given_recipient, content, language, operator, encoding,
         parts, cost, template_id, route_id, priority, due_at + make_interval(secs => valid_seconds)${unusual ? `, send_at, purpose, case when rule is not null then ${reasonCode.inReview} end` : ""} from incoming
),
${unusual ? reviewedText : ""}claimed as (
  insert into claim (id, node_id, connector_id, bind_number, account_ids, message_ids, attempts)
  select c.id, ${nodeId}, c.connector_id, c.bind_number,
         (${claimed.array("account_id")})[c.first:c.last], (${claimed.array("message_id")})[c.first:c.last],
         array_fill(0::smallint, array[c.last - c.first + 1])
    from ${claim.as("c")}, lease
   where lease.stands
),
queued as (
  insert into message_queue (route_id, priority, account_id, due_at, message_id, valid_until, parts, window_end${unusual ? ", wanted_at" : ""})
  select route_id, ${queuePriority("priority", "due_at")}, account_id, due_at, id, due_at + make_interval(secs => valid_seconds), parts, ${windowEnd ? `${windowEnd}::timestamptz` : "window_end"}${unusual ? ", wanted_at" : ""}
    from incoming, lease where not (is_claimed and lease.stands)${unusual ? " and rule is null" : ""}
)
select now() as "storedAt", (select stands from lease) as "isClaimed", array(select place from taken) as "taken"`;
}

const reviewedText = `reviewed as (
  insert into review (account_id, message_id, rule, valid_until, wanted_at)
  select account_id, id, rule, due_at + make_interval(secs => valid_seconds), wanted_at from incoming where rule is not null
),
`;

/** The usual case: the credit covers all calls of an account, and none has an idempotency key. */
export const acceptCoveredCallsStatement = coveredStatement("acceptCoveredCalls", "usual");
export const acceptCoveredUnusualCallsStatement = coveredStatement("acceptCoveredUnusualCalls", "unusual");

function coveredStatement(name: string, kind: Kind) {
  return rowStatement(
    name,
    {
      ...storedParameters(kind),
      accountTotal: rows<readonly [accountId: number, total: bigint]>({
        account_id: int4(([accountId]) => accountId),
        total: int8(([, total]) => total),
      }),
    },
    ({ accountTotal, ...stored }) => `with ${callText(stored)},
charged as (
  update account_balance b set balance = b.balance - t.total
    from ${accountTotal.as("t")}
   where b.account_id = t.account_id and (b.unlimited or b.balance >= t.total)
  returning b.account_id
),
taken as materialized (select c.* from call c join charged using (account_id)),
${storeTakenText(kind, stored)}, '{}'::int[] as "affordable"`,
  );
}

interface KeysInText {
  readonly key: RowsInText;
  readonly idempotencyHours: string;
}

export function keyParameters() {
  return {
    key: rows<CallToStore>({
      key: text(({ idempotency }) => idempotency?.key),
      fingerprint: bytea(({ idempotency }) => idempotency?.fingerprint),
      answer: text(({ idempotency }) => idempotency?.answer),
    }),
    idempotencyHours: single<number>(),
  };
}

/**
 * The calls of `judged` whose idempotency key is theirs, if they have one, are `taken`, and their
 * accounts, of which `locked` has the balances, charged.
 */
export function takeJudgedText(judged: string, { key, idempotencyHours }: KeysInText): string {
  return `given_key as (
  select * from ${key.numberedAs("k", "place")} where key is not null
),
keyed as (
  insert into idempotency_key (account_id, key, fingerprint, answer)
  select c.account_id, k.key, k.fingerprint, k.answer from call c join ${judged} using (place) join given_key k using (place)
   order by c.account_id, k.key
  ${keepOrRenewKey(idempotencyHours)}
  returning account_id, key
),
taken as materialized (
  select c.* from call c join ${judged} using (place) left join given_key k using (place)
    left join keyed on keyed.account_id = c.account_id and keyed.key = k.key
   where k.key is null or keyed.key is not null
),
${chargeTakenText}`;
}

/** As `takeJudgedText`, where no call has a key. */
export function takeWithoutKeysText(judged: string): string {
  return `taken as materialized (select c.* from call c join ${judged} using (place)),
${chargeTakenText}`;
}

// From the balance as it was locked: the constraint is checked before PostgreSQL finds that the row
// is a newer one than this statement's snapshot has, which credit or a refund may have raised.
const chargeTakenText = `spent as materialized (select account_id, sum(total)::bigint as total, sum(messages)::bigint as messages from taken group by account_id),
charged as (
  update account_balance b set balance = l.balance - t.total
    from spent t join locked l using (account_id) where b.account_id = t.account_id
)`;

/**
 * Credit is judged call by call, in order. The first call that fits by itself is always stored, so
 * one of the calls that compete for the last credit always succeeds.
 */
export const acceptJudgedCallsStatement = judgedStatement("acceptJudgedCalls", "usual");
export const acceptJudgedUnusualCallsStatement = judgedStatement("acceptJudgedUnusualCalls", "unusual");

function judgedStatement(name: string, kind: Kind) {
  return rowStatement(
    name,
    {
      ...storedParameters(kind),
      ...keyParameters(),
    },
    ({ key, idempotencyHours, ...stored }) => `with ${callText(stored)},
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
${takeJudgedText("affordable", { key, idempotencyHours })},
${storeTakenText(kind, stored)}, array(select place from affordable) as "affordable"`,
  );
}

export interface StoredRow {
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
): Promise<StoredCalls<CoveredFate>> {
  const totals = new Map<number, bigint>();
  for (const { accountId, total } of calls) totals.set(accountId, (totals.get(accountId) ?? 0n) + total);
  const [row] = await db.query<StoredRow>(
    (areUsual(calls) ? acceptCoveredCallsStatement : acceptCoveredUnusualCallsStatement).with({
      ...storedRows(calls, straight),
      accountTotal: [...totals].sort(([left], [right]) => left - right),
    }),
  );
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
): Promise<StoredCalls<JudgedFate>> {
  const statement = areUsual(calls) ? acceptJudgedCallsStatement : acceptJudgedUnusualCallsStatement;
  const [row] = await db.query<StoredRow>(
    statement.with({ ...storedRows(calls, straight), key: calls, idempotencyHours }),
  );
  const affordable = new Set(row?.affordable.map(Number));
  return readStored(calls, row, (place) => (affordable.has(place) ? "keyTaken" : "unaffordable"));
}

export function readStored<Fate>(
  calls: readonly CallToStore[],
  row: StoredRow | undefined,
  fateOfOthers: (place: number) => Fate,
): StoredCalls<Fate | "stored"> {
  if (row === undefined) throw new Error("the accepting statement returned no row");
  const taken = new Set(row.taken.map(Number));
  const fates = calls.map((_, index) => (taken.has(index + 1) ? "stored" : fateOfOthers(index + 1)));
  return { fates, storedAt: row.storedAt, isClaimed: row.isClaimed };
}
