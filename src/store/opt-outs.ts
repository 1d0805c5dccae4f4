// Statements on numbers that want nothing from a line. Triggers note each change for the nodes,
// which hold all entries in memory, and wake them.
import type { Msisdn } from "../sms/msisdn.ts";
import type { Queryable } from "./database.ts";
import { conditions } from "./conditions.ts";

export type OptOutHow = "message" | "api" | "staff" | "import";

export interface OptOut {
  readonly line: string;
  readonly number: string;
  readonly how: OptOutHow;
  readonly createdAt: Date;
}

const columns = `line, number, how, created_at as "createdAt"`;

export async function isLineKnown(db: Queryable, line: string): Promise<boolean> {
  const found = await db.query({
    name: "isLineKnown",
    text: `/* isLineKnown */ select from sender_line where number = $1`,
    values: [line],
  });
  return found.length > 0;
}

/** Adds those that are not there, for all accounts; answers these. */
export async function addOptOuts(
  tx: Queryable,
  {
    line,
    numbers,
    how,
  }: { readonly line: string; readonly numbers: readonly string[]; readonly how: Exclude<OptOutHow, "api"> },
): Promise<OptOut[]> {
  return tx.query<OptOut>({
    name: "addOptOuts",
    text: `/* addOptOuts */
insert into opt_out (line, number, how, created_at)
select $1, number, $3, statement_timestamp() from unnest($2::text[]) as number order by number
on conflict (line, number, coalesce(account_id, 0)) do nothing returning ${columns}`,
    values: [line, numbers, how],
  });
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
  return tx.query<RemovedOptOut>({
    name: "removeOptOut",
    text: `/* removeOptOut */ delete from opt_out where line = $1 and number = $2 returning ${columns}, account_id as "accountId"`,
    values: [line, number],
  });
}

interface OwnOptOut {
  readonly accountId: number;
  readonly line: string;
  readonly number: Msisdn;
}

/** An entry for one account. The oldest one that counts for it, where there is one. */
export async function putOwnOptOut(tx: Queryable, own: OwnOptOut): Promise<OptOut & { readonly isNew: boolean }> {
  for (;;) {
    const isNew = await insertOwnOptOut(tx, own);
    const entry = await findOptOutOfAccount(tx, own);
    if (entry !== undefined) return { ...entry, isNew };
    // The entry that was in the way has been taken back between the two statements.
  }
}

/** Returns false if an entry counts for the account already. */
async function insertOwnOptOut(tx: Queryable, { accountId, line, number }: OwnOptOut): Promise<boolean> {
  const added = await tx.query({
    name: "putOwnOptOut",
    text: `/* putOwnOptOut */
insert into opt_out (account_id, line, number, how, created_at)
select $1, $2, $3, 'api', statement_timestamp()
 where not exists (select from opt_out where line = $2 and number = $3 and account_id is null)
on conflict (line, number, coalesce(account_id, 0)) do nothing returning line`,
    values: [accountId, line, number],
  });
  return added.length > 0;
}

async function findOptOutOfAccount(tx: Queryable, { accountId, line, number }: OwnOptOut): Promise<OptOut | undefined> {
  const [entry] = await tx.query<OptOut>({
    name: "findOptOutOfAccount",
    text: `/* findOptOutOfAccount */
select ${columns} from opt_out where line = $2 and number = $3 and (account_id is null or account_id = $1) order by created_at limit 1`,
    values: [accountId, line, number],
  });
  return entry;
}

/** `foreign`: there is an entry, which the account has not made. */
export async function removeOwnOptOut(
  tx: Queryable,
  { accountId, line, number }: OwnOptOut,
): Promise<"removed" | "none" | "foreign"> {
  const [row] = await tx.query<{ removed: boolean; foreign: boolean }>({
    name: "removeOwnOptOut",
    text: `/* removeOwnOptOut */
with removed as (
  delete from opt_out where line = $2 and number = $3 and account_id = $1 returning 1
)
select exists (select from removed) as removed,
       exists (select from opt_out where line = $2 and number = $3 and account_id is null) as foreign`,
    values: [accountId, line, number],
  });
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
  const of = lines === undefined ? "(select number from sender_line)" : `unnest(${value(lines)}::text[])`;
  return db.query<ListedOptOut>({
    name: "",
    text: `/* listOptOuts */
select found.* from ${of} as given (line) cross join lateral (
  select o.line, o.number, o.how, o.created_at as "createdAt", coalesce(o.account_id, 0) as "accountId", a.name as account
    from opt_out o left join account a on a.id = o.account_id
   where o.line = given.line and (o.line, o.number, coalesce(o.account_id, 0)) > ${place} and ${where.text}
   order by o.number, coalesce(o.account_id, 0) limit ${value(limit)}) found
 where given.line >= ${value(after.line)}
 order by found.line, found.number, found."accountId" limit ${value(limit)}`,
    values: where.values,
  });
}
