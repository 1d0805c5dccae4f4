// Partitions the big tables by week (from Monday 00:00 UTC), so that old rows are removed by
// dropping a table. Creates weeks in advance, and adds indexes to weeks that are over, one at a time and
// without a lock that blocks writers. A default partition takes rows of missing weeks, and returns them
// when the week is created.
import { messageStatus } from "../sms/message-status.ts";
import { type Database, onlyOf, type Queryable, type Statement } from "./database.ts";
import { latestUuidMs, uuidFloor, uuidv7 } from "../platform/uuid.ts";
import type pg from "pg";

const weekMs = 7 * 24 * 3600 * 1000;
/** 1970-01-05 was the first Monday. */
const firstMondayMs = 4 * 24 * 3600 * 1000;
const weeksAhead = 4;
/** A node gives ids the time of its own clock. */
const clockToleranceMs = 3600 * 1000;
/** Writers must not wait long behind a reader of the table; the next round tries again. */
const lockTimeoutMs = 5000;
const partitionLock = 4_718_281_002;

interface PartitionedTable {
  readonly name: string;
  /** The partition column: a UUIDv7, or a time. */
  readonly key: "id" | "submitted_at" | "received_at" | "at";
  /** Storage parameters of the partitions; a partitioned table itself can have none. */
  readonly storage: string;
}

const partitionedTables: readonly PartitionedTable[] = [
  // Leaves room on each page for new versions of all its rows at once, because messages that came together
  // are answered together: none of their two or three updates changes an index. With less room half of
  // them do, and what they leave behind takes more room than was saved.
  { name: "message", key: "id", storage: "fillfactor = 50" },
  { name: "ledger_entry", key: "id", storage: "fillfactor = 100" },
  { name: "submission", key: "submitted_at", storage: "fillfactor = 100" },
  { name: "receipt", key: "received_at", storage: "fillfactor = 100" },
  { name: "event", key: "at", storage: "fillfactor = 100" },
];

/** Monday 00:00 UTC of the week that contains the time. */
export function weekStart(time: Date): Date {
  return new Date(Math.floor((time.getTime() - firstMondayMs) / weekMs) * weekMs + firstMondayMs);
}

/** Its date: "2026_11_16". */
export function weekName(monday: Date): string {
  return monday.toISOString().slice(0, 10).replaceAll("-", "_");
}

/** The Monday of a week's name; undefined for any other text. */
export function weekOfName(name: string): Date | undefined {
  const time = Date.parse(name.replaceAll("_", "-"));
  if (Number.isNaN(time)) return undefined;
  const monday = weekStart(new Date(time));
  return weekName(monday) === name ? monday : undefined;
}

/** The time for all nodes. One node's clock may be years off, and would drop the wrong weeks. */
export async function readDatabaseTime(db: Database): Promise<Date> {
  const row = await onlyOf(db.query<{ now: Date }>("readDatabaseTime", "select now()"));
  return row.now;
}

/**
 * Creates the missing partitions: the default ones, this week's and those of the next weeks.
 * Returns their names.
 */
export async function ensurePartitions(db: Database, now: Date): Promise<readonly string[]> {
  const monday = weekStart(now).getTime();
  const weeks = Array.from({ length: weeksAhead + 1 }, (_, ahead) => new Date(monday + ahead * weekMs));
  return ensureWeeks(db, weeks);
}

/** Creates the missing partitions among the default ones and those of these weeks. */
export async function ensureWeeks(db: Database, mondays: readonly Date[]): Promise<readonly string[]> {
  const existing = new Set((await db.query<{ name: string }>(listPartitions)).map(({ name }) => name));
  const missing = missingParts(existing, mondays);
  if (missing.length === 0) return [];
  return db.dedicatedSession(async (client) => {
    await client.query(`set lock_timeout = ${lockTimeoutMs}`);
    const made: string[] = [];
    for (const part of missing) {
      if (await changePart(client, { name: part.name, exists: false }, () => makePart(client, part)))
        made.push(part.name);
    }
    return made;
  });
}

/**
 * Drops partitions that end at or before the cutoff. Their money is carried forward in the same
 * transaction: one entry per account with the sum. A week with a waiting message (one may be
 * scheduled 366 days ahead) is kept until the message has ended. Events may have a cutoff of their
 * own.
 */
export async function dropPartitionsBefore(
  db: Database,
  cutoff: Date,
  cutoffOfEvents: Date = cutoff,
): Promise<readonly string[]> {
  const rows = await db.query<{ name: string; parent: string }>(listPartitions);
  const old = rows.flatMap(({ name, parent }) => {
    const monday = weekOfName(name.slice(parent.length + 1));
    const ends = monday && monday.getTime() + weekMs;
    const until = parent === "event" ? cutoffOfEvents : cutoff;
    return ends !== undefined && ends <= until.getTime() ? [{ name, parent, ends }] : [];
  });
  if (old.length === 0) return [];
  return db.dedicatedSession(async (client) => {
    // Another node drops them, or an index is being made: the next round comes.
    if (!(await takeIndexLock(client))) return [];
    await client.query(`set lock_timeout = ${lockTimeoutMs}`);
    const dropped: string[] = [];
    for (const part of old.sort((one, other) => one.ends - other.ends)) {
      if (part.parent === "message" && (await holdsWaiting(client, part.name))) continue;
      await changePart(client, { name: part.name, exists: true }, () => dropPart(client, part));
      dropped.push(part.name);
    }
    return dropped;
  });
}

const listPartitions: Statement = {
  name: "listPartitions",
  text: `/* listPartitions */
    select part.relname as name, parent.relname as parent
    from pg_inherits
    join pg_class part on part.oid = pg_inherits.inhrelid and part.relispartition and part.relkind = 'r'
    join pg_class parent on parent.oid = pg_inherits.inhparent
    where parent.relnamespace = current_schema()::regnamespace and parent.relkind = 'p'
    order by part.relname`,
  values: [],
};

interface MissingPart {
  readonly table: PartitionedTable;
  readonly name: string;
  /** Absent for the default partition. */
  readonly monday?: Date;
}

function missingParts(existing: ReadonlySet<string>, mondays: readonly Date[]): readonly MissingPart[] {
  const wanted = partitionedTables.flatMap((table): MissingPart[] => [
    { table, name: `${table.name}_default` },
    ...mondays.map((monday) => ({ table, name: `${table.name}_${weekName(monday)}`, monday })),
  ]);
  return wanted.filter(({ name }) => !existing.has(name));
}

/**
 * Makes or drops one partition in its own transaction, unless another node has just done so.
 * Returns whether it did.
 */
async function changePart(
  client: pg.ClientBase,
  { name, exists }: { readonly name: string; readonly exists: boolean },
  change: () => Promise<unknown>,
): Promise<boolean> {
  await client.query("begin");
  try {
    await client.query(`select pg_advisory_xact_lock(${partitionLock})`);
    const { rows } = await client.query<{ known: boolean }>("select to_regclass($1) is not null as known", [name]);
    const isOurs = rows[0]?.known === exists;
    if (isOurs) await change();
    await client.query("commit");
    return isOurs;
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
}

async function makePart(client: pg.ClientBase, { table, name, monday }: MissingPart): Promise<void> {
  await client.query(`create table ${name} (like ${table.name} including all) with (${table.storage})`);
  await leaveFirstBlocksOpen(client, name);
  if (monday) await attachWeek(client, table, name, monday);
  else await client.query(`alter table ${table.name} attach partition ${name} default`);
}

/**
 * Creates all partitions of new tables within the caller's transaction, for restore. The schema may
 * be an earlier one, which has fewer tables.
 */
export async function makeAllParts(client: pg.ClientBase, mondays: readonly Date[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relkind = 'p' and relnamespace = current_schema()::regnamespace",
  );
  const tables = new Set(rows.map(({ name }) => name));
  for (const part of missingParts(new Set(), mondays)) if (tables.has(part.table.name)) await makePart(client, part);
}

export interface MessageParts {
  /** The latest first. */
  readonly weeks: readonly { readonly monday: Date; readonly name: string }[];
  /** With messages of weeks that have none: the default one. */
  readonly others: readonly string[];
}

/** The partitions of `message`. */
export async function listMessageParts(db: Queryable): Promise<MessageParts> {
  const rows = await db.query<{ name: string; parent: string }>(listPartitions);
  const named = rows.flatMap(({ name, parent }) =>
    parent === "message" ? [{ name, monday: weekOfName(name.slice(parent.length + 1)) }] : [],
  );
  const weeks = named.flatMap(({ name, monday }) => (monday === undefined ? [] : [{ name, monday }]));
  return {
    weeks: weeks.sort((one, other) => other.monday.getTime() - one.monday.getTime()),
    others: named.flatMap(({ name, monday }) => (monday === undefined ? [name] : [])),
  };
}

/** The Mondays of the weeks that have a partition of `message`, the latest first. */
export async function listMessageWeeks(db: Queryable): Promise<readonly Date[]> {
  return (await listMessageParts(db)).weeks.map(({ monday }) => monday);
}

/** The partitions of messages whose week is over, for every node's clock. */
export async function listClosedMessageParts(db: Queryable, now: Date): Promise<readonly string[]> {
  const { weeks } = await listMessageParts(db);
  const closed = weeks.filter(({ monday }) => monday.getTime() + weekMs + clockToleranceMs <= now.getTime());
  return closed.map(({ name }) => name);
}

/** The names of the weeks that have a partition. */
export async function listWeeks(client: pg.ClientBase): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string; parent: string }>(listPartitions.text);
  const names = rows.map(({ name, parent }) => name.slice(parent.length + 1));
  return [...new Set(names.filter((name) => weekOfName(name)))].sort();
}

/**
 * Moves the week's rows from the default partition into its own partition before that is attached.
 */
async function attachWeek(client: pg.ClientBase, table: PartitionedTable, name: string, monday: Date): Promise<void> {
  const [from, to] = bounds(table, monday);
  const within = `${table.key} >= ${from} and ${table.key} < ${to}`;
  await client.query(`lock table ${table.name}_default in access exclusive mode`);
  await client.query(
    `with moved as (delete from ${table.name}_default where ${within} returning *) insert into ${name} select * from moved`,
  );
  await client.query(`alter table ${table.name} attach partition ${name} for values from (${from}) to (${to})`);
}

/**
 * The ids of the week's messages are from the first (included) to the second (excluded), as far as
 * an id can hold the time.
 */
export function weekOfIds(monday: Date): readonly [string, string] {
  const from = Math.max(0, monday.getTime());
  return [uuidFloor(from), uuidFloor(Math.min(latestUuidMs, monday.getTime() + weekMs))];
}

function bounds(table: PartitionedTable, monday: Date): readonly [string, string] {
  const next = new Date(monday.getTime() + weekMs);
  if (table.key === "id") {
    const [from, to] = weekOfIds(monday);
    return [`'${from}'`, `'${to}'`];
  }
  return [`'${monday.toISOString()}'`, `'${next.toISOString()}'`];
}

// Checked once, without a lock: a message gets its week when it is accepted, so an old week gets no
// new ones.
async function holdsWaiting(client: pg.ClientBase, name: string): Promise<boolean> {
  const { rowCount } = await client.query(`select from ${name} where status = ${messageStatus.waiting} limit 1`);
  return rowCount === 1;
}

async function dropPart(client: pg.ClientBase, part: { name: string; parent: string; ends: number }): Promise<void> {
  if (part.parent === "ledger_entry") await carryForward(client, part);
  await client.query(`drop table ${part.name}`);
}

/** The entry gets the first moment of the following week: it precedes everything that is kept. */
async function carryForward(client: pg.ClientBase, part: { name: string; ends: number }): Promise<void> {
  await client.query(`lock table ${part.name} in access exclusive mode`);
  await client.query(
    `insert into ledger_entry (account_id, id, kind, amount, messages, created_at)
     select account_id, $1, 'carried', sum(amount)::bigint, sum(messages)::integer, $2
     from ${part.name} group by account_id`,
    [uuidv7(part.ends), new Date(part.ends)],
  );
}

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
async function leaveFirstBlocksOpen(client: pg.ClientBase, part: string): Promise<void> {
  await client.query(
    `select brin_desummarize_range(x.indexrelid, 0)
       from pg_index x join pg_class i on i.oid = x.indexrelid join pg_am kind on kind.oid = i.relam and kind.amname = 'brin'
      where x.indrelid = $1::regclass and pg_relation_size(x.indrelid) < ${pagesPerRange} * current_setting('block_size')::integer`,
    [part],
  );
}

/** Those tables that are there without such an index, or with remains of an interrupted attempt. */
async function listUnindexed(db: Database, tables: readonly string[], ending: string): Promise<readonly string[]> {
  const rows = await db.query<{ name: string }>(
    "listUnindexed",
    `select name from unnest($1::text[]) name
 where to_regclass(name) is not null
   and not exists (select from pg_index where indexrelid = to_regclass(name || '_' || $2::text) and indisvalid)
 order by name desc`,
    [tables, ending],
  );
  return rows.map(({ name }) => name);
}
