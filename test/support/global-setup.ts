// Runs once before all tests: builds the program and its console, and starts one PostgreSQL cluster
// with a migrated template database that every test file clones. TEST_DATABASE_URL names another
// server to use instead.
import { spawn } from "node:child_process";
import { once } from "node:events";
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
  /** The migrated database. */
  readonly template: string;
  /** What `create database … template …` needs besides, to be quick. */
  readonly strategy: string;
}

declare module "vitest" {
  export interface ProvidedContext {
    testCluster: TestCluster;
    /** What the names of this run's prepared databases begin with. */
    preparedPrefix: string;
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
  // The pure tests need neither.
  if (String(project.vitest.config.project) === "pure") return async () => undefined;
  const preparedPrefix = `prepared_${process.pid}_`;
  project.provide("preparedPrefix", preparedPrefix);
  const [{ cluster, stop }] = await Promise.all([startTestCluster(), build()]);
  project.provide("testCluster", cluster);
  return async () => {
    await dropDatabases(cluster, preparedPrefix);
    await stop();
  };
}

async function dropDatabases({ url, adminUrl }: TestCluster, prefix: string): Promise<void> {
  const rows = await query(url, `select datname from pg_database where starts_with(datname, '${prefix}')`);
  for (const { datname } of rows) await query(adminUrl, `drop database ${String(datname)} with (force)`);
}

/** The server with the template in it. `stop` takes away what was made. */
async function startTestCluster(): Promise<{ cluster: TestCluster; stop: () => Promise<void> }> {
  const given = process.env["TEST_DATABASE_URL"];
  const server =
    given === undefined ? await startCluster() : { url: given, adminUrl: given, stop: async () => undefined };
  const template = `hodhod_template_${process.pid}`;
  await query(server.url, `create database ${template}`);
  await prepareTemplate(withDatabase(server.url, template));
  // Copying files beats copying through the log, where the server knows the choice (PostgreSQL 15).
  const strategy = given === undefined ? "strategy file_copy" : "";
  return {
    cluster: { url: server.url, adminUrl: server.adminUrl, template, strategy },
    stop: async () => {
      await query(server.adminUrl, `drop database ${template} with (force)`);
      await server.stop();
    },
  };
}

/**
 * Where the sources do not compile, only the tests that run the program fail; the tests of what is
 * whole still tell.
 */
async function build(): Promise<void> {
  const script = path.join(import.meta.dirname, "../../bin/build.js");
  const [code] = (await once(spawn(process.execPath, [script], { stdio: "inherit" }), "close")) as [number | null];
  if (code !== 0) process.stderr.write(`the build ended with ${String(code)}\n`);
}

async function startCluster(): Promise<{ url: string; adminUrl: string; stop: () => Promise<void> }> {
  const dataDir = mkdtempSync(path.join(tmpdir(), "hodhod-test-"));
  const postgres = await startEmbeddedPostgres({ dataDir, settings: careless });
  // The role of the gateway, which owns what the tests make, with the one right more that they
  // need.
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

/** Migrates an empty database, and makes the parts of this time. */
export async function prepareTemplate(url: string): Promise<void> {
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

export async function query(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
