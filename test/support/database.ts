// A database of its own for a test file, cloned from the migrated template in some 25 ms.
import { createHash, randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, inject } from "vitest";
import { Database, type DatabaseOptions, type Statement } from "../../src/store/database.ts";
import { withDatabase } from "./global-setup.ts";

export interface TestDatabase {
  readonly db: Database;
  /** For a further Database, a gateway in process, or a child process. */
  readonly url: string;
  /** SQL of the test itself. */
  rows<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Closes db and removes the database, whoever is still connected to it. */
  readonly drop: () => Promise<void>;
}

/** One for all tests of the file. It can be used from its first test on. */
export function useTestDatabase(options: Omit<DatabaseOptions, "url"> = {}): TestDatabase {
  const database = {} as TestDatabase;
  beforeAll(async () => {
    Object.assign(database, await createTestDatabase(options));
  });
  afterAll(() => database.drop());
  return database;
}

export async function createTestDatabase(options: Omit<DatabaseOptions, "url"> = {}): Promise<TestDatabase> {
  return create(cloneOf(inject("testCluster").template), options);
}

/**
 * A clone of a database that `prepare` filled once for all tests of this run. `contents` tells it
 * from others. It is only for what the test does not look at: the test sees the result of the first
 * of all calls.
 */
export async function createPreparedDatabase(
  contents: string,
  prepare: (db: Database) => Promise<unknown>,
  options: Omit<DatabaseOptions, "url"> = {},
): Promise<TestDatabase> {
  const name = `${inject("preparedPrefix")}${createHash("sha1").update(contents).digest("hex")}`;
  await makeOnce(name, prepare);
  return create(cloneOf(name), options);
}

const made = new Set<string>();

/** Of the test files that ask at the same time, one makes it. */
async function makeOnce(name: string, prepare: (db: Database) => Promise<unknown>): Promise<void> {
  if (made.has(name)) return;
  const { url: server } = inject("testCluster");
  // A lock ends with its session.
  const client = await connect(server);
  try {
    await client.query(`select pg_advisory_lock(hashtextextended('${name}', 0))`);
    const { rowCount } = await client.query(`select from pg_database where datname = '${name}'`);
    if (rowCount === 0) {
      const unfinished = await createTestDatabase();
      await prepare(unfinished.db);
      open.delete(unfinished);
      await unfinished.db.close();
      const [unfinishedName = ""] = new URL(unfinished.url).pathname.split("/").slice(-1);
      await client.query(`alter database ${unfinishedName} rename to ${name}`);
    }
    made.add(name);
  } finally {
    await client.end();
  }
}

function cloneOf(template: string): string {
  return `template ${template} ${inject("testCluster").strategy}`;
}

/** One without any schema, for the tests of what makes it. */
export async function createEmptyDatabase(options: Omit<DatabaseOptions, "url"> = {}): Promise<TestDatabase> {
  return create("template template0", options);
}

const open = new Set<TestDatabase>();
/**
 * By address. A file that makes many databases connects once to the server for them, which is a
 * third of the work.
 */
const serverSessions = new Map<string, Promise<pg.Client>>();

/** Drops what a failed test left open. After the last test of each file. */
export async function closeDatabases(): Promise<void> {
  for (const database of open) await database.drop();
  const sessions = [...serverSessions.values()];
  serverSessions.clear();
  for (const session of sessions) await (await session).end();
}

async function askServer(url: string, text: string): Promise<void> {
  const session = serverSessions.get(url) ?? connect(url);
  serverSessions.set(url, session);
  await (await session).query(text);
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

async function create(from: string, options: Omit<DatabaseOptions, "url">): Promise<TestDatabase> {
  const { url: server, adminUrl } = inject("testCluster");
  const name = `test_${randomBytes(8).toString("hex")}`;
  await askServer(server, `create database ${name} ${from}`);
  const url = withDatabase(server, name);
  const db = Database.open({ url, poolSize: 5, ...options });
  const database: TestDatabase = {
    db,
    url,
    rows: (sql, values = []) => db.query(statement(sql, values)),
    drop: async () => {
      open.delete(database);
      // Sessions that a failed test left at work would keep close() waiting.
      // Autovacuum's are a superuser's.
      await askServer(adminUrl, `drop database if exists ${name} with (force)`);
      await db.close();
    },
  };
  open.add(database);
  return database;
}

/** A statement for a test's own questions; its name is made from its text. */
export function statement(text: string, values: readonly unknown[] = []): Statement {
  return { name: `test_${createHash("sha1").update(text).digest("hex")}`, text, values };
}
