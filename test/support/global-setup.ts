// Runs once before all tests: compiles the program, and starts one PostgreSQL cluster with a migrated template database
// that every test file clones. TEST_DATABASE_URL names another server to use instead. Where TEST_CLUSTER holds a cluster
// that stands already (as `npm run mutants` does, which runs the tests hundreds of times), nothing is made.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { startEmbeddedPostgres } from "../../src/postgres/embedded-postgres.ts";
import { Database } from "../../src/store/database.ts";
import { migrate } from "../../src/store/migrate.ts";
import { ensurePartitions } from "../../src/store/partitions.ts";
import { keepTemporaryFilesInMemory } from "./memory.ts";

export interface TestCluster {
  /** Of the server's maintenance database. */
  readonly url: string;
  /** The same, as superuser. */
  readonly adminUrl: string;
  /** What `create database` needs to make a clone of the migrated template quickly. */
  readonly clone: string;
}

declare module "vitest" {
  export interface ProvidedContext {
    testCluster: TestCluster;
  }
}

// Nothing of a test has to survive a power cut.
const careless = {
  wal_compression: "off",
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  // Its files may lie in memory (memory.ts).
  max_wal_size: "256MB",
  max_connections: "300",
};

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  keepTemporaryFilesInMemory();
  const standing = process.env["TEST_CLUSTER"];
  if (standing !== undefined) {
    project.provide("testCluster", JSON.parse(standing) as TestCluster);
    return async () => undefined;
  }
  await build();
  const { cluster, stop } = await startTestCluster();
  project.provide("testCluster", cluster);
  return stop;
}

/** The server with the template in it. `stop` takes away what was made. */
export async function startTestCluster(): Promise<{ cluster: TestCluster; stop: () => Promise<void> }> {
  const given = process.env["TEST_DATABASE_URL"];
  const server =
    given === undefined ? await startCluster() : { url: given, adminUrl: given, stop: async () => undefined };
  const template = `hodhod_template_${process.pid}`;
  await query(server.url, `create database ${template}`);
  await prepareTemplate(withDatabase(server.url, template));
  // Copying files beats copying through the log, where the server knows the choice (PostgreSQL 15).
  const strategy = given === undefined ? " strategy file_copy" : "";
  return {
    cluster: { url: server.url, adminUrl: server.adminUrl, clone: `template ${template}${strategy}` },
    stop: async () => {
      await query(server.adminUrl, `drop database ${template} with (force)`);
      await server.stop();
    },
  };
}

/** Where the sources do not compile, only the tests that run the program fail; the tests of what is whole still tell. */
async function build(): Promise<void> {
  // @ts-expect-error -- plain JavaScript, for it runs before anything is compiled
  const { ensureBuilt } = (await import("../../bin/build.js")) as { ensureBuilt: () => void };
  try {
    ensureBuilt();
  } catch (error) {
    process.stderr.write(`dist/ is not current: ${String(error)}\n`);
  }
}

async function startCluster(): Promise<{ url: string; adminUrl: string; stop: () => Promise<void> }> {
  const dataDir = mkdtempSync(path.join(tmpdir(), "hodhod-test-"));
  const postgres = await startEmbeddedPostgres({ dataDir, settings: careless });
  // The role of the gateway, which owns what the tests make, with the one right more that they need.
  await query(postgres.adminUrl, "alter role hodhod createdb");
  return {
    url: postgres.url,
    adminUrl: postgres.adminUrl,
    stop: async () => {
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function prepareTemplate(url: string): Promise<void> {
  const db = Database.open({ url });
  try {
    await migrate(db);
    await ensurePartitions(db, new Date());
  } finally {
    await db.close();
  }
}

export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

export async function query(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
