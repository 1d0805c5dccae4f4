// A database of its own for a test file, cloned from the migrated template in some 25 ms.
import { createHash, randomBytes } from "node:crypto";
import { afterAll, inject } from "vitest";
import { Database, type DatabaseOptions, type Statement } from "../../src/store/database.ts";
import { query, withDatabase } from "./global-setup.ts";

export interface TestDatabase {
  readonly db: Database;
  /** For a further Database, a gateway in process, or a child process. */
  readonly url: string;
  /** Closes db and removes the database, whoever is still connected to it. */
  readonly drop: () => Promise<void>;
}

export async function createTestDatabase(options: Omit<DatabaseOptions, "url"> = {}): Promise<TestDatabase> {
  const { url: server, clone } = inject("testCluster");
  return create(server, clone, options);
}

/** One without any schema, for the tests of what makes it. */
export async function createEmptyDatabase(options: Omit<DatabaseOptions, "url"> = {}): Promise<TestDatabase> {
  return create(inject("testCluster").url, "template template0", options);
}

// What a failed test left open. A module of its own for each test file: the hook is the file's.
const open = new Set<TestDatabase>();
afterAll(async () => {
  for (const database of open) await database.drop();
});

async function create(server: string, from: string, options: Omit<DatabaseOptions, "url">): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  await query(server, `create database ${name} ${from}`);
  const url = withDatabase(server, name);
  const db = Database.open({ url, poolSize: 5, ...options });
  const database: TestDatabase = {
    db,
    url,
    drop: async () => {
      open.delete(database);
      // Sessions that a failed test left at work would keep close() waiting.
      // Autovacuum's are a superuser's.
      await query(inject("testCluster").adminUrl, `drop database if exists ${name} with (force)`);
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
