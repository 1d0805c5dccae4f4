// Runs bin/hodhod as a user does: in a process of its own, in an empty folder, with nothing but the
// given environment, and where Node.js keeps what it compiled (from version 22 on).
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const program = path.join(import.meta.dirname, "../../bin/hodhod");

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly folder?: string;
}

export function temporaryFolder(): { readonly path: string; remove(): void } {
  const folder = mkdtempSync(path.join(tmpdir(), "hodhod-cli-"));
  return { path: folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Only starts it. */
export function spawnHodhod(
  args: readonly string[],
  { env = {}, folder = tmpdir() }: RunOptions,
): ChildProcessWithoutNullStreams {
  const { PATH = "", NODE_COMPILE_CACHE } = process.env;
  const cache = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
  return spawn(process.execPath, [program, ...args], { cwd: folder, env: { PATH, ...cache, ...env } });
}

export async function hodhod(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const child = spawnHodhod(args, options);
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.on("error", () => undefined).end(options.input ?? "");
  return new Promise((resolve) => {
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
}

/** As a user types it on a terminal. */
export function onTerminal(
  answer: string,
  args: readonly string[],
  { env = {}, folder = tmpdir() }: RunOptions = {},
): { code: number | null; screen: string } {
  const command = [process.execPath, program, ...args].map((word) => `'${word}'`).join(" ");
  const { PATH = "" } = process.env;
  const { status, stdout } = spawnSync("script", ["-qec", command, "/dev/null"], {
    input: answer,
    cwd: folder,
    env: { PATH, ...env },
    encoding: "utf8",
  });
  return { code: status, screen: stdout.replaceAll("\r", "") };
}

export interface Running {
  /** The first match of the pattern in what the process writes. */
  readonly match: RegExpExecArray;
  readonly output: () => string;
  readonly pid: number;
  signal(name: NodeJS.Signals): void;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
  /** Resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** Starts a command that stays, and waits until it has written what the pattern says. */
export async function startHodhod(
  args: readonly string[],
  pattern: RegExp,
  options: RunOptions = {},
): Promise<Running> {
  const child = spawnHodhod(args, options);
  let output = "";
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const match = await new Promise<RegExpExecArray>((resolve, reject) => {
    const read = (text: string): void => {
      output += text;
      const found = pattern.exec(output);
      if (found !== null) resolve(found);
    };
    child.stdout.setEncoding("utf8").on("data", read);
    child.stderr.setEncoding("utf8").on("data", read);
    void ended.then((code) => reject(new Error(`hodhod ${args.join(" ")} ended with ${String(code)}:\n${output}`)));
  });
  return {
    match,
    output: () => output,
    pid: child.pid ?? 0,
    signal: (name) => void child.kill(name),
    ended,
    stop: () => {
      child.kill("SIGTERM");
      return ended;
    },
  };
}
