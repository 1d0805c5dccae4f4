// Whose messages there are: the key of messages begins with the account, which staff who have only
// an id do not know.
import { uuidv7Time } from "../platform/uuid.ts";
import type { Queryable } from "./database.ts";
import { weekOfIds, weekStart } from "./partitions.ts";

/**
 * The accounts with messages of the week of this id, removed accounts included, whose messages
 * stay. Each step skips to the next account in the key: one index descent per account.
 */
export async function findMessageOwners(db: Queryable, id: string): Promise<readonly number[]> {
  const rows = await db.query<{ id: number }>({
    name: "findMessageOwners",
    text: `/* findMessageOwners */
with recursive ${ownersBetween("$1", "$2")}
select id from owner where id is not null`,
    values: [...weekOf(id)],
  });
  return rows.map((row) => row.id);
}

/** `owner (id)` for a statement `with recursive`: who has messages of these ids, and one null. */
export function ownersBetween(first: string, end: string): string {
  return `owner (id) as (
  (select account_id from message where id >= ${first} and id < ${end} order by account_id limit 1)
  union all
  select (select m.account_id from message m where m.account_id > o.id and m.id >= ${first} and m.id < ${end} order by m.account_id limit 1)
    from owner o where o.id is not null
)`;
}

/** The ids of the week of this id, as a statement's values. */
export function weekOf(id: string): readonly [string, string] {
  return weekOfIds(weekStart(new Date(uuidv7Time(id))));
}
