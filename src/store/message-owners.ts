// Whose messages there are: the key of messages begins with the account, which staff who have only
// an id do not know.
import { uuidv7Time } from "../uuid.ts";
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
with recursive owner (id) as (
  (select account_id from message where id >= $1 and id < $2 order by account_id limit 1)
  union all
  select (select m.account_id from message m where m.account_id > o.id and m.id >= $1 and m.id < $2 order by m.account_id limit 1)
    from owner o where o.id is not null
)
select id from owner where id is not null`,
    values: [...weekOfIds(weekStart(new Date(uuidv7Time(id))))],
  });
  return rows.map((row) => row.id);
}
