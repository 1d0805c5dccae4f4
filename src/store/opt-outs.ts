// Statements on numbers that want nothing from a line. Triggers note each change for the nodes,
// which hold all entries in memory, and wake them.
import type { Msisdn } from "../sms/msisdn.ts";
import type { Queryable } from "./database.ts";

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

export interface OptOutPage {
  /** Lists the entries that count for this account, and not those of others. */
  readonly accountId: number;
  /** In the order of the list. */
  readonly lines: readonly string[];
  readonly number?: string | undefined;
  /** Behind this entry; its line is the first of the lines. */
  readonly after?: OptOutPlace | undefined;
  readonly limit: number;
}

/** Of two entries for a number, that for all accounts comes first. */
export interface OptOutPlace {
  readonly line: string;
  readonly number: string;
  readonly isOwn: boolean;
}

export type ListedOptOut = OptOut & OptOutPlace;

/** In the order of the lines, and of the numbers in each. */
export function listOptOuts(
  db: Queryable,
  { accountId, lines, number, after, limit }: OptOutPage,
): Promise<ListedOptOut[]> {
  return db.query<ListedOptOut>({
    name: "listOptOuts",
    text: `/* listOptOuts */
select found.* from unnest($2::text[]) with ordinality as given (line, place) cross join lateral (
  select o.line, o.number, o.how, o.created_at as "createdAt", o.account_id is not null as "isOwn" from opt_out o
   where o.line = given.line and ($3::text is null or o.number = $3) and (o.account_id is null or o.account_id = $1)
     and (given.line is distinct from $4 or (o.number, coalesce(o.account_id, 0)) > ($5::text, $6::int))
   order by o.number, coalesce(o.account_id, 0) limit $7) found
 order by given.place, found.number, found."isOwn"
 limit $7`,
    values: [
      accountId,
      lines,
      number ?? null,
      after?.line ?? null,
      after?.number ?? null,
      after?.isOwn === true ? accountId : 0,
      limit,
    ],
  });
}

/** With the account that made an entry for itself alone. */
export interface OptOutOfLine extends OptOut {
  readonly accountId: number;
  readonly account: string | null;
}

/** Those of all accounts, in the order of numbers. */
export function listOptOutsOfLine(
  db: Queryable,
  {
    line,
    number,
    after,
    limit,
  }: {
    readonly line: string;
    readonly number?: string | undefined;
    readonly after?: { readonly number: string; readonly accountId: number } | undefined;
    readonly limit: number;
  },
): Promise<OptOutOfLine[]> {
  return db.query<OptOutOfLine>({
    name: "listOptOutsOfLine",
    text: `/* listOptOutsOfLine */
select o.line, o.number, o.how, o.created_at as "createdAt", coalesce(o.account_id, 0) as "accountId", a.name as account
  from opt_out o left join account a on a.id = o.account_id
 where o.line = $1 and ($2::text is null or o.number = $2) and (o.number, coalesce(o.account_id, 0)) > ($3::text, $4::int)
 order by o.number, coalesce(o.account_id, 0) limit $5`,
    values: [line, number ?? null, after?.number ?? "", after?.accountId ?? 0, limit],
  });
}

/** Those of all lines that are known, or of one, in the order of lines and numbers. */
export function listOptOutsOfLines(
  db: Queryable,
  {
    line,
    number,
    after,
    limit,
  }: {
    readonly line?: string | undefined;
    readonly number?: string | undefined;
    readonly after?: { readonly line: string; readonly number: string; readonly accountId: number } | undefined;
    readonly limit: number;
  },
): Promise<OptOutOfLine[]> {
  return db.query<OptOutOfLine>({
    name: "listOptOutsOfLines",
    text: `/* listOptOutsOfLines */
select found.* from sender_line l cross join lateral (
  select o.line, o.number, o.how, o.created_at as "createdAt", coalesce(o.account_id, 0) as "accountId", a.name as account
    from opt_out o left join account a on a.id = o.account_id
   where o.line = l.number and ($2::text is null or o.number = $2)
     and (l.number is distinct from $3 or (o.number, coalesce(o.account_id, 0)) > ($4::text, $5::int))
   order by o.number, coalesce(o.account_id, 0) limit $6) found
 where ($1::text is null or l.number = $1) and ($3::text is null or l.number >= $3)
 order by l.number, found.number, found."accountId" limit $6`,
    values: [line ?? null, number ?? null, after?.line ?? null, after?.number ?? null, after?.accountId ?? 0, limit],
  });
}
