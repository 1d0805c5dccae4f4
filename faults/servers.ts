// PostgreSQL servers of the cases that share a database between nodes, and temporary folders.
// Whatever way this process ends, none is left.
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { prepareDatabase } from "../bench/systems.ts";
import { gatewayRole } from "../src/postgres/cluster.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../src/postgres/embedded-postgres.ts";
import { readServerState, signalTo } from "../src/postgres/server.ts";

const removal = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 } as const;
const folders = new Set<string>();
process.on("exit", () => {
  for (const folder of folders) {
    endServerOf(folder);
    rmSync(folder, removal);
  }
});

export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "hodhod-faults-"));
  folders.add(folder);
  return folder;
}

/**
 * Lets this process go on meanwhile: the operators of the other cases live in it, and shall not be
 * silent for as long.
 */
export async function removeFolder(folder: string): Promise<void> {
  endServerOf(folder);
  await rm(folder, removal);
  folders.delete(folder);
}

/** The pid of the server that runs in a data folder. */
export function serverPid(dataDir: string): number {
  const pid = readServerState(path.join(dataDir, "postgres"))?.pid;
  if (pid === undefined) throw new Error(`no server runs in ${dataDir}`);
  return pid;
}

/**
 * A server outlives a gateway that was killed; nobody waits for what it would still write. Found by
 * its command line, which names a folder that is ours alone: a server that is just starting, or in
 * a file system of its own, shows no other sign.
 */
function endServerOf(folder: string): void {
  if (!existsSync("/proc/self/cmdline")) return;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const [, option, cluster] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      if (option === "-D" && cluster === path.join(folder, "postgres")) signalTo(Number(pid), "SIGKILL");
    } catch {
      // Gone in between.
    }
  }
}

/** Leaves the stopped database of a gateway in the folder that was started once and never used. */
export async function makeStartedFolder(dataDir: string): Promise<void> {
  // A standby cannot follow a server whose log was once minimal.
  const postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: "off", wal_level: "replica" } });
  try {
    await prepareDatabase(postgres.url);
  } finally {
    await postgres.stop();
  }
}

let first: Promise<string> | undefined;

async function makeFirst(): Promise<string> {
  const folder = temporaryFolder();
  await makeStartedFolder(folder);
  return folder;
}

/** A new one such. It is a copy: to make one takes ten times as long. */
export async function startedFolder(): Promise<string> {
  first ??= makeFirst();
  const folder = temporaryFolder();
  await promisify(execFile)("cp", ["-a", `${await first}/.`, folder]);
  return folder;
}

/** Where databases are made: begun as the database of a gateway. */
export interface DatabaseServer {
  /** Of its maintenance database, as superuser. */
  readonly url: string;
}

export class OwnServer implements DatabaseServer {
  #dataDir = "";
  #postgres: EmbeddedPostgres | undefined;

  get url(): string {
    return this.#postgres?.adminUrl ?? "";
  }

  async start(): Promise<void> {
    this.#dataDir ||= await startedFolder();
    this.#postgres = await startEmbeddedPostgres({ dataDir: this.#dataDir, settings: { max_connections: "150" } });
  }

  /** In order, as an administrator would; `start` goes on where it was, under the same url. */
  async halt(): Promise<void> {
    await this.#postgres?.stop();
  }

  async stop(): Promise<void> {
    await this.halt();
    await removeFolder(this.#dataDir);
  }
}

let databases = 0;

/** A copy of the gateway's database. Answers its url, as the gateway's role, which is no superuser. */
export async function createDatabase({ url }: DatabaseServer): Promise<string> {
  databases += 1;
  const name = `faults_${process.pid}_${databases}`;
  await execute(url, `create database ${name} owner ${gatewayRole} template ${gatewayRole} strategy file_copy`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  own.username = gatewayRole;
  return own.href;
}

export async function execute(url: string, text: string): Promise<pg.QueryResult<Record<string, unknown>>> {
  const client = new pg.Client({ connectionString: url });
  // The server may go while we ask it.
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await client.query<Record<string, unknown>>(text);
  } finally {
    await client.end();
  }
}
