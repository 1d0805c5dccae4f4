// The files of a new database, who may log in, and its roles. Logins are by `peer`: never `trust`,
// never TCP. What is interrupted is repeated at the next start.
import { once } from "node:events";
import { chownSync, lchownSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, rmdirSync } from "node:fs";
import { userInfo } from "node:os";
import path from "node:path";
import pg from "pg";
import type { PostgresBinaries } from "./binaries.ts";
import {
  idsOfProcesses,
  localUsers,
  type UserId,
  asUser,
  runSync,
  start,
  startedIn,
  type Launcher,
  emptyAsOwner,
  readDatabaseFile,
  writeDatabaseFile,
} from "./launcher.ts";
import { postgresFailed } from "./server.ts";

/**
 * Creates the folder of a new cluster, completely or not at all. `isDurable`: the files are on disk
 * before the folder appears. A server that runs without fsync gains nothing from that.
 */
export async function createCluster(
  binaries: PostgresBinaries,
  folder: string,
  { isDurable }: { isDurable: boolean },
): Promise<void> {
  const closed = `${folder}.new`;
  const unfinished = path.join(closed, "cluster");
  removeUnfinished(closed);
  mkdirSync(closed, { mode: 0o700 });
  mkdirSync(unfinished, { mode: 0o700 });
  const { launcher } = binaries;
  const maker = makerOfFiles(launcher);
  const { owner } = maker.launcher;
  if (owner) chownSync(unfinished, owner.uid, owner.gid);
  const args = ["-D", startedIn(unfinished), "-U", administrator, "--auth=peer", "--no-instructions"];
  const format = ["--encoding=UTF8", "--locale=C", "--data-checksums"];
  const sync = isDurable ? [] : ["--no-sync"];
  const initdb = [...maker.prefix, path.join(binaries.folder, "initdb"), ...args, ...format, ...sync];
  const child = start(maker.launcher, "/usr/bin/env", initdb, { cwd: unfinished, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw postgresFailed("cannot create the database's files", output);
  if (launcher.owner) giveTo(launcher.owner, unfinished);
  renameSync(unfinished, folder);
  rmdirSync(closed);
}

/** Only for a folder that nobody else can enter. */
export function giveTo({ uid, gid }: UserId, folder: string): void {
  for (const name of ["", ...readdirSync(folder, { recursive: true, encoding: "utf8" })])
    lchownSync(path.join(folder, name), uid, gid);
}

interface Maker {
  readonly launcher: Launcher;
  /** Program and arguments that run initdb. */
  readonly prefix: readonly string[];
}

/**
 * Who runs initdb, which requires an entry in the user list: the database's own id, mapped to a
 * listed one. Where user namespaces are forbidden, a listed user that runs no process at the moment;
 * its files are in a folder that only we can enter.
 */
function makerOfFiles(launcher: Launcher): Maker {
  if (launcher.owner === undefined) return { launcher, prefix: [] };
  const listed = localUsers();
  const [shown] = listed;
  const mapped = ["unshare", "--user", `--map-user=${shown?.uid ?? 1}`, `--map-group=${shown?.gid ?? 1}`, "--"];
  if (runSync(launcher, "/usr/bin/env", [...mapped, "true"]).status === 0) return { launcher, prefix: mapped };
  const used = idsOfProcesses();
  const idle = listed.find(({ uid }) => !used.has(uid));
  if (idle !== undefined) return { launcher: asUser(idle), prefix: [] };
  throw new Error(
    "initdb needs a user of the system's user list that runs no process, and there is none. Set DATABASE_URL, or start Hodhod as an ordinary user",
  );
}

/** Left by a first start that was interrupted. */
function removeUnfinished(closed: string): void {
  const cluster = path.join(closed, "cluster");
  const stat = lstatSync(cluster, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) emptyAsOwner(cluster, stat);
  rmSync(closed, { recursive: true, force: true });
}

/** The first superuser, which cannot lose that right. */
export const administrator = "hodhod_admin";
/** Owns all stored data and is no superuser. Also the name of the database. */
export const gatewayRole = "hodhod";

const rules = "# Hodhod writes this file at each start.\nlocal all all peer map=hodhod\n";

/** Logins are for root and this user, by the id of the caller. No server may be running. */
export function secureAccess(launcher: Launcher, folder: string): void {
  const users = [...new Set(["root", userInfo().username])];
  const names = users.flatMap((user) => [gatewayRole, administrator].map((role) => `hodhod "${user}" ${role}\n`));
  const files = { "pg_ident.conf": names.join(""), "pg_hba.conf": rules };
  for (const [name, text] of Object.entries(files))
    if (readDatabaseFile(folder, name) !== text) writeDatabaseFile(launcher, folder, name, text);
}

const state = `/* readRolesAndDatabase */
select exists (select from pg_roles where rolname = '${gatewayRole}') as role,
       exists (select from pg_database where datname = '${gatewayRole}') as database`;

/** Makes the gateway's role and database if they are missing. `url`: of the administrator. */
export async function prepareRoles(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ role: boolean; database: boolean }>(state);
    const [{ role, database } = { role: false, database: false }] = rows;
    if (!role) await client.query(`create role ${gatewayRole} login`);
    if (!database) await client.query(`create database ${gatewayRole} owner ${gatewayRole}`);
  } finally {
    await client.end();
  }
}
