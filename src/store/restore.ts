// Restores a backup: checks the file and the database first, then replaces all stored data in one
// transaction, so that a failed restore changes nothing.
import { once } from "node:events";
import type pg from "pg";
import { type CopyStreamQuery, from as copyFrom } from "pg-copy-streams";
import { BackupDamaged, type BackupHeader, type BackupTable, readBackup } from "./backup-file.ts";
import { type Actor, insertAuditEntries } from "./audit.ts";
import { type BackupResult, columnList, listTables, quote } from "./backup.ts";
import { DatabaseUnfit, lockNotAvailable, TransactionConflict } from "./database-errors.ts";
import { type AskedStatement, type Database, type Queryable, statementOf } from "./database.ts";
import { applyMigration, lockSchema, type Migration, readMigrations, tablesOf } from "./migrate.ts";
import { ensurePartitions, makeAllParts, readDatabaseTime, weekOfName } from "./partitions.ts";
import { beginNextEra } from "./wanted-events.ts";
import { CommandFailed } from "../platform/command-failed.ts";

export interface RestoreOptions {
  /** Replaces the data of a database in use. */
  readonly force?: boolean;
  /** The result of checkBackup for this file; if absent, the file is checked first. */
  readonly header?: BackupHeader;
  readonly progress?: (line: string) => void;
  /** How long it waits for a lock that another session holds. */
  readonly lockTimeoutMs?: number;
  /** Who restores, for the audit of what is restored. */
  readonly by?: Actor;
  /** Those of this program; absent: of db/migrations. */
  readonly migrations?: readonly Migration[];
}

const progressEveryMs = 2000;
const usualLockTimeoutMs = 10_000;

export async function restore(db: Database, file: string, options: RestoreOptions = {}): Promise<BackupResult> {
  const { force = false, progress = () => undefined, lockTimeoutMs = usualLockTimeoutMs } = options;
  const header = options.header ?? (await checkBackup(file));
  const { migrations: ours = readMigrations() } = options;
  const had = knownMigrations(header, ours);
  const work = db.dedicatedSession(async (client) => {
    await client.query("begin");
    await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
    // The rows that are loaded are no changes.
    await client.query("set local hodhod.restoring = 'on'");
    await lockSchema(client);
    await refuseUnlessFree(client, force);
    await rebuildSchema(client, header, had, ours);
    const tables = await checkedTables(client, header);
    // Migrations may insert rows (a first configuration); the backup contains them in their last
    // state.
    await client.query(`truncate ${[...tables.keys()].map(quote).join(", ")} cascade`);
    const count = await load(client, file, tables, progress);
    for (const { name, last } of header.sequences) {
      await client.query("select setval($1::regclass, $2)", [quote(name), last]);
    }
    for (const migration of ours.slice(had.length)) await applyMigration(client, migration);
    await beginNextEra(queryable(client));
    // One that was ended after the backup must not come back.
    await client.query("delete from console_session");
    // No gateway uses the copy, whatever lease the one of the backup had: nodes that start settle its
    // claims. What it reported each second would be shown as a node that has fallen silent.
    await client.query("update node set lease_until = least(lease_until, now())");
    await client.query("delete from node_figures");
    await client.query("update campaign set state = 'paused', pause_reason = 'restored' where state = 'sending'");
    if (options.by) await auditRestore(client, options.by, count);
    progress("committing");
    await client.query("commit");
    await client.query("analyze");
    return count;
  });
  const rows = await work.catch((error: unknown) => {
    throw error instanceof TransactionConflict && error.code === lockNotAvailable ? heldByAnother() : error;
  });
  await ensurePartitions(db, await readDatabaseTime(db));
  return { rows, tables: header.tables.length };
}

function heldByAnother(): CommandFailed {
  return new CommandFailed(
    "another session holds tables of this database (a backup, a migration, psql): nothing was changed; " +
      "wait for its end, or end it, and restore again (docs/operate/backup-and-upgrade.md)",
  );
}

async function auditRestore(client: pg.ClientBase, by: Actor, rows: number): Promise<void> {
  await insertAuditEntries(queryable(client), by, [
    { action: "change", kind: "database", name: "restore", after: { rows } },
  ]);
}

function queryable(client: pg.ClientBase): Queryable {
  return {
    query: async <Row>(...asked: AskedStatement) => {
      const { text, values } = statementOf(asked);
      return (await client.query(text, [...values])).rows as Row[];
    },
  };
}

/** Reads the whole file once, before anything is changed. */
export async function checkBackup(file: string): Promise<BackupHeader> {
  let header: BackupHeader | undefined;
  for await (const item of readBackup(file)) if (item.kind === "header") header = item.header;
  if (!header) throw new BackupDamaged("it is empty");
  return header;
}

/** The migrations that the backup's database had. This program must know all of them. */
function knownMigrations(header: BackupHeader, ours: readonly Migration[]): readonly Migration[] {
  return header.migrations.map(({ number, name, checksum }) => {
    const migration = ours[number - 1];
    if (migration?.checksum === checksum) return migration;
    throw new CommandFailed(`the backup is from another version of Hodhod (migration ${name} is unknown here)`);
  });
}

async function refuseUnlessFree(client: pg.ClientBase, force: boolean): Promise<void> {
  const exists = async (table: string, condition = "true") => {
    const known = await client.query<{ known: boolean }>("select to_regclass($1) is not null as known", [table]);
    if (known.rows[0]?.known !== true) return false;
    return (await client.query(`select from ${table} where ${condition} limit 1`)).rowCount === 1;
  };
  if (await exists("node", "lease_until > now()")) {
    throw new CommandFailed("a gateway is using this database: stop it first (its lease ends 10 s after a kill -9)");
  }
  if (force) return;
  const tables = {
    account: "true",
    configured_object: "section = 'connectors'",
    message: "true",
    inbound_message: "true",
  };
  for (const [table, condition] of Object.entries(tables))
    if (await exists(table, condition))
      throw new CommandFailed("the database is not empty: use --force to replace everything in it");
}

/** Creates an empty schema as it was when the backup was made. */
async function rebuildSchema(
  client: pg.ClientBase,
  header: BackupHeader,
  had: readonly Migration[],
  ours: readonly Migration[],
): Promise<void> {
  const newer = await client.query("select from schema_migration where number > $1", [ours.length]);
  if (newer.rowCount !== 0) throw new DatabaseUnfit("the database has a newer schema than this version of Hodhod");
  await client.query(`drop table if exists ${tablesOf(ours).map(quote).join(", ")} cascade`);
  await client.query("delete from schema_migration");
  for (const migration of had) await applyMigration(client, migration);
  await makeAllParts(
    client,
    header.weeks.flatMap((week) => weekOfName(week) ?? []),
  );
}

/** The file names tables and columns. They are put into statements only if the schema has them. */
async function checkedTables(client: pg.ClientBase, header: BackupHeader): Promise<ReadonlyMap<string, BackupTable>> {
  const real = new Map((await listTables(client)).map((table) => [table.name, table]));
  for (const { name, columns } of header.tables) {
    const table = real.get(name);
    const unknown = columns.find((column) => !table?.columns.includes(column));
    if (!table || unknown !== undefined) throw new BackupDamaged(`it contains an unknown table or column (${name})`);
  }
  const tables = new Map(header.tables.map((table) => [table.name, table]));
  const missing = [...real.keys()].filter((name) => !tables.has(name));
  if (missing.length > 0) throw new BackupDamaged(`it lacks tables of its schema (${missing.join(", ")})`);
  return tables;
}

async function load(
  client: pg.ClientBase,
  file: string,
  tables: ReadonlyMap<string, BackupTable>,
  progress: (line: string) => void,
): Promise<number> {
  let rows = 0;
  let stream: CopyStreamQuery | undefined;
  let nextLine = Date.now() + progressEveryMs;
  for await (const item of readBackup(file)) {
    if (item.kind === "table") {
      const table = tables.get(item.name);
      if (!table) throw new BackupDamaged(`it contains rows of a table that its header does not list (${item.name})`);
      stream = openCopy(client, table);
    } else if (item.kind === "rows" && stream) {
      rows += item.count;
      await write(stream, item.lines);
    } else if (item.kind === "tableEnd" && stream) {
      await end(stream);
      stream = undefined;
    }
    if (Date.now() >= nextLine) {
      progress(`${rows} rows`);
      nextLine = Date.now() + progressEveryMs;
    }
  }
  return rows;
}

/**
 * The next write, or the end, throws a refusal of the server; until then it must not end the
 * process.
 */
function openCopy(client: pg.ClientBase, table: BackupTable): CopyStreamQuery {
  const stream = client.query(copyFrom(`copy ${quote(table.name)} (${columnList(table)}) from stdin`));
  stream.on("error", () => undefined);
  return stream;
}

/** Waits when the server is slower than the file. */
async function write(stream: CopyStreamQuery, lines: Buffer): Promise<void> {
  if (stream.errored) throw stream.errored;
  if (!stream.write(lines)) await once(stream, "drain");
}

async function end(stream: CopyStreamQuery): Promise<void> {
  if (stream.errored) throw stream.errored;
  const finished = once(stream, "finish");
  stream.end();
  await finished;
}
