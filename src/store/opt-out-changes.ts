// How nodes read the opted-out numbers: all of them page by page, and then what changed. The
// position is a snapshot of transactions: what commits late is read when it has committed, however
// long others take.
import type { Queryable } from "./database.ts";

/** What a reader has seen: every transaction that is visible in it. Opaque. */
export type OptOutPosition = string;

export async function findOptOutPosition(db: Queryable): Promise<OptOutPosition> {
  const [row] = await db.query<{ position: OptOutPosition }>({
    name: "findOptOutPosition",
    text: "/* findOptOutPosition */ select pg_current_snapshot()::text as position",
    values: [],
  });
  if (row === undefined) throw new Error("findOptOutPosition returned no row");
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
}

/** More are read faster with all others. */
const mostChanges = 20000;

export async function findOptOutChanges(db: Queryable, after: OptOutPosition): Promise<OptOutChanges> {
  const [row] = await db.query<{
    position: OptOutPosition;
    isMany: boolean;
    lines: readonly string[] | null;
    numbers: readonly string[];
    accounts: readonly string[];
  }>({
    name: "findOptOutChanges",
    text: `/* findOptOutChanges */
with note as materialized (
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
select pg_current_snapshot()::text as position, (select is_many from amount) as "isMany",
       array_agg(line) as lines, array_agg(number) as numbers, array_agg(accounts) as accounts
  from state`,
    values: [after],
  });
  if (row === undefined) throw new Error("findOptOutChanges returned no row");
  const { position, isMany, lines, numbers, accounts } = row;
  if (isMany) return { position, changed: "all" };
  const changed = (lines ?? []).map((line, index) => ({
    line,
    number: numbers[index] ?? "",
    accountIds: (accounts[index] ?? "").split(",").filter(Boolean).map(Number),
  }));
  return { position, changed };
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
  const rows = await db.query<OptOutGroup & { lastLine: string; lastNumber: string; lastAccountId: number }>({
    name: "listOptOutPage",
    text: `/* listOptOutPage */
with page as materialized (
  select line, number, coalesce(account_id, 0) as account_id from opt_out
   where (line, number, coalesce(account_id, 0)) > ($1, $2, $3)
   order by line, number, coalesce(account_id, 0) limit ${entriesOfPage}
),
ending as (select * from page order by line desc, number desc, account_id desc limit 1)
select p.line, p.account_id as "accountId", string_agg(int4send(substr(p.number, 4)::int), ''::bytea order by p.number) as places,
       min(e.line) as "lastLine", min(e.number) as "lastNumber", min(e.account_id) as "lastAccountId"
  from page p cross join ending e
 group by p.line, p.account_id`,
    values: [after.line, after.number, after.accountId],
  });
  const [first] = rows;
  if (first === undefined) return { groups: [], last: after };
  return { groups: rows, last: { line: first.lastLine, number: first.lastNumber, accountId: first.lastAccountId } };
}
