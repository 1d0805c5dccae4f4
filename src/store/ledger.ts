// The money of accounts: balances, credits booked by staff, and statements. Balance and ledger
// change in one transaction, so the sum of an account's entries equals its balance at any instant.
// Charges and refunds are written with the messages.
import { firstOf, onlyOf, type Queryable } from "./database.ts";
import { preferIndexOrder } from "./transaction-settings.ts";
import { idOfNow } from "./sql-texts.ts";

export type LedgerKind = "opening" | "credit" | "charge" | "refund" | "carried";

export interface Balance {
  /** Rials. */
  readonly balance: bigint;
  readonly unlimited: boolean;
}

export function findBalance(db: Queryable, { accountId }: { accountId: number }): Promise<Balance | undefined> {
  return firstOf(
    db.query<Balance>("findBalance", "select balance, unlimited from account_balance where account_id = $1", [
      accountId,
    ]),
  );
}

/** The spendable credit as the accepting statement would see it, or "unlimited". */
export async function findSpendableCredit(db: Queryable, accountId: number): Promise<bigint | "unlimited"> {
  const { balance, unlimited } = (await findBalance(db, { accountId })) ?? { balance: 0n, unlimited: false };
  return unlimited ? "unlimited" : balance;
}

/** An account by the name that staff use. */
export function findAccountByName(db: Queryable, name: string): Promise<{ readonly id: number } | undefined> {
  return firstOf(db.query<{ id: number }>("findAccountByName", "select id from account where name = $1", [name]));
}

export interface Credit {
  readonly accountId: number;
  /** Rials; a negative amount is withdrawn. */
  readonly amount: bigint;
  /** A reference is booked once in the life of the account. */
  readonly reference: string;
  /** UUIDv7. The stored id has the time of the database instead of its own. */
  readonly entryId: string;
}

export type CreditResult =
  | { readonly kind: "booked" | "alreadyBooked"; readonly balance: bigint }
  | { readonly kind: "referenceUsed"; readonly amount: bigint }
  | { readonly kind: "insufficient"; readonly balance: bigint };

/**
 * Books a credit once, even for repeated or simultaneous requests. Never takes a limited balance
 * below zero.
 */
export async function bookCredit(tx: Queryable, credit: Credit): Promise<CreditResult> {
  const { accountId, amount } = credit;
  // Until the end of the transaction nothing else is charged or refunded.
  const before = await onlyOf(lockBalances(tx, [accountId]));
  // Read under the lock: the second of two equal simultaneous bookings sees the first.
  const known = await findCreditReference(tx, credit);
  if (known !== undefined) {
    if (known.amount !== amount) return { kind: "referenceUsed", amount: known.amount };
    return { kind: "alreadyBooked", balance: before.balance };
  }
  if (!before.unlimited && before.balance + amount < 0n) return { kind: "insufficient", balance: before.balance };
  return { kind: "booked", balance: await insertCredit(tx, credit) };
}

/**
 * Of several accounts, in the one order in which all writers lock them. Whoever charges accounts in
 * more than one statement locks all of them before.
 */
export async function lockBalances(
  tx: Queryable,
  accountIds: readonly number[],
): Promise<readonly (Balance & { readonly accountId: number })[]> {
  return tx.query<Balance & { readonly accountId: number }>(
    "lockBalances",
    `select account_id as "accountId", balance, unlimited from account_balance where account_id = any ($1::int[]) order by account_id for update`,
    [accountIds],
  );
}

function findCreditReference(
  tx: Queryable,
  { accountId, reference }: Credit,
): Promise<{ readonly amount: bigint } | undefined> {
  return firstOf(
    tx.query<{ amount: bigint }>(
      "findCreditReference",
      "select amount from credit_reference where account_id = $1 and reference = $2",
      [accountId, reference],
    ),
  );
}

// The balance was locked before this statement began, so it sees the balance as it is. Credit ends
// that credit.low was told, at once or when refunds have taken the balance out of it.
async function insertCredit(tx: Queryable, { accountId, amount, reference, entryId }: Credit): Promise<bigint> {
  const row = await onlyOf(
    tx.query<{ balance: bigint }>(
      "insertCredit",
      `with noted as (
  insert into credit_reference (account_id, reference, entry_id, amount) values ($1, $2, ${idOfNow("$3")}, $4)
),
entered as (
  insert into ledger_entry (account_id, id, kind, amount, reference) values ($1, ${idOfNow("$3")}, 'credit', $4, $2)
),
booked as (
  update account_usage u set credit_booked = true, low_told = b.balance + $4 < a.low_credit
    from account_balance b join account a on a.id = b.account_id
   where u.account_id = $1 and b.account_id = $1 and u.low_told and $4 > 0
)
update account_balance set balance = balance + $4 where account_id = $1 returning balance`,
      [accountId, reference, entryId, amount],
    ),
  );
  return row.balance;
}

export interface StatementEntry {
  readonly id: string;
  readonly at: Date;
  readonly kind: LedgerKind;
  readonly amount: bigint;
  /** How many messages a charge paid for. */
  readonly messages: number;
  /** Of these messages, as long as they are kept. */
  readonly parts: number | null;
  readonly messageId: string | null;
  /** For a charge or a refund; null when the message was dropped after its retention. */
  readonly batchId: string | null;
  readonly reference: string | null;
  /** Whose rows were paid for or refunded, as long as their messages are kept. */
  readonly campaign: { readonly id: string; readonly name: string } | null;
  /** After this entry. */
  readonly balance: bigint;
}

export interface StatementPage {
  /** After the first entry of the page. */
  readonly closingBalance: bigint;
  readonly entries: readonly StatementEntry[];
  /** Before the last entry of the page. */
  readonly openingBalance: bigint;
  /** The account's balance now: the closing balance of the first page of an open-ended statement. */
  readonly balance: bigint;
  readonly unlimited: boolean;
  /** Where the next page begins; absent on the last page. */
  readonly next?: string;
}

export interface StatementRequest {
  readonly accountId: number;
  /**
   * UUIDs between which the entries lie: the bounds of a period, or the end of the previous page.
   * Absent means no bound.
   */
  readonly after?: string;
  readonly before?: string;
  readonly limit: number;
}

const lowestUuid = "00000000-0000-0000-0000-000000000000";
const highestUuid = "ffffffff-ffff-ffff-ffff-ffffffffffff";

type PageRow = Balance & {
  readonly closingBalance: bigint;
  readonly entries: readonly (Omit<StatementEntry, "at" | "amount" | "balance"> & { at: string; amount: string })[];
};

/** The messages of an entry of `page`: those of a charge carry its millisecond, a refund names its one. */
const messagesOfEntry = `select (array_agg(m.id order by m.id))[1] as first_id, (array_agg(m.recipient order by m.id))[1] as recipient,
            (array_agg(m.batch_id))[1] as batch_id, sum(m.parts) as parts
       from (select id, recipient, batch_id, parts from message
              where account_id = $1 and batch_id = page.id
                and id between (left(page.id::text, 13) || '-0000-0000-000000000000')::uuid
                           and (left(page.id::text, 13) || '-ffff-ffff-ffffffffffff')::uuid
             union all
             select id, recipient, batch_id, parts from message where account_id = $1 and id = page.message_id) m`;

/**
 * The campaign that an entry is of: by its first message, among the latest campaigns before it. Of
 * an older one the entry has no name.
 */
const campaignOfEntry = `select jsonb_build_object('id', c.id, 'name', c.name)
                      from (select id, name, started_at, ended_at from campaign
                             where account_id = $1 and id < own.batch_id order by id desc limit 20) c
                     where c.started_at <= page.created_at
                       and (page.kind = 'refund' or coalesce(c.ended_at, 'infinity') >= page.created_at - interval '1 minute')
                       and exists (select from campaign_row r
                                    where r.campaign_id = c.id and r.recipient = own.recipient and r.message_id = own.first_id)
                     limit 1`;

/**
 * The entries of an account, newest first, with the balance after each. One statement reads all of
 * it as of one instant, so the entries add up to the balance whatever is booked meanwhile. Call it
 * in a transaction: the planner would rather sort all entries of an account that has a million.
 */
export async function listStatement(tx: Queryable, request: StatementRequest): Promise<StatementPage | undefined> {
  const { accountId, after = lowestUuid, before = highestUuid, limit } = request;
  await preferIndexOrder(tx);
  const [row] = await tx.query<PageRow>(
    "listStatement",
    `with page as (
  select id, created_at, kind, amount, messages, message_id, reference
    from ledger_entry
   where account_id = $1 and id > $2 and id < $3
   order by id desc limit $4
)
select b.balance, b.unlimited,
       (b.balance - coalesce((select sum(amount) from ledger_entry where account_id = $1 and id >= $3), 0))::bigint as "closingBalance",
       coalesce((select jsonb_agg(jsonb_build_object('id', id, 'at', created_at, 'kind', kind, 'amount', amount::text,
                   'messages', messages, 'parts', own.parts, 'messageId', message_id, 'reference', reference,
                   'batchId', case kind when 'charge' then id else own.batch_id end, 'campaign', (${campaignOfEntry}))
                   order by id desc) from page, lateral (${messagesOfEntry}) own), '[]') as entries
  from account_balance b where b.account_id = $1`,
    [accountId, after, before, limit + 1],
  );
  if (row === undefined) return undefined;
  let balance = row.closingBalance;
  const entries = row.entries.slice(0, limit).map(({ at, amount, ...entry }): StatementEntry => {
    const booked = { ...entry, at: new Date(at), amount: BigInt(amount), balance };
    balance -= booked.amount;
    return booked;
  });
  const last = row.entries.length > limit ? entries.at(-1) : undefined;
  return {
    closingBalance: row.closingBalance,
    entries,
    openingBalance: balance,
    balance: row.balance,
    unlimited: row.unlimited,
    ...(last && { next: last.id }),
  };
}

/**
 * How far into an account's ledger its opening credit is searched. Another node's charge of the
 * same moment may have a lower id.
 */
const openingAmongFirst = 20;

/**
 * The opening credit of each of these accounts; 0 when none was booked, null when the retention has
 * dropped that period.
 */
export async function findOpeningCredits(
  db: Queryable,
  accounts: readonly string[],
): Promise<Map<string, bigint | null>> {
  const rows = await db.query<{ account: string; opening: bigint | null }>(
    "findOpeningCredits",
    `select a.name as account,
       coalesce(sum(e.amount) filter (where e.kind = 'opening'), case when bool_or(e.kind = 'carried') then null else 0 end)::bigint as opening
  from account a
  left join lateral (select kind, amount from ledger_entry l where l.account_id = a.id order by l.id limit $2) e on true
 where a.name = any($1::text[])
 group by a.name`,
    [accounts, openingAmongFirst],
  );
  return new Map(rows.map(({ account, opening }) => [account, opening]));
}
