// Adds the index by recipient to partitions of `message` that an older version created, one at a
// time and without a lock that blocks writers. New partitions are created with it.
import type pg from "pg";
import type { Database } from "./database.ts";

/** An arbitrary number that no other lock of the program uses. */
const buildLock = 4_718_281_003;
/** Blocks that one summary stands for, as in migration 0006. */
const pagesPerRange = 64;

/** Returns the indexed partitions; none when another node is doing this. */
export async function indexRecipients(db: Database): Promise<readonly string[]> {
  const lacking = await listUnindexedParts(db);
  if (lacking.length === 0) return [];
  return db.dedicatedSession(async (client) => {
    const { rows } = await client.query<{ isOurs: boolean }>(`select pg_try_advisory_lock(${buildLock}) as "isOurs"`);
    if (rows[0]?.isOurs !== true) return [];
    for (const part of lacking) {
      // The remains of an interrupted attempt are unused.
      await client.query(`drop index concurrently if exists ${part}_by_recipient`);
      await client.query(
        `create index concurrently ${part}_by_recipient on ${part}
           using brin (recipient text_bloom_ops (n_distinct_per_range = 1300, false_positive_rate = 0.005))
           with (pages_per_range = ${pagesPerRange}, autosummarize = on)`,
      );
      await leaveFirstBlocksOpen(client, part);
      await client.query(`alter index message_by_recipient attach partition ${part}_by_recipient`);
    }
    return lacking;
  });
}

/**
 * Takes away the summary that PostgreSQL makes of the first range of blocks when it builds the index of an empty or small table. With it,
 * nearly each of the first 2,000 messages would write the filter of 2 KB anew. The range is summarised when the next one begins.
 */
export async function leaveFirstBlocksOpen(client: pg.ClientBase, part: string): Promise<void> {
  await client.query(
    `select brin_desummarize_range(x.indexrelid, 0)
       from pg_index x join pg_class i on i.oid = x.indexrelid join pg_am kind on kind.oid = i.relam and kind.amname = 'brin'
      where x.indrelid = $1::regclass and pg_relation_size(x.indrelid) < ${pagesPerRange} * current_setting('block_size')::integer`,
    [part],
  );
}

async function listUnindexedParts(db: Database): Promise<readonly string[]> {
  const rows = await db.query<{ name: string }>({
    name: "listUnindexedParts",
    text: `/* listUnindexedParts */
select part.relname as name
  from pg_inherits i join pg_class part on part.oid = i.inhrelid
 where i.inhparent = 'message'::regclass
   and not exists (select from pg_inherits attached join pg_index x on x.indexrelid = attached.inhrelid
                    where attached.inhparent = 'message_by_recipient'::regclass and x.indrelid = part.oid)
 order by part.relname desc`,
    values: [],
  });
  return rows.map(({ name }) => name);
}
