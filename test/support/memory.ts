// Where there is room, what tests write lies in memory. A test database is some 600 files: a disk
// takes up to a second to make and remove them, and nothing of a test has to survive a power cut.
// Where there is no room, tests write to the usual folder and take longer.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { isRunning } from "../../src/postgres/owner-lock.ts";

const memory = "/dev/shm";
/** Followed by the id of the process that made the folder. */
const prefix = "hodhod-tests-";
/** The whole suite holds a quarter of it at most. */
const neededBytes = 2 * 1024 ** 3;

/**
 * From now on tmpdir() of this process and of its children is a folder in memory, which is removed
 * when this process ends.
 */
export function keepTemporaryFilesInMemory(): void {
  if (tmpdir().startsWith(memory) || !hasRoom()) return;
  const folder = path.join(memory, `${prefix}${process.pid}`);
  mkdirSync(folder);
  process.once("exit", () => remove(folder));
  // Like /tmp: tests also run programs as other users.
  chmodSync(folder, 0o1777);
  // Containers often forbid it there.
  if (runsPrograms(folder)) process.env["TMPDIR"] = folder;
  else process.stderr.write(`tests write to ${tmpdir()}: programs may not run in ${memory}\n`);
}

function hasRoom(): boolean {
  if (!existsSync(memory)) return false;
  removeLeftovers();
  const { bavail, bsize } = statfsSync(memory);
  const free = Math.min(bavail * bsize, process.availableMemory());
  if (free >= neededBytes) return true;
  process.stderr.write(`tests write to ${tmpdir()}: ${memory} has ${Math.floor(free / 1024 ** 2)} MB left\n`);
  return false;
}

function runsPrograms(folder: string): boolean {
  const program = path.join(folder, "program");
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}

/** Of runs that were killed. */
function removeLeftovers(): void {
  for (const name of readdirSync(memory).filter((each) => each.startsWith(prefix))) {
    const folder = path.join(memory, name);
    if (!isRunning(Number(name.slice(prefix.length))) && statSync(folder).uid === process.getuid?.()) remove(folder);
  }
}

/** What a program still writes there at that moment is left to the next run. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    process.stderr.write(`${folder} is left: ${String(error)}\n`);
  }
}
