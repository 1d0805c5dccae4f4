// How PostgreSQL's programs are run. They refuse to run as root, so root runs them as an unprivileged user; where that user
// cannot walk to the programs or the data (a home folder closed to others), it is lent the right to walk, and nothing else.
import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from "node:child_process";
import { statSync } from "node:fs";

export interface Launcher {
  /** For messages: "as user 65534". */
  readonly name: string;
  /** Who must own the data; undefined: whoever we are. */
  readonly owner?: { readonly uid: number; readonly gid: number };
  /** Program and arguments that run the command in this way. */
  readonly prefix: readonly string[];
  readonly options: { readonly uid?: number; readonly gid?: number };
}

/** nobody: there on every system, with an entry in its user list, which PostgreSQL insists on. */
const nobody = 65_534;

/** PostgreSQL gets a clean environment: PGDATA and its like of the caller must not reach it. */
const environment = { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin", LC_ALL: "C", TZ: "UTC" };

/** The ways to try, best first. `dataFolder`: its owner, if it exists and is not root, is whom root runs PostgreSQL as. */
export function possibleLaunchers(dataFolder: string): readonly Launcher[] {
  if (process.getuid?.() !== 0) return [{ name: "as ourselves", prefix: [], options: {} }];
  const { uid = 0, gid = 0 } = statSync(dataFolder, { throwIfNoEntry: false }) ?? {};
  const user = uid === 0 ? { uid: nobody, gid: nobody } : { uid, gid };
  return [
    { name: `as user ${user.uid}`, owner: user, prefix: [], options: user },
    walking(user, "dac_read_search"),
    // What containers leave to root more often.
    walking(user, "dac_override"),
    // Root, but of no rights beyond its own files, and not seen as root by the program.
    {
      name: "in a user namespace",
      owner: { uid: 0, gid: 0 },
      prefix: ["unshare", "--user", "--map-user=1000", "--map-group=1000", "--"],
      options: {},
    },
  ];
}

/**
 * The user with one capability: to pass through folders that are closed to it. access(2) ignores capabilities of a user
 * that is not root unless no_setuid_fixup is set, and PostgreSQL looks for its own files with it.
 */
function walking(user: { uid: number; gid: number }, capability: string): Launcher {
  return {
    name: `as user ${user.uid} with ${capability}`,
    owner: user,
    prefix: [
      "setpriv",
      `--reuid=${user.uid}`,
      `--regid=${user.gid}`,
      "--clear-groups",
      "--securebits=+no_setuid_fixup",
      `--inh-caps=+${capability}`,
      `--ambient-caps=+${capability}`,
      "--",
    ],
    options: {},
  };
}

export interface RunResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end. */
export function runSync(launcher: Launcher, program: string, args: readonly string[]): RunResult {
  const [file = program, ...rest] = [...launcher.prefix, program, ...args];
  const result = spawnSync(file, rest, { ...launcher.options, env: environment, cwd: "/", encoding: "utf8" });
  const stderr = result.error ? result.error.message : result.stderr;
  return { status: result.status, stdout: result.stdout || "", stderr: stderr || "" };
}

/** Starts a program and leaves it running. */
export function start(
  launcher: Launcher,
  program: string,
  args: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  const [file = program, ...rest] = [...launcher.prefix, program, ...args];
  return spawn(file, rest, { ...options, ...launcher.options, env: environment, cwd: "/" });
}

/** Whether a program run in this way can stand in the folder. */
export function reaches(launcher: Launcher, folder: string): boolean {
  return runSync(launcher, "/bin/sh", ["-c", 'cd "$1"', "sh", folder]).status === 0;
}
