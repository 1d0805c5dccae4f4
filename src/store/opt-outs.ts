// Numbers that want nothing from a line. Triggers note each change for the nodes, which hold all entries
// in memory: they read all of them page by page, and then what changed. The position is a snapshot of
// transactions: what commits late is read when it has committed, however long others take.
import type { Msisdn } from "../sms/msisdn.ts";
import { composed, firstOf, onlyOf, type Queryable } from "./database.ts";
import { conditions } from "./row-statement.ts";

export type OptOutHow = "message" | "api" | "staff" | "import";

export interface OptOut {
  readonly line: string;
  readonly number: string;
  readonly how: OptOutHow;
  readonly createdAt: Date;
}

const columns = `line, number, how, created_at as "createdAt"`;

export async function isLineKnown(db: Queryable, line: string): Promise<boolean> {
  const found = await db.query("isLineKnown", `select from configured_object where section = 'lines' and name = $1`, [
    line,
  ]);
  return found.length > 0;
}

export interface OptOutsToAdd {
  readonly line: string;
  readonly numbers: readonly string[];
  readonly how: OptOutHow;
  /** The only account that they count for; absent: all. */
  readonly accountId?: number;
}

/** Adds those that do not count yet; answers these. */
export async function addOptOuts(tx: Queryable, { line, numbers, how, accountId }: OptOutsToAdd): Promise<OptOut[]> {
  return tx.query<OptOut>(
    "addOptOuts",
    `insert into opt_out (account_id, line, number, how, created_at)
select $4, $1, given.number, $3, statement_timestamp() from unnest($2::text[]) as given (number)
 where not exists (select from opt_out o where o.line = $1 and o.number = given.number and o.account_id is null)
 order by given.number
on conflict (line, number, coalesce(account_id, 0)) do nothing returning ${columns}`,
    [line, numbers, how, accountId],
  );
}

export interface RemovedOptOut extends OptOut {
  /** The only account that it counted for; null: all. */
  readonly accountId: number | null;
}

/** Removes it whoever made it; answers what there was. */
export function removeOptOut(
  tx: Queryable,
  { line, number }: { readonly line: string; readonly number: string },
): Promise<RemovedOptOut[]> {
  return tx.query<RemovedOptOut>(
    "removeOptOut",
    `delete from opt_out where line = $1 and number = $2 returning ${columns}, account_id as "accountId"`,
    [line, number],
  );
}

interface OwnOptOut {
  readonly accountId: number;
  readonly line: string;
  readonly number: Msisdn;
}

/** An entry for one account. The oldest one that counts for it, where there is one. */
export async function putOwnOptOut(tx: Queryable, own: OwnOptOut): Promise<OptOut & { readonly isNew: boolean }> {
  for (;;) {
    const added = await addOptOuts(tx, { ...own, numbers: [own.number], how: "api" });
    const entry = await findOptOutOfAccount(tx, own);
    if (entry !== undefined) return { ...entry, isNew: added.length > 0 };
    // The entry that was in the way has been taken back between the two statements.
  }
}

function findOptOutOfAccount(tx: Queryable, { accountId, line, number }: OwnOptOut): Promise<OptOut | undefined> {
  return firstOf(
    tx.query<OptOut>(
      "findOptOutOfAccount",
      `select ${columns} from opt_out where line = $2 and number = $3 and (account_id is null or account_id = $1) order by created_at limit 1`,
      [accountId, line, number],
    ),
  );
}

/** `foreign`: there is an entry, which the account has not made. */
export async function removeOwnOptOut(
  tx: Queryable,
  { accountId, line, number }: OwnOptOut,
): Promise<"removed" | "none" | "foreign"> {
  const [row] = await tx.query<{ removed: boolean; foreign: boolean }>(
    "removeOwnOptOut",
    `with removed as (
  delete from opt_out where line = $2 and number = $3 and account_id = $1 returning 1
)
select exists (select from removed) as removed,
       exists (select from opt_out where line = $2 and number = $3 and account_id is null) as foreign`,
    [accountId, line, number],
  );
  if (row?.removed === true) return "removed";
  return row?.foreign === true ? "foreign" : "none";
}

/** Of two entries for a number, that for all accounts, 0, comes first. */
export interface OptOutPlace {
  readonly line: string;
  readonly number: string;
  readonly accountId: number;
}

/** With the account that made an entry for itself alone. */
export type ListedOptOut = OptOut & OptOutPlace & { readonly account: string | null };

export interface OptOutPage {
  /** Undefined: all that there are. */
  readonly lines?: readonly string[] | undefined;
  /** Only what counts for this account. */
  readonly accountId?: number | undefined;
  readonly number?: string | undefined;
  readonly after?: OptOutPlace | undefined;
  readonly limit: number;
}

const beforeAll: OptOutPlace = { line: "", number: "", accountId: 0 };

/** In the order of lines and numbers. */
export function listOptOuts(
  db: Queryable,
  { lines, accountId, number, after = beforeAll, limit }: OptOutPage,
): Promise<ListedOptOut[]> {
  const where = conditions({ "o.number = ?": number, "(o.account_id is null or o.account_id = ?)": accountId });
  const { value } = where;
  const place = `(${value(after.line)}::text, ${value(after.number)}::text, ${value(after.accountId)}::int)`;
  const of =
    lines === undefined
      ? "(select name from configured_object where section = 'lines')"
      : `unnest(${value(lines)}::text[])`;
  return db.query<ListedOptOut>(
    composed(
      "listOptOuts",
      `select found.* from ${of} as given (line) cross join lateral (
  select o.line, o.number, o.how, o.created_at as "createdAt", coalesce(o.account_id, 0) as "accountId", a.name as account
    from opt_out o left join account a on a.id = o.account_id
   where o.line = given.line and (o.line, o.number, coalesce(o.account_id, 0)) > ${place} and ${where.text}
   order by o.number, coalesce(o.account_id, 0) limit ${value(limit)}) found
 where given.line >= ${value(after.line)}
 order by found.line, found.number, found."accountId" limit ${value(limit)}`,
      where.values,
    ),
  );
}

/** What a reader has seen: every transaction that is visible in it. Opaque. */
export type OptOutPosition = string;

export async function findOptOutPosition(db: Queryable): Promise<OptOutPosition> {
  const row = await onlyOf(
    db.query<{ position: OptOutPosition }>("findOptOutPosition", "select pg_current_snapshot()::text as position"),
  );
  return row.position;
}

/** The accounts that a number is now listed for; 0 (allAccounts of opt-out-index.ts): all. */
export interface ChangedOptOut {
  readonly line: string;
  readonly number: string;
  readonly accountIds: readonly number[];
}

export interface OptOutChanges {
  readonly position: OptOutPosition;
  /** "all": more than are read one by one. */
  readonly changed: readonly ChangedOptOut[] | "all";
  /** Of the configuration, at the same instant. */
  readonly mark: string;
}

/** More are read faster with all others. */
const mostChanges = 20000;

export async function findOptOutChanges(db: Queryable, after: OptOutPosition): Promise<OptOutChanges> {
  const row = await onlyOf(
    db.query<{
      position: OptOutPosition;
      mark: string;
      isMany: boolean;
      lines: readonly string[] | null;
      numbers: readonly string[];
      accounts: readonly string[];
    }>(
      "findOptOutChanges",
      `with note as materialized (
  select lines, numbers from opt_out_change
   where xid >= pg_snapshot_xmin($1::pg_snapshot) and not pg_visible_in_snapshot(xid, $1::pg_snapshot)
),
amount as materialized (select coalesce(sum(coalesce(cardinality(lines), ${mostChanges} + 1)), 0) > ${mostChanges} as is_many from note),
changed as (
  select distinct key.line, key.number
    from amount, note cross join lateral unnest(note.lines, note.numbers) as key (line, number)
   where not amount.is_many
),
state as (
  select c.line, c.number, coalesce(string_agg(coalesce(o.account_id, 0)::text, ',') filter (where o.line is not null), '') as accounts
    from changed c left join opt_out o on o.line = c.line and o.number = c.number
   group by c.line, c.number
)
select pg_current_snapshot()::text as position, (select mark from configuration), (select is_many from amount) as "isMany",
       array_agg(line) as lines, array_agg(number) as numbers, array_agg(accounts) as accounts
  from state`,
      [after],
    ),
  );
  const { position, mark, isMany, lines, numbers, accounts } = row;
  if (isMany) return { position, mark, changed: "all" };
  const changed = (lines ?? []).map((line, index) => ({
    line,
    number: numbers[index] ?? "",
    accountIds: (accounts[index] ?? "").split(",").filter(Boolean).map(Number),
  }));
  return { position, mark, changed };
}

/** Of one line and account: the numbers without 989, four octets each, most significant first. */
export interface OptOutGroup {
  readonly line: string;
  readonly accountId: number;
  readonly places: Buffer;
}

export interface OptOutKey {
  readonly line: string;
  readonly number: string;
  readonly accountId: number;
}

export const beforeAllOptOuts: OptOutKey = { line: "", number: "", accountId: 0 };

/** Some 2 ms of work for the reader. */
const entriesOfPage = 20000;

/** In the order of keys, after the given one; the last page is empty. */
export async function listOptOutPage(
  db: Queryable,
  after: OptOutKey,
): Promise<{ readonly groups: readonly OptOutGroup[]; readonly last: OptOutKey }> {
  const rows = await db.query<OptOutGroup & { lastLine: string; lastNumber: string; lastAccountId: number }>(
    "listOptOutPage",
    `with page as materialized (
  select line, number, coalesce(account_id, 0) as account_id from opt_out
   where (line, number, coalesce(account_id, 0)) > ($1, $2, $3)
   order by line, number, coalesce(account_id, 0) limit ${entriesOfPage}
),
ending as (select * from page order by line desc, number desc, account_id desc limit 1)
select p.line, p.account_id as "accountId", string_agg(int4send(substr(p.number, 4)::int), ''::bytea order by p.number) as places,
       min(e.line) as "lastLine", min(e.number) as "lastNumber", min(e.account_id) as "lastAccountId"
  from page p cross join ending e
 group by p.line, p.account_id`,
    [after.line, after.number, after.accountId],
  );
  const [first] = rows;
  if (first === undefined) return { groups: [], last: after };
  return { groups: rows, last: { line: first.lastLine, number: first.lastNumber, accountId: first.lastAccountId } };
}
