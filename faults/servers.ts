// PostgreSQL servers of the cases that share a database between nodes, and temporary folders.
// Whatever way this process ends, none is left.
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../src/postgres/embedded-postgres.ts";
import { readServerState, signalTo } from "../src/postgres/server.ts";
import { makeStartedFolder, prepareAsAtStart } from "./started-folder.ts";

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
export function serverPid(dataDir: string): number | undefined {
  return readServerState(path.join(dataDir, "postgres"))?.pid;
}

/**
 * A server outlives a gateway that was killed; nobody waits for what it would still write. Found by
 * its command line, which names a folder that is ours alone: a server that is just starting, or in
 * a file system of its own, shows no other sign.
 */
function endServerOf(folder: string): void {
  const own = serverPid(folder);
  const pids = existsSync("/proc/self/cmdline")
    ? pidsOf(path.join(folder, "postgres"))
    : own === undefined
      ? []
      : [own];
  for (const pid of pids) signalTo(pid, "SIGKILL");
}

function pidsOf(cluster: string): number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const args = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0");
      return args[1] === "-D" && args[2] === cluster ? [Number(name)] : [];
    } catch {
      // Gone in between.
      return [];
    }
  });
}

let started: Promise<string> | undefined;

/**
 * A data folder as a gateway leaves it that was started once and never used. It is a copy: to make
 * one takes ten times as long.
 */
export async function startedFolder(): Promise<string> {
  // A case that is tried again makes it again.
  started ??= makeFirst().catch((error: unknown) => {
    started = undefined;
    throw error;
  });
  const folder = temporaryFolder();
  await promisify(execFile)("cp", ["-a", `${await started}/.`, folder]);
  return folder;
}

async function makeFirst(): Promise<string> {
  const dataDir = temporaryFolder();
  await makeStartedFolder(dataDir);
  return dataDir;
}

/** Where databases are made: a server of our own, or one that is there already. */
export interface DatabaseServer {
  /** Of its maintenance database. */
  readonly url: string;
  /** The role of a database of that name, prepared as the first start of a gateway does. */
  readonly template?: string;
}

export class OwnServer implements DatabaseServer {
  readonly template = "faults_template";
  readonly #dataDir = temporaryFolder();
  #postgres: EmbeddedPostgres | undefined;
  #hasTemplate = false;

  get url(): string {
    return this.#postgres?.adminUrl ?? "";
  }

  async start(): Promise<void> {
    this.#postgres = await startEmbeddedPostgres({ dataDir: this.#dataDir, settings: { max_connections: "150" } });
    // Each case has a role of its own, and this user may take them all.
    const line = `hodhod "${userInfo().username}" all`;
    await execute(this, `copy (select '${line}') to '/proc/self/cwd/pg_ident.conf' (quote '|', format csv)`);
    await execute(this, "select pg_reload_conf()");
    if (!this.#hasTemplate) await this.#makeTemplate();
    this.#hasTemplate = true;
  }

  /** Owned by the server's administrator, so that it stays when its tables get other owners. */
  async #makeTemplate(): Promise<void> {
    const { template } = this;
    await execute(this, `create role ${template} login`);
    await execute(this, `create database ${template}`);
    await execute(this, `grant create, temporary on database ${template} to ${template}`);
    await execute({ url: urlOf(this, template, "") }, `grant create on schema public to ${template}`);
    await prepareAsAtStart(urlOf(this, template));
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

/** A new database, and its owner who is no superuser. Answers the owner's url. */
export async function createDatabase(server: DatabaseServer): Promise<{ url: string; role: string }> {
  databases += 1;
  const name = `faults_${process.pid}_${databases}`;
  const { template } = server;
  await execute(server, `create role ${name} login`);
  if (template === undefined) await execute(server, `create database ${name} owner ${name}`);
  else {
    await execute(server, `create database ${name} owner ${name} template ${template} strategy file_copy`);
    await execute({ url: urlOf(server, name, "") }, `reassign owned by ${template} to ${name}`);
  }
  return { url: urlOf(server, name), role: name };
}

/** Of one database, as its own role, or as the administrator of the server. */
function urlOf(server: DatabaseServer, database: string, role = database): string {
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  if (role !== "") url.username = role;
  return url.href;
}

export async function dropDatabase(server: DatabaseServer, role: string): Promise<void> {
  await execute(server, `drop database if exists ${role} with (force)`);
  await execute(server, `drop role if exists ${role}`);
}

export async function execute({ url }: DatabaseServer, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  // The server may go while we ask it.
  client.on("error", () => undefined);
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
