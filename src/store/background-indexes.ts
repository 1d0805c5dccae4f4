// Adds indexes to weeks that are over, one at a time and without a lock that blocks writers.
import type pg from "pg";
import type { Database } from "./database.ts";

/** An arbitrary number that no other lock of the program uses. */
const indexLock = 4_718_281_003;
/** The most blocks that one summary stands for. */
const pagesPerRange = 64;

/**
 * Whoever makes indexes or drops weeks holds it, until the end of its session: a drop that waited
 * for an index would hold up all writers.
 */
export async function takeIndexLock(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ isOurs: boolean }>(`select pg_try_advisory_lock(${indexLock}) as "isOurs"`);
  return rows[0]?.isOurs === true;
}

/** Costs no accepted message anything: a week that is over gets none. */
const closedWeekIndex = { ending: "to_number", definition: "btree (recipient, id)" };

/**
 * Gives weeks of messages that are over a tree by recipient, beside the summary of blocks: their
 * messages to a number are found at once. `parts`: the partitions. Returns the names of the indexes
 * it made; none when another node is doing this. The signal ends it in the middle of an index.
 */
export async function indexClosedWeeks(
  db: Database,
  parts: readonly string[],
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const list = () => listUnindexed(db, parts, closedWeekIndex.ending);
  if (signal?.aborted === true || (await list()).length === 0) return [];
  return db.dedicatedSession(async (client) => {
    if (!(await takeIndexLock(client))) return [];
    const made: string[] = [];
    // Another node may have made some meanwhile.
    for (const table of await list()) {
      signal?.throwIfAborted();
      const name = `${table}_${closedWeekIndex.ending}`;
      // The remains of an interrupted attempt are unused.
      await client.query(`drop index concurrently if exists ${name}`);
      await client.query(`create index concurrently ${name} on ${table} using ${closedWeekIndex.definition}`);
      made.push(name);
    }
    return made;
  }, signal);
}

/**
 * Takes away the summaries that PostgreSQL makes of the first range of blocks when it builds the
 * indexes of an empty or small table. With them, nearly each of the first 2,000 messages would
 * write a filter of 2 KB again. The range is summarised when the next one begins.
 */
export async function leaveFirstBlocksOpen(client: pg.ClientBase, part: string): Promise<void> {
  await client.query(
    `select brin_desummarize_range(x.indexrelid, 0)
       from pg_index x join pg_class i on i.oid = x.indexrelid join pg_am kind on kind.oid = i.relam and kind.amname = 'brin'
      where x.indrelid = $1::regclass and pg_relation_size(x.indrelid) < ${pagesPerRange} * current_setting('block_size')::integer`,
    [part],
  );
}

/** Those tables that are there without such an index, or with remains of an interrupted attempt. */
async function listUnindexed(db: Database, tables: readonly string[], ending: string): Promise<readonly string[]> {
  const rows = await db.query<{ name: string }>({
    name: "listUnindexed",
    text: `/* listUnindexed */
select name from unnest($1::text[]) name
 where to_regclass(name) is not null
   and not exists (select from pg_index where indexrelid = to_regclass(name || '_' || $2::text) and indisvalid)
 order by name desc`,
    values: [tables, ending],
  });
  return rows.map(({ name }) => name);
}
