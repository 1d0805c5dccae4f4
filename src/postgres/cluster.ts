// The files of a new database, and its authentication: `peer`, or a password if the server cannot
// identify its clients by user id. Never `trust`, never TCP.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chownSync,
  constants,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
} from "node:fs";
import path from "node:path";
import { readRegularFile, replaceFile } from "../platform/trusted-file.ts";
import type { PostgresBinaries } from "./binaries.ts";
import { asListedUser, asUser, nameKnownToServer, runSync, start, startedIn, type Launcher } from "./launcher.ts";
import { emptyAsOwner, readDatabaseFile, writeDatabaseFile } from "./own-files.ts";
import { administrator, gatewayRole, passwordStatement, type Password } from "./roles.ts";
import { PostgresFailed } from "./server.ts";
import { idsOfProcesses, localUsers, type UserId } from "./user-list.ts";

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
  if (maker.owner) chownSync(unfinished, maker.owner.uid, maker.owner.gid);
  const args = ["-D", startedIn(unfinished), "-U", administrator, "--auth=peer", "--no-instructions"];
  const format = ["--encoding=UTF8", "--locale=C", "--data-checksums"];
  const sync = isDurable ? [] : ["--no-sync"];
  const child = start(maker, path.join(binaries.folder, "initdb"), [...args, ...format, ...sync], {
    cwd: unfinished,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new PostgresFailed("cannot create the database's files", output);
  if (launcher.owner) giveTo(launcher.owner, unfinished);
  renameSync(unfinished, folder);
  rmdirSync(closed);
}

/** Only for a folder that nobody else can enter. */
export function giveTo({ uid, gid }: UserId, folder: string): void {
  for (const name of ["", ...readdirSync(folder, { recursive: true, encoding: "utf8" })])
    lchownSync(path.join(folder, name), uid, gid);
}

/**
 * The user for initdb, which requires an entry in the user list: the database's own id mapped to
 * another number or, without user namespaces, a listed user that runs no process at the moment. Its
 * files are in a folder that only we can enter.
 */
function makerOfFiles(launcher: Launcher): Launcher {
  const listed = asListedUser(launcher);
  if (listed !== undefined) return listed;
  const used = idsOfProcesses();
  const idle = launcher.owner && localUsers().find(({ uid }) => !used.has(uid));
  if (idle !== undefined) return asUser(idle);
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

const passwordFile = "postgres.password";

/** The password of all roles; undefined if the server identifies its clients without one. */
export function readPassword(dataDir: string): Password {
  const terms = { mostBytes: 1024, flags: constants.O_NOFOLLOW };
  return readRegularFile(path.join(dataDir, passwordFile), terms)?.toString().trim();
}

const rulesFile = "pg_hba.conf";

/**
 * Rewrites the authentication settings if they differ, and returns the password if one is needed.
 * No server may be running.
 */
export function secureAccess(binaries: PostgresBinaries, dataDir: string, folder: string): Password {
  const { launcher } = binaries;
  const caller = nameKnownToServer(launcher);
  const method = caller === undefined ? "scram-sha-256" : "peer map=hodhod";
  const rules = `# Hodhod writes this file at each start.\nlocal all all ${method}\n`;
  const known = [...new Set(["root", ...(caller === undefined ? [] : [caller])])];
  const lines = known.flatMap((user) => [gatewayRole, administrator].map((role) => `hodhod "${user}" ${role}\n`));
  const password = caller === undefined ? (readPassword(dataDir) ?? newPassword()) : undefined;
  if (readDatabaseFile(folder, "pg_ident.conf") !== lines.join(""))
    writeDatabaseFile(launcher, folder, "pg_ident.conf", lines.join(""));
  if (
    password !== undefined &&
    (readPassword(dataDir) === undefined || readDatabaseFile(folder, rulesFile) !== rules)
  ) {
    setPassword(binaries, folder, password);
    keepPassword(dataDir, password);
  }
  if (readDatabaseFile(folder, rulesFile) !== rules) writeDatabaseFile(launcher, folder, rulesFile, rules);
  if (password === undefined) rmSync(path.join(dataDir, passwordFile), { force: true });
  return password;
}

function newPassword(): string {
  return randomBytes(32).toString("hex");
}

function keepPassword(dataDir: string, password: string): void {
  replaceFile(path.join(dataDir, passwordFile), password);
}

/** Uses a server that reads statements from its standard input only. */
function setPassword(binaries: PostgresBinaries, folder: string, password: string): void {
  const listed = asListedUser(binaries.launcher);
  if (listed === undefined)
    throw new Error("PostgreSQL needs an entry in the system's user list for the user that runs it");
  const args = [
    "--single",
    "-D",
    startedIn(folder),
    "-c",
    "exit_on_error=true",
    "-c",
    "log_statement=none",
    "postgres",
  ];
  const { status, stderr } = runSync(listed, path.join(binaries.folder, "postgres"), args, {
    cwd: folder,
    input: passwordStatement(password),
  });
  if (status !== 0) throw new PostgresFailed("cannot set the database's password", stderr);
}
