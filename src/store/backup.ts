// Writes all stored data to one file, as of one moment, while gateways keep running. Needs only a
// database connection: the rows are read with COPY.
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { tableEnd, type BackupHeader, type BackupTable } from "./backup-file.ts";
import { DatabaseUnfit } from "./database-errors.ts";
import type { Database } from "./database.ts";
import { type AppliedMigration, listAppliedMigrations, readMigrations, tablesOf } from "./migrate.ts";
import { listWeeks } from "./partitions.ts";

export interface BackupResult {
  readonly rows: number;
  readonly tables: number;
}

const progressEveryMs = 2000;

export interface BackupOptions {
  /** Replaces an existing file of that name; otherwise an existing file is an error (EEXIST). */
  readonly replace?: boolean;
  readonly progress?: (line: string) => void;
}

/**
 * The file appears under its name only when it is complete and on disk. It contains secrets, so
 * only its owner may read it.
 */
export async function backup(db: Database, file: string, options: BackupOptions = {}): Promise<BackupResult> {
  const { replace = false, progress = () => undefined } = options;
  const partial = `${file}.${randomUUID()}.partial`;
  // Opened before the database is used, so that a file error is not reported as a database error.
  const handle = await open(partial, "wx", 0o600);
  const removePartial = (): void => rmSync(partial, { force: true });
  // After a signal, the process ends without the lines below.
  process.once("exit", removePartial);
  try {
    const result = await db.dedicatedSession(async (client) => {
      // One snapshot for all tables.
      await client.query("begin isolation level repeatable read read only");
      const header = await readHeader(client);
      let rows = 0;
      const all = writeAll(client, header, (count) => (rows += count), progress);
      await pipeline(Readable.from(all), createGzip({ level: 3 }), handle.createWriteStream({ flush: true }));
      await client.query("commit");
      return { rows, tables: header.tables.length };
    });
    // Reserves the name: throws EEXIST if it is taken.
    if (!replace) await (await open(file, "wx", 0o600)).close();
    await rename(partial, file);
    return result;
  } finally {
    process.off("exit", removePartial);
    removePartial();
    await handle.close();
  }
}

async function* writeAll(
  client: pg.ClientBase,
  header: BackupHeader,
  onTable: (rows: number) => void,
  progress: (line: string) => void,
): AsyncGenerator<Buffer> {
  let nextLine = Date.now() + progressEveryMs;
  yield line(header);
  for (const table of header.tables) {
    yield line({ table: table.name });
    // COPY cannot read a partitioned table directly, but it can read a query on it.
    const stream = client.query(copyTo(`copy (select ${columnList(table)} from ${quote(table.name)}) to stdout`));
    let bytes = 0;
    for await (const chunk of stream) {
      yield chunk as Buffer;
      bytes += (chunk as Buffer).length;
      if (Date.now() < nextLine) continue;
      progress(`${table.name}: ${Math.round(bytes / 1_000_000)} MB`);
      nextLine = Date.now() + progressEveryMs;
    }
    onTable(stream.rowCount);
    yield tableEnd;
  }
}

function line(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

export function quote(name: string): string {
  return pg.escapeIdentifier(name);
}

export function columnList(table: BackupTable): string {
  return table.columns.map(quote).join(", ");
}

async function readHeader(client: pg.ClientBase): Promise<BackupHeader> {
  const { rows } = await client.query<{ migrated: boolean }>(
    "select to_regclass('schema_migration') is not null as migrated",
  );
  if (rows[0]?.migrated !== true) throw new DatabaseUnfit("the database has no tables of Hodhod");
  const applied = await listAppliedMigrations(client);
  refuseNewer(applied);
  const tables = await listTables(client);
  // Prevents anyone from dropping or altering a table until the end.
  await client.query(`lock table ${tables.map(({ name }) => quote(name)).join(", ")} in access share mode`);
  const migrations = applied.map(({ number, name, checksum }) => ({ number, name, checksum }));
  const sequences = await client.query<{ name: string; last: string }>(
    `select sequencename as name, last_value::text as last from pg_sequences
     where schemaname = current_schema() and last_value is not null order by sequencename`,
  );
  return {
    format: "hodhod-backup",
    version: 1,
    createdAt: new Date().toISOString(),
    migrations,
    tables,
    weeks: await listWeeks(client),
    sequences: sequences.rows,
  };
}

/** A newer version may have tables that this one does not know, and would leave out. */
function refuseNewer(applied: readonly AppliedMigration[]): void {
  const known = readMigrations().length;
  const newer = applied.find(({ number }) => number > known);
  if (newer === undefined) return;
  throw new DatabaseUnfit(
    `the database has a newer schema (migration ${newer.name}), of which this version of Hodhod would save only a part: ` +
      "use hodhod backup of the newer version",
  );
}

/**
 * Hodhod's tables with their columns in the order of their creation: a table refers only to tables
 * before it.
 */
export async function listTables(client: pg.ClientBase): Promise<readonly BackupTable[]> {
  const tables = await client.query<BackupTable>(
    `select relname as name, array_agg(attname::text order by attnum) as columns
     from pg_class join pg_attribute on attrelid = pg_class.oid
     where relnamespace = current_schema()::regnamespace and relname = any($1)
       and attnum > 0 and not attisdropped and attgenerated = ''
     group by relname order by array_position($1, relname::text)`,
    [tablesOf(readMigrations())],
  );
  return tables.rows;
}
