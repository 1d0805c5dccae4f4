// Who changed an object last by hand, so that a file does not undo it unseen.
import type { Queryable } from "./database.ts";

export interface LastChange {
  readonly kind: string;
  readonly name: string;
  readonly who: string;
  readonly at: Date;
}

/** One place to look for a change; of an object of another kind only where one of these keys has changed. */
export interface SoughtChange {
  readonly kind: string;
  readonly name: string;
  readonly account?: string | undefined;
  readonly keys?: readonly string[] | undefined;
}

export interface FoundChange {
  readonly who: string;
  readonly at: Date;
  readonly action: string;
}

/** Of one object, the newest entry in the audit that any of these finds. */
export async function findLastChange(db: Queryable, sought: readonly SoughtChange[]): Promise<FoundChange | undefined> {
  const [row] = await db.query<FoundChange>({
    name: "findLastChange",
    text: `/* findLastChange */
select last.who, last.at, last.action
  from jsonb_to_recordset($1::jsonb) as given (kind text, name text, account text, keys text[])
  cross join lateral (
    select id, who, at, action from audit_entry a
     where a.kind = given.kind and a.name = given.name and a.action <> 'use'
       and (given.account is null or a.account = given.account)
       and (given.keys is null or a.before ?| given.keys or a.after ?| given.keys)
     order by a.id desc limit 1) last
 order by last.id desc limit 1`,
    values: [JSON.stringify(sought)],
  });
  return row;
}

/** Of these objects, those whose last entry in the audit is of somebody in the console: one index descent each. */
export function listLastConsoleChanges(
  db: Queryable,
  objects: readonly { readonly kind: string; readonly name: string }[],
): Promise<LastChange[]> {
  return db.query<LastChange>({
    name: "listLastConsoleChanges",
    text: `/* listLastConsoleChanges */
select given.kind, given.name, last.who, last.at
  from unnest($1::text[], $2::text[]) as given (kind, name)
  cross join lateral (
    select who, at from audit_entry a where a.kind = given.kind and a.name = given.name order by a.id desc limit 1) last
 where last.who like 'staff:%' or last.who like 'user:%'`,
    values: [objects.map(({ kind }) => kind), objects.map(({ name }) => name)],
  });
}
