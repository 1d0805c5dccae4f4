// How many connections the server has for the programs that use it.
import type { Queryable } from "./database.ts";

export async function connectionLimit(db: Queryable): Promise<number> {
  const rows = await db.query<{ limit: number }>({
    name: "connectionLimit",
    text: `/* connectionLimit */
select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as "limit"`,
    values: [],
  });
  return rows[0]?.limit ?? 0;
}
