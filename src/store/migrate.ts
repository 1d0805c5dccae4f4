// Migrates a database to the schema of this program: the numbered files of db/migrations, forward
// only, each in one transaction. Never changes a newer schema, and refuses to use one that is newer
// and breaking.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type pg from "pg";
import { classify, DatabaseUnfit, TransactionConflict } from "./database-errors.ts";
import type { Database } from "./database.ts";

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly text: string;
  /** A program that does not know this migration cannot use the schema after it. */
  readonly breaking: boolean;
  readonly checksum: string;
}

/** A newer program migrated the database to a schema that this program cannot use. */
export class SchemaTooNew extends DatabaseUnfit {
  override readonly name = "SchemaTooNew";

  constructor(name: string) {
    super(
      `the database has a newer schema (migration ${name}) that this version of Hodhod cannot use: ` +
        "start the newer version",
    );
  }
}

/**
 * The database lacks migrations of this program, or has no Hodhod tables. Commands that only read
 * do not migrate it.
 */
export class SchemaTooOld extends DatabaseUnfit {
  override readonly name = "SchemaTooOld";
  /** The first missing migration; undefined when all are missing. */
  readonly missing: string | undefined;

  constructor(missing?: string) {
    super(
      missing === undefined
        ? "the database has no tables of Hodhod"
        : `the database has the schema of an older version of Hodhod (migration ${missing} is missing)`,
    );
    this.missing = missing;
  }
}

const oldestServer = 140_000;
// An arbitrary number that no other program on the same database uses.
const migrationLock = 4_718_281_001;

const defaultLockTimeoutMs = 5_000;

const folder = fileURLToPath(new URL("../../db/migrations/", import.meta.url));

/** The migrations of this program, in order. */
export function readMigrations(from: string = folder): readonly Migration[] {
  const names = readdirSync(from).filter((name) => /^\d{4}_\w+\.sql$/.test(name));
  return names.sort().map((fileName, index) => {
    const text = readFileSync(`${from}/${fileName}`, "utf8").replaceAll("\r\n", "\n");
    const header = /^-- (safe|breaking)$/m.exec(text.slice(0, text.indexOf("\n")));
    const number = Number(fileName.slice(0, 4));
    if (!header) throw new Error(`${fileName} must begin with "-- safe" or "-- breaking"`);
    if (number !== index + 1) throw new Error(`${fileName} is not migration number ${index + 1}, which comes next`);
    const checksum = createHash("sha256").update(text).digest("hex");
    return { number, name: fileName.replace(/\.sql$/, ""), text, breaking: header[1] === "breaking", checksum };
  });
}

export interface MigrateOptions {
  readonly migrations?: readonly Migration[];
  /** Told of each migration that was applied; of a new database, of all in one line. */
  readonly progress?: (line: string) => void;
  readonly lockTimeoutMs?: number;
}

/**
 * Applies the missing migrations and returns their names. Several nodes may call it at once: a lock
 * in the database serializes them. Throws DatabaseUnfit if others hold a table for too long.
 */
export async function migrate(db: Database, options: MigrateOptions = {}): Promise<readonly string[]> {
  const { migrations = readMigrations(), lockTimeoutMs = defaultLockTimeoutMs } = options;
  return db.dedicatedSession(async (client) => {
    await checkServer(client);
    const applied: string[] = [];
    for (;;) {
      const next = await applyNext(client, migrations, lockTimeoutMs);
      if (next === undefined) break;
      applied.push(next);
      // Somebody who starts for the first time has not asked how the tables came to be as they are.
      if (applied[0] !== migrations[0]?.name) options.progress?.(`applied migration ${next}`);
    }
    if (applied[0] === migrations[0]?.name)
      options.progress?.(`created the tables, up to migration ${applied.at(-1) ?? ""}`);
    return applied;
  });
}

/**
 * Throws SchemaTooNew if a newer program has migrated the database beyond this one. For running
 * nodes.
 */
export async function checkSchema(db: Database, migrations = readMigrations()): Promise<void> {
  pendingAfter(await readAppliedMigrations(db), migrations);
}

/**
 * Throws SchemaTooOld or SchemaTooNew unless this program can read the database as it is. Changes
 * nothing.
 */
export async function expectSchema(db: Database): Promise<void> {
  const [{ found } = { found: false }] = await db.query<{ found: boolean }>(
    "hasMigrations",
    "select to_regclass('schema_migration') is not null as found",
  );
  const applied = found ? await readAppliedMigrations(db) : [];
  if (applied.length === 0) throw new SchemaTooOld();
  const pending = pendingAfter(applied, readMigrations());
  if (pending) throw new SchemaTooOld(pending.name);
}

async function readAppliedMigrations(db: Database): Promise<readonly AppliedMigration[]> {
  return db.query<AppliedMigration>("listAppliedMigrations", listApplied);
}

export interface AppliedMigration {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
  readonly breaking: boolean;
}

const listApplied = `select number, name, checksum, breaking from schema_migration order by number`;

async function checkServer(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ version: number; encoding: string }>(
    `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding`,
  );
  const { version = 0, encoding = "" } = rows[0] ?? {};
  if (version < oldestServer) {
    throw new DatabaseUnfit(`PostgreSQL 14 or newer is needed; this server is ${Math.floor(version / 10_000)}`);
  }
  if (encoding !== "UTF8") {
    throw new DatabaseUnfit(`the database must be created with encoding UTF8; this one has ${encoding}`);
  }
}

/**
 * Checks, applies one migration and records it, in one transaction. Returns its name; undefined:
 * none is missing.
 */
async function applyNext(
  client: pg.ClientBase,
  migrations: readonly Migration[],
  lockTimeoutMs: number,
): Promise<string | undefined> {
  let next: Migration | undefined;
  try {
    await client.query("begin");
    await lockSchema(client);
    next = pendingAfter(await listAppliedMigrations(client), migrations);
    // Not before: the migration of another node may take long. What waits for a table keeps all
    // others from it.
    await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
    if (next) await applyMigration(client, next);
    await client.query("commit");
    return next?.name;
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    if (next === undefined || !(classify(error, true) instanceof TransactionConflict)) throw error;
    throw new DatabaseUnfit(
      `migration ${next.name} waits for a table that another session uses (a backup, psql): nothing of it was applied. ` +
        "Start again when that session has ended its transaction",
    );
  }
}

/**
 * Until the end of the transaction nobody else can read or change the list of applied migrations.
 */
export async function lockSchema(client: pg.ClientBase): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(${migrationLock})`);
  await client.query(
    `create table if not exists schema_migration (
       number     integer primary key,
       name       text not null,
       checksum   text not null,
       breaking   boolean not null,
       applied_at timestamptz not null default now()
     )`,
  );
}

export async function listAppliedMigrations(client: pg.ClientBase): Promise<readonly AppliedMigration[]> {
  return (await client.query<AppliedMigration>(listApplied)).rows;
}

/** Runs in the caller's transaction. */
export async function applyMigration(client: pg.ClientBase, migration: Migration): Promise<void> {
  await client.query(migration.text);
  await client.query("insert into schema_migration (number, name, checksum, breaking) values ($1, $2, $3, $4)", [
    migration.number,
    migration.name,
    migration.checksum,
    migration.breaking,
  ]);
}

/**
 * The tables that the migrations create; they belong to Hodhod, whatever else is in the database.
 */
export function tablesOf(migrations: readonly Migration[]): readonly string[] {
  const made = migrations.flatMap(({ text }) =>
    [...text.matchAll(/^create (?:unlogged )?table (\w+)/gm)].map((match) => match[1] ?? ""),
  );
  return [...new Set(made)];
}

/** The migration to apply next. Throws if the database and this program do not match. */
function pendingAfter(applied: readonly AppliedMigration[], migrations: readonly Migration[]): Migration | undefined {
  for (const row of applied) {
    const ours = migrations[row.number - 1];
    if (!ours && row.breaking) throw new SchemaTooNew(row.name);
    if (ours && ours.checksum !== row.checksum) {
      throw new DatabaseUnfit(`migration ${row.name} of this database differs from the one of this version of Hodhod`);
    }
  }
  return migrations.find(({ number }) => !applied.some((row) => row.number === number));
}
