// The accepting statement for calls of accounts with limits (events-and-rules §6) that do not all
// fit, have idempotency keys, or may bring the credit below `lowCredit`; others come to
// accept-calls-within-limits.ts. It also judges duplicates and the ceilings of day and month,
// counts what it stores, and makes `credit.low`. Other calls of the same group go with them. All
// are judged under the locks of the balances.
import { eventTypeNumber } from "../sms/event-types.ts";
import { formatRials } from "../sms/money.ts";
import { messageStatus } from "../sms/message-status.ts";
import { uuidv7 } from "../platform/uuid.ts";
import {
  callText,
  type JudgedFate,
  keyParameters,
  readStored,
  type StoredCalls,
  type StoredRow,
  storeTakenText,
  takeJudgedText,
  takeWithoutKeysText,
} from "./accept-messages.ts";
import {
  areUsual,
  type CallToStore,
  type LimitsOfCall,
  nothingStraight,
  storedParameters,
  storedRows,
  type StraightClaims,
} from "./calls-to-store.ts";
import type { Queryable } from "./database.ts";
import { writeOwnEvents } from "./noted-changes.ts";
import {
  bool,
  type Column,
  hexBytea,
  int4,
  int8,
  rows,
  rowStatement,
  text,
  timestamptz,
  uuid,
} from "./row-statement.ts";
import { hasCeiling } from "../sms/account-limits.ts";

/** The limits of one account in a group. */
interface AccountTerm {
  readonly accountId: number;
  readonly limits: LimitsOfCall;
}

/** A text that may not be repeated, with the place of its call, from 1. */
export interface GuardedText {
  readonly place: number;
  readonly accountId: number;
  readonly hash: string;
  /** Of its message. */
  readonly id: string;
}

/** Of a row with the limits of an account, or of one without. */
export const limitColumns: Readonly<Record<string, Column<{ readonly limits: LimitsOfCall | undefined }>>> = {
  duplicate_seconds: int4(({ limits }) => limits?.duplicateSeconds),
  // Null: none.
  daily_messages: int8(({ limits }) => limits?.dailyMessages || null),
  monthly_cost: int8(({ limits }) => limits?.monthlyCost || null),
  day_from: timestamptz(({ limits }) => limits?.periods.day.from),
  day_until: timestamptz(({ limits }) => limits?.periods.day.until),
  month_from: timestamptz(({ limits }) => limits?.periods.month.from),
  month_until: timestamptz(({ limits }) => limits?.periods.month.until),
};

const termRows = rows<AccountTerm>({
  account_id: int4(({ accountId }) => accountId),
  ...limitColumns,
  low_credit: int8(({ limits }) => limits.lowCredit),
  low_credit_told: text(({ limits }) => formatRials(limits.lowCredit)),
  event_id: uuid(() => uuidv7()),
  is_counted: bool(({ limits }) => hasCeiling(limits)),
});

// What an account has used of its period, if that is still the one that the row counts.
export const usedOf = (period: "day" | "month", column: string) =>
  `case when u.${period}_from = t.${period}_from then u.${column} else 0 end`;

// The row counts this period, or one that has ended: then nothing of this one is used. Otherwise it
// has to be counted again, or another node has gone on to the next period (account-usage.ts).
const isCountable = (period: "day" | "month") =>
  `(u.${period}_from = t.${period}_from and u.${period}_until = t.${period}_until or t.${period}_from >= u.${period}_until)
      and statement_timestamp() >= t.${period}_from and statement_timestamp() < t.${period}_until`;

/** Whether usage u can be counted by the limits of t, and has room for a number and cost. */
export const withinLimits = (given: string) => `${isCountable("day")}
        and ${isCountable("month")}
        and (t.daily_messages is null or ${usedOf("day", "messages")} + ${given}.messages <= t.daily_messages)
        and (t.monthly_cost is null or ${usedOf("month", "cost")} + ${given}.total <= t.monthly_cost)`;

// Calls whose totals fit. The first call that fits by itself is always among them, so one of the
// calls that compete for the rest always succeeds.
const fittingText = `locked as materialized (
  select b.account_id, b.balance, b.unlimited from account_balance b
   where b.account_id in (select account_id from call) order by b.account_id for update
),
used as materialized (
  select u.* from account_usage u
   where u.account_id in (select account_id from locked join term using (account_id)) order by u.account_id for update
),
fitting as materialized (
  select place, account_id from (
    select c.place, c.account_id, l.balance, l.unlimited, t.daily_messages, t.monthly_cost,
           ${usedOf("day", "messages")} as day_messages, ${usedOf("month", "cost")} as month_cost,
           sum(c.total) over own as spent, sum(c.messages) over own as messages
      from call c join locked l using (account_id) left join term t using (account_id) left join used u using (account_id)
     where (l.unlimited or c.total <= l.balance)
       and (t.account_id is null or not t.is_counted and (t.low_credit = 0 or l.unlimited or u.account_id is not null)
         or ${withinLimits("c")})
    window own as (partition by c.account_id order by c.place)) judged
   where (unlimited or spent <= balance)
     and (daily_messages is null or day_messages + messages <= daily_messages)
     and (monthly_cost is null or month_cost + spent <= monthly_cost)
)`;

// A row of recent_text stands for its message. If that ended unsent, or is not there since the call
// that left the row was not stored, the row does not count. This is a statement of its own: the
// accepting one waits for rows, and must not pick partitions at run time (ADR 0042).
export const findUncountedTextsStatement = rowStatement(
  "findUncountedTexts",
  {
    given: rows<GuardedText>({
      account_id: int4(({ accountId }) => accountId),
      hash: hexBytea(({ hash }) => hash),
    }),
  },
  ({ given }) => `select r.message_id as "messageId" from ${given.as("g")} join recent_text r using (account_id, hash)
 where not exists (select from message m where m.account_id = r.account_id and m.id = r.message_id and m.status <> ${messageStatus.unsent})`,
);

// The key of recent_text decides between concurrent calls, as that of idempotency keys does. A row
// with another message than the uncounted one is of a call that was stored meanwhile. Where its
// text was noted with this very message before, it is not stored: another node may have found that
// it does not count.
export const freshText = (isUncounted: string) => `fresh as (
  insert into recent_text as r (account_id, hash, message_id, accepted_at)
  select distinct on (account_id, hash) account_id, hash, id, statement_timestamp() from texts order by account_id, hash, place
  on conflict (account_id, hash) do update set message_id = excluded.message_id, accepted_at = excluded.accepted_at
   where r.message_id <> excluded.message_id
     and (r.accepted_at <= statement_timestamp() - make_interval(secs => (select t.duplicate_seconds from term t where t.account_id = r.account_id))
      or ${isUncounted})
  returning message_id
)`;

const uniqueText = (guarded: string, uncounted: string) => `texts as materialized (
  select g.place, f.account_id, g.hash, g.id from ${guarded} join fitting f using (place)
),
${freshText(`r.message_id = any (${uncounted})`)},
unique_calls as materialized (
  select place from fitting
   where place not in (select place from texts where id not in (select message_id from fresh))
)`;

const warnText = `low as materialized (
  select t.account_id, t.event_id as subject_id, ${eventTypeNumber("credit.low")}::smallint as type,
         json_build_object('balance', to_char(l.balance - s.total, 'FM9,999,999,999,999,999,990'), 'currency', 'IRR', 'lowCredit', t.low_credit_told) as detail
    from spent s join term t using (account_id) join locked l using (account_id) join used u using (account_id)
   where t.low_credit > 0 and not l.unlimited and s.total > 0 and l.balance - s.total < t.low_credit
     and (not u.low_told or u.credit_booked and l.balance >= t.low_credit)
),
${writeOwnEvents("low")},`;

const countText = (warns: boolean) => `counted as (
  update account_usage u
     set day_from = case when t.is_counted then t.day_from end, day_until = case when t.is_counted then t.day_until end,
         month_from = case when t.is_counted then t.month_from end, month_until = case when t.is_counted then t.month_until end,
         messages = case when t.is_counted then ${usedOf("day", "messages")} + s.messages else 0 end,
         cost = case when t.is_counted then ${usedOf("month", "cost")} + s.total else 0 end,
         low_told = u.low_told${warns ? " or low.account_id is not null" : ""},
         credit_booked = u.credit_booked${warns ? " and low.account_id is null" : ""}
    from spent s join term t using (account_id)${warns ? " left join low using (account_id)" : ""}
   where u.account_id = s.account_id
)`;

/**
 * What the calls of a group have. Even a part of the statement that has nothing to do costs time,
 * so it is left out.
 */
interface Having {
  readonly unusual: boolean;
  readonly keys: boolean;
  readonly texts: boolean;
  readonly lowCredit: boolean;
}

const everyHaving: readonly Having[] = [false, true].flatMap((unusual) =>
  [false, true].flatMap((keys) =>
    [false, true].flatMap((texts) => [false, true].map((lowCredit) => ({ unusual, keys, texts, lowCredit }))),
  ),
);

function nameOf({ unusual, keys, texts, lowCredit }: Having): string {
  const words = [unusual && "Unusual", keys && "Keyed", texts && "Guarded", lowCredit && "Warning"];
  return `acceptLimited${words.filter((word) => word !== false).join("")}Calls`;
}

const guardParameters = {
  guarded: rows<GuardedText>({
    place: int4(({ place }) => place),
    hash: hexBytea(({ hash }) => hash),
    id: uuid(({ id }) => id),
  }),
  uncounted: rows<string>({ message_id: uuid((id) => id) }),
};

function limitedStatement(having: Having) {
  const kind = having.unusual ? "unusual" : "usual";
  const parameters = {
    ...storedParameters(kind),
    term: termRows,
    ...(having.texts && guardParameters),
    ...(having.keys && keyParameters()),
  };
  const judged = having.texts ? "unique_calls" : "fitting";
  return rowStatement(
    nameOf(having),
    parameters,
    ({ term, guarded, uncounted, key, idempotencyHours, ...stored }) => `with ${callText(stored)},
term as materialized (
  select * from ${term.as("t")}
),
${fittingText},
${guarded && uncounted ? `${uniqueText(guarded.as("g"), uncounted.array("message_id"))},` : ""}
${key && idempotencyHours ? takeJudgedText(judged, { key, idempotencyHours }) : takeWithoutKeysText(judged)},
${having.lowCredit ? warnText : ""}
${countText(having.lowCredit)},
${storeTakenText(kind, stored)}, array(select place from ${judged}) as "affordable"`,
  );
}

/** One statement for each combination of what the calls of a group may have. */
export const acceptLimitedCallsStatements = everyHaving.map(limitedStatement);

const statementOf = new Map(acceptLimitedCallsStatements.map((statement) => [statement.name, statement]));

function statementFor(having: Having) {
  const statement = statementOf.get(nameOf(having));
  if (statement === undefined) throw new Error(`no statement ${nameOf(having)}`);
  return statement;
}

/**
 * Stores each call that its account's credit and limits cover; the others are `unaffordable`, and
 * have to be judged message by message by what `readUsage` answers. All idempotency keys among the
 * calls must differ, and so must the texts within each call.
 */
export async function acceptLimitedCalls(
  db: Queryable,
  calls: readonly CallToStore[],
  idempotencyHours: number,
  straight: StraightClaims = nothingStraight,
): Promise<StoredCalls<JudgedFate>> {
  const terms = new Map<number, AccountTerm>();
  for (const { accountId, limits } of calls) if (limits !== undefined) terms.set(accountId, { accountId, limits });
  const guarded = guardedTextsOf(calls);
  const uncounted = await findUncountedTexts(
    db,
    guarded.filter(({ place }) => calls[place - 1]?.limits?.isFirstTry !== true),
  );
  const statement = statementFor({
    unusual: !areUsual(calls),
    keys: calls.some(({ idempotency }) => idempotency !== undefined),
    texts: guarded.length > 0,
    lowCredit: calls.some(({ limits }) => limits !== undefined && limits.lowCredit > 0n),
  });
  const [row] = await db.query<StoredRow>(
    statement.with({
      ...storedRows(calls, straight),
      key: calls,
      idempotencyHours,
      guarded,
      uncounted,
      term: [...terms.values()],
    }),
  );
  const affordable = new Set(row?.affordable.map(Number));
  return readStored(calls, row, (place) => (affordable.has(place) ? "keyTaken" : "unaffordable"));
}

export function guardedTextsOf(calls: readonly CallToStore[]): readonly GuardedText[] {
  const guarded: GuardedText[] = [];
  calls.forEach(({ accountId, messages }, index) => {
    for (const { id, textHash } of messages)
      if (textHash !== undefined) guarded.push({ place: index + 1, accountId, hash: textHash, id });
  });
  return guarded;
}

/** The messages of earlier texts that do not count. Costs nothing without guarded texts. */
async function findUncountedTexts(db: Queryable, given: readonly GuardedText[]): Promise<readonly string[]> {
  if (given.length === 0) return [];
  const found = await db.query<{ readonly messageId: string }>(findUncountedTextsStatement.with({ given }));
  return found.map(({ messageId }) => messageId);
}
