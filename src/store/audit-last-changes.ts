// Who changed an object last by hand, so that a file does not undo it unseen.
import type { Queryable } from "./database.ts";

export interface LastChange {
  readonly change: number;
  readonly who: string;
  readonly at: Date;
}

/**
 * Where the audit tells of a change: what it calls the object, or the one it is a part of. That
 * one's entry counts where it names one of these keys.
 */
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

/** Of one `given`. */
const lastEntry = `select id, who, at, action from audit_entry a
     where a.kind = given.kind and a.name = given.name and a.action <> 'use'
       and (given.account is null or a.account = given.account)
       and (given.keys is null or a.before ?| given.keys or a.after ?| given.keys)
     order by a.id desc limit 1`;

/** Of one object, the newest entry in the audit that any of these finds. */
export async function findLastChange(db: Queryable, sought: readonly SoughtChange[]): Promise<FoundChange | undefined> {
  const [row] = await db.query<FoundChange>({
    name: "findLastChange",
    text: `/* findLastChange */
select last.who, last.at, last.action
  from jsonb_to_recordset($1::jsonb) as given (kind text, name text, account text, keys text[])
  cross join lateral (${lastEntry}) last
 order by last.id desc limit 1`,
    values: [JSON.stringify(sought)],
  });
  return row;
}

/** A place to look for who changed an object last, of a change of the configuration. */
export interface TraceOfChange extends SoughtChange {
  /** The number of the change. */
  readonly change: number;
  /** What was changed by it: an object may have several traces, and the newest counts. */
  readonly object: string;
}

/** Entries that count many changes of a kind and name them: the newest are looked through. */
const countsLookedThrough = 20;

/**
 * Of each change with an object whose last entry in the audit is of somebody in the console: the
 * newest. One index descent a trace.
 */
export function listLastConsoleChanges(db: Queryable, traces: readonly TraceOfChange[]): Promise<LastChange[]> {
  return db.query<LastChange>({
    name: "listLastConsoleChanges",
    text: `/* listLastConsoleChanges */
with given as materialized (
  select * from jsonb_to_recordset($1::jsonb) as g (change int, object text, kind text, name text, account text, keys text[])
),
counted as materialized (
  select c.id, c.who, c.at, c.kind, n.name
    from (select distinct kind from given where keys is null and account is null) k
    cross join lateral (
      select * from audit_entry a where a.kind = k.kind and a.name = '' and a.action <> 'use' order by a.id desc limit ${countsLookedThrough}) c
    cross join lateral jsonb_array_elements_text(coalesce(c.after, c.before) -> 'names') as n (name)
   where jsonb_typeof(coalesce(c.after, c.before) -> 'names') = 'array'
),
found as (
  select given.change, given.object, last.id, last.who, last.at from given cross join lateral (${lastEntry}) last
  union all
  select given.change, given.object, c.id, c.who, c.at
    from given join counted c on c.kind = given.kind and c.name = given.name and given.keys is null and given.account is null
),
newest as (select distinct on (change, object) change, id, who, at from found order by change, object, id desc)
select distinct on (change) change, who, at from newest
 where who like 'staff:%' or who like 'user:%' order by change, id desc`,
    values: [JSON.stringify(traces)],
  });
}
