// Looks for texts in every column of every table of a database, whatever their types: new tables
// and columns are searched without being named anywhere.
import type { Queryable } from "../../src/store/database.ts";
import { statement } from "./database.ts";

/** Names of tables, partitioned ones as a whole. */
async function listTables(db: Queryable): Promise<readonly string[]> {
  const rows = await db.query<{ name: string }>(
    statement(`select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
                where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition order by 1`),
  );
  return rows.map(({ name }) => name);
}

/**
 * As a row may hold it: a text in UTF-8, or its octets in UTF-8 or UTF-16 (big-endian), which
 * PostgreSQL writes in hexadecimal digits. `jsonb` and arrays show texts as they are.
 */
function formsOf(text: string): readonly string[] {
  const utf16 = Buffer.from(text, "utf16le").swap16();
  return [text, Buffer.from(text).toString("hex"), utf16.toString("hex")];
}

/** `table.column` → in how many rows one of the texts is found there. */
export async function searchEverywhere(db: Queryable, texts: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (const table of await listTables(db)) {
    const rows = await db.query<{ name: string; rows: number }>(
      statement(
        `select c.key as name, count(*)::int as rows from "${table}" t cross join jsonb_each_text(to_jsonb(t)) c
          where exists (select from unnest($1::text[]) form where strpos(c.value, form) > 0) group by 1 order by 1`,
        [texts.flatMap(formsOf)],
      ),
    );
    for (const row of rows) found.set(`${table}.${row.name}`, row.rows);
  }
  return found;
}

/** The rows in which none of the texts is found, as `table row`, sorted. */
export async function rowsWithout(
  db: Queryable,
  texts: readonly string[],
  except: readonly string[],
): Promise<readonly string[]> {
  const all: string[] = [];
  for (const table of await listTables(db)) {
    if (except.includes(table)) continue;
    const rows = await db.query<{ row: string }>(
      statement(
        `select row from (select to_jsonb(t)::text as row from "${table}" t) r
          where not exists (select from unnest($1::text[]) form where strpos(row, form) > 0) order by 1`,
        [texts.flatMap(formsOf)],
      ),
    );
    all.push(...rows.map(({ row }) => `${table} ${row}`));
  }
  return all;
}
