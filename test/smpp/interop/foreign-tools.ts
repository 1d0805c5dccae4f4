/**
 * Finding and running the foreign implementations that ours is checked against. Only processes
 * started here are ended.
 */

import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { onTestFinished } from "vitest";

/** Where Debian puts Kannel's test programs (package kannel-extras). */
const moreFolders = ["/usr/sbin", "/usr/lib/kannel/test"];

export function findTool(name: string): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...moreFolders];
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

export function hasPerlModule(name: string): boolean {
  return spawnSync("perl", [`-M${name}`, "-e", "1"]).status === 0;
}

/** Title of a suite; says why it is skipped when it is. */
export function titled(title: string, isAvailable: boolean, what: string): string {
  return isAvailable ? title : `${title} (skipped: ${what} is not installed)`;
}

export interface RunningTool {
  readonly process: ChildProcess;
  /** Resolves with the first line, of either output, that fits; also one already written. */
  line(fits: RegExp): Promise<string>;
}

/** For the test that runs: it ends with it. */
export function startTool(file: string, args: readonly string[], cwd?: string): RunningTool {
  const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"], ...(cwd === undefined ? {} : { cwd }) });
  // A hook of this module would be one of the first file alone that loads it in a process.
  onTestFinished(() => stopTool(child));
  const lines: string[] = [];
  const wake: (() => void)[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    let rest = "";
    stream.on("data", (chunk: Buffer) => {
      const pieces = (rest + chunk.toString()).split("\n");
      rest = pieces.pop() ?? "";
      lines.push(...pieces);
      for (const resolve of wake.splice(0)) resolve();
    });
  }
  const line = async (fits: RegExp): Promise<string> => {
    const endsAt = performance.now() + 60_000;
    for (;;) {
      const found = lines.find((text) => fits.test(text));
      if (found !== undefined) return found;
      if (performance.now() > endsAt)
        throw new Error(`${file} did not say ${fits.source}:\n${lines.slice(-40).join("\n")}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, endsAt - performance.now());
        wake.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  };
  return { process: child, line };
}

async function stopTool(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), 3000);
  await ended;
  clearTimeout(timer);
}
