// A database folder as earlier versions made it: the user's own or nobody's, its role a superuser,
// and everybody on the socket trusted.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { findBinaries } from "../../src/postgres/binaries.ts";
import type { Launcher } from "../../src/postgres/launcher.ts";

/** Makes it, runs the statements in it, and leaves it stopped. `id`: as whom, where we are root. */
export async function makeEarlierDatabase(dataDir: string, id: number, statements: readonly string[]): Promise<void> {
  const asRoot = process.getuid?.() === 0;
  const options = asRoot ? { uid: id, gid: id } : {};
  const launcher: Launcher = { name: "as nobody", prefix: [], options, sharesIds: true };
  const { folder: programs } = findBinaries(launcher, dataDir, () => undefined);
  const [folder, socket] = [path.join(dataDir, "postgres"), path.join(dataDir, "socket")];
  mkdirSync(dataDir, { recursive: true });
  for (const place of [folder, socket]) {
    mkdirSync(place, { mode: 0o700 });
    if (asRoot) chownSync(place, id, id);
  }
  const initdb = ["-D", folder, "-U", "hodhod", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"];
  const made = spawnSync(path.join(programs, "initdb"), initdb, { ...options, cwd: "/", encoding: "utf8" });
  if (made.status !== 0) throw new Error(made.stderr);
  const flags = ["-c", "listen_addresses=", "-c", `unix_socket_directories=${socket}`, "-c", "fsync=off"];
  const server = spawn(path.join(programs, "postgres"), ["-D", folder, ...flags], {
    ...options,
    cwd: "/",
    stdio: "ignore",
  });
  const url = (database: string) => `postgresql://hodhod@localhost/${database}?host=${encodeURIComponent(socket)}`;
  await run(url("postgres"), ["create database hodhod"]);
  await run(url("hodhod"), statements);
  server.kill("SIGINT");
  await once(server, "exit");
}

async function run(url: string, statements: readonly string[]): Promise<void> {
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
    } catch {
      await client.end();
      await delay(50);
      continue;
    }
    for (const statement of statements) await client.query(statement);
    await client.end();
    return;
  }
}
