// The accepting statement for the usual calls of accounts with limits: those that fit. It judges
// all calls of an account as one, so it is smaller than the statement that judges each call
// (accept-limited-calls.ts). Calls that do not fit go there. It also takes calls of accounts
// without limits from the same group. None of its calls has an idempotency key.
import { hasCeiling } from "../sms/account-limits.ts";
import {
  freshText,
  type GuardedText,
  guardedTextsOf,
  limitColumns,
  usedOf,
  withinLimits,
} from "./accept-limited-calls.ts";
import {
  callText,
  type CoveredFate,
  readStored,
  type StoredCalls,
  type StoredRow,
  storeTakenText,
} from "./accept-messages.ts";
import {
  areUsual,
  type CallToStore,
  type Kind,
  type LimitsOfCall,
  nothingStraight,
  storedParameters,
  storedRows,
  type StraightClaims,
} from "./calls-to-store.ts";
import type { Queryable } from "./database.ts";
import { bool, hexBytea, int4, int8, rows, rowStatement, uuid } from "./row-statement.ts";

/** What the calls of one account come to. */
interface AccountSum {
  readonly accountId: number;
  total: bigint;
  messages: number;
  limits: LimitsOfCall | undefined;
}

const sumRows = rows<AccountSum>({
  account_id: int4(({ accountId }) => accountId),
  total: int8(({ total }) => total),
  messages: int8(({ messages }) => messages),
  is_counted: bool(({ limits }) => limits !== undefined && hasCeiling(limits)),
  ...limitColumns,
});

const guardedRows = rows<GuardedText>({
  place: int4(({ place }) => place),
  account_id: int4(({ accountId }) => accountId),
  hash: hexBytea(({ hash }) => hash),
  id: uuid(({ id }) => id),
});

// The balance is locked before the usage is changed, as everywhere. A usage that another
// transaction has changed meanwhile is judged as that one left it, because it is judged where it is
// changed. In a repeated look at a row PostgreSQL cannot run the updates that return account_id
// again, so these are joined, never asked for in a condition.
const judgedAsOne = `able as materialized (
  select b.account_id from account_balance b join term t using (account_id)
   where b.unlimited or b.balance >= t.total order by b.account_id for update of b
),
spent as materialized (select t.account_id, t.total, t.messages from term t join able using (account_id)),`;

const takeAsOne = "taken as materialized (select c.* from call c join charged using (account_id))";

// A usage without room for all is passed over before texts are noted. It may not be the latest: the
// texts of a call that is then not stored do not count (findUncountedTexts).
const judgedByText = (guarded: string) => `able as materialized (
  select b.account_id from account_balance b join term t using (account_id) left join account_usage u using (account_id)
   where (b.unlimited or b.balance >= t.total) and (not t.is_counted or ${withinLimits("t")}) order by b.account_id for update of b
),
texts as materialized (
  select g.place, g.account_id, g.hash, g.id from ${guarded} join able using (account_id)
),
${freshText("false")},
repeated as materialized (select place from texts where id not in (select message_id from fresh)),
fit as materialized (
  select c.* from call c join able using (account_id) where c.place not in (select place from repeated)
),
spent as materialized (select account_id, sum(total)::bigint as total, sum(messages)::bigint as messages from fit group by account_id),`;

const takeByText = "taken as materialized (select f.* from fit f join charged using (account_id))";

// If this node does not know the ceilings of an account yet, it does not count what it stores. So
// counting ends here, and the next call that must be counted starts it again.
const chargeText = `counted as (
  update account_usage u
     set day_from = case when t.is_counted then t.day_from end, day_until = case when t.is_counted then t.day_until end,
         month_from = case when t.is_counted then t.month_from end, month_until = case when t.is_counted then t.month_until end,
         messages = case when t.is_counted then ${usedOf("day", "messages")} + s.messages else 0 end,
         cost = case when t.is_counted then ${usedOf("month", "cost")} + s.total else 0 end
    from spent s join term t using (account_id)
   where u.account_id = s.account_id and case when t.is_counted then ${withinLimits("s")} else u.day_from is not null end
  returning u.account_id
),
charged as (
  update account_balance b set balance = b.balance - s.total
    from spent s join term t using (account_id) left join counted n using (account_id)
   where b.account_id = s.account_id and (not t.is_counted or n.account_id is not null)
  returning b.account_id
),`;

function acceptingWithinLimits(kind: Kind, hasTexts: boolean) {
  const words = [kind === "unusual" && "Unusual", hasTexts && "Guarded"].filter((word) => word !== false);
  return rowStatement(
    `accept${words.join("")}CallsWithinLimits`,
    { ...storedParameters(kind), term: sumRows, ...(hasTexts && { guarded: guardedRows }) },
    ({ term, guarded, ...stored }) => `with ${callText(stored)},
term as materialized (
  select * from ${term.as("t")}
),
${guarded ? judgedByText(guarded.as("g")) : judgedAsOne}
${chargeText}
${guarded ? takeByText : takeAsOne},
${storeTakenText(kind, stored)}, '{}'::int[] as "affordable", ${guarded ? "array(select place from repeated)" : "'{}'::int[]"} as "repeated"`,
  );
}

export const acceptCallsWithinLimitsStatements = {
  usual: { plain: acceptingWithinLimits("usual", false), guarded: acceptingWithinLimits("usual", true) },
  unusual: { plain: acceptingWithinLimits("unusual", false), guarded: acceptingWithinLimits("unusual", true) },
} as const;

/** Whether a call may be judged together with the others of its account. */
export function isJudgedAsOne({ idempotency, limits }: CallToStore): boolean {
  if (idempotency !== undefined) return false;
  return limits === undefined || (limits.isFirstTry === true && limits.lowCredit === 0n);
}

/**
 * Stores all calls of an account, or none of them: then they return as `unjudged`. A call whose
 * text was sent before, or by another call of the group, is `unaffordable` by itself, and has to be
 * judged by what `readUsage` answers. All calls are such as `isJudgedAsOne`.
 */
export async function acceptCallsWithinLimits(
  db: Queryable,
  calls: readonly CallToStore[],
  straight: StraightClaims = nothingStraight,
): Promise<StoredCalls<CoveredFate | "unaffordable">> {
  const guarded = guardedTextsOf(calls);
  const statements = acceptCallsWithinLimitsStatements[areUsual(calls) ? "usual" : "unusual"];
  const given = { ...storedRows(calls, straight), term: sumsOf(calls), guarded };
  const [row] = await db.query<StoredRow & { readonly repeated: readonly number[] }>(
    (guarded.length > 0 ? statements.guarded : statements.plain).with(given),
  );
  const repeated = new Set(row?.repeated.map(Number));
  return readStored(calls, row, (place) => (repeated.has(place) ? "unaffordable" : "unjudged"));
}

/** In the order in which balances are locked. */
function sumsOf(calls: readonly CallToStore[]): readonly AccountSum[] {
  const sums = new Map<number, AccountSum>();
  for (const { accountId, total, messages, limits } of calls) {
    const sum = sums.get(accountId);
    if (sum === undefined) {
      sums.set(accountId, { accountId, total, messages: messages.length, limits });
    } else {
      sum.total += total;
      sum.messages += messages.length;
      // The limits of the latest call count, as in the statement that judges each call.
      sum.limits = limits ?? sum.limits;
    }
  }
  return [...sums.values()].sort((left, right) => left.accountId - right.accountId);
}
