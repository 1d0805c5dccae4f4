// Adds indexes to partitions that an older version created, to tables without partitions, and to
// weeks that are over, one at a time and without a lock that blocks writers. New partitions are
// created with those that the migrations know.
import type pg from "pg";
import type { Database } from "./database.ts";

/** An arbitrary number that no other lock of the program uses. */
const indexLock = 4_718_281_003;
/** The most blocks that one summary stands for. */
const pagesPerRange = 64;

interface BackgroundIndex {
  readonly table: string;
  /** Of the index; each partition has its own with this ending. */
  readonly ending: string;
  /** For partitions as in the migration that made the parent's. */
  readonly definition: string;
  /** No migration knows it. */
  readonly isWhole?: true;
}

const backgroundIndexes: readonly BackgroundIndex[] = [
  {
    table: "message",
    ending: "by_recipient",
    definition: `brin (recipient text_bloom_ops (n_distinct_per_range = 330, false_positive_rate = 0.005))
           with (pages_per_range = 16, autosummarize = on)`,
  },
  {
    table: "message",
    ending: "by_id",
    definition: `brin (id uuid_minmax_multi_ops (values_per_range = 8)) with (pages_per_range = ${pagesPerRange}, autosummarize = on)`,
  },
  {
    table: "submission",
    ending: "by_message",
    definition: `brin (message_id uuid_minmax_multi_ops) with (pages_per_range = ${pagesPerRange}, autosummarize = on)`,
  },
  {
    table: "inbound_message",
    ending: "by_id",
    definition: "brin (id uuid_minmax_multi_ops) with (pages_per_range = 16, autosummarize = on)",
    isWhole: true,
  },
];

/**
 * Whoever makes indexes or drops weeks holds it, until the end of its session: a drop that waited
 * for an index would hold up all writers.
 */
export async function takeIndexLock(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ isOurs: boolean }>(`select pg_try_advisory_lock(${indexLock}) as "isOurs"`);
  return rows[0]?.isOurs === true;
}

/**
 * Returns the names of the indexes it made; none when another node is doing this. The signal ends
 * it in the middle of an index.
 */
export async function buildIndexes(db: Database, signal?: AbortSignal): Promise<readonly string[]> {
  const made: string[] = [];
  for (const index of backgroundIndexes) made.push(...(await buildIndex(db, index, signal)));
  return made;
}

async function buildIndex(db: Database, index: BackgroundIndex, signal?: AbortSignal): Promise<readonly string[]> {
  const { table, ending, definition, isWhole = false } = index;
  const list = () =>
    isWhole ? listUnindexed(db, [table], ending) : listUnindexedParts(db, table, `${table}_${ending}`);
  return build(db, { list, ending, definition, signal }, async (client, part) => {
    await leaveFirstBlocksOpen(client, part);
    if (!isWhole) await client.query(`alter index ${table}_${ending} attach partition ${part}_${ending}`);
  });
}

/** Costs no accepted message anything: a week that is over gets none. */
const closedWeekIndex = { ending: "to_number", definition: "btree (recipient, id)" };

/**
 * Gives weeks of messages that are over a tree by recipient, beside the summary of blocks: their
 * messages to a number are found at once. `parts`: the partitions. Otherwise as `buildIndexes`.
 */
export async function indexClosedWeeks(
  db: Database,
  parts: readonly string[],
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const list = () => listUnindexed(db, parts, closedWeekIndex.ending);
  return build(db, { list, ...closedWeekIndex, signal });
}

interface WantedIndexes {
  /** Tables that lack it. */
  readonly list: () => Promise<readonly string[]>;
  readonly ending: string;
  readonly definition: string;
  readonly signal: AbortSignal | undefined;
}

async function build(
  db: Database,
  { list, ending, definition, signal }: WantedIndexes,
  finish?: (client: pg.ClientBase, table: string) => Promise<void>,
): Promise<readonly string[]> {
  if (signal?.aborted === true || (await list()).length === 0) return [];
  return db.dedicatedSession(async (client) => {
    if (!(await takeIndexLock(client))) return [];
    const made: string[] = [];
    // Another node may have made some meanwhile.
    for (const table of await list()) {
      signal?.throwIfAborted();
      // The remains of an interrupted attempt are unused.
      await client.query(`drop index concurrently if exists ${table}_${ending}`);
      await client.query(`create index concurrently ${table}_${ending} on ${table} using ${definition}`);
      await finish?.(client, table);
      made.push(`${table}_${ending}`);
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

async function listUnindexedParts(db: Database, table: string, index: string): Promise<readonly string[]> {
  const rows = await db.query<{ name: string }>({
    name: "listUnindexedParts",
    text: `/* listUnindexedParts */
select part.relname as name
  from pg_inherits i join pg_class part on part.oid = i.inhrelid
 where i.inhparent = $1::text::regclass
   and not exists (select from pg_inherits attached join pg_index x on x.indexrelid = attached.inhrelid
                    where attached.inhparent = $2::text::regclass and x.indrelid = part.oid)
 order by part.relname desc`,
    values: [table, index],
  });
  return rows.map(({ name }) => name);
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
