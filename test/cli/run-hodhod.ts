// Runs bin/hodhod as a user does: in a process of its own, in an empty folder, with nothing but the
// given environment, and where Node.js keeps what it compiled (from version 22 on). What a file of
// tests runs again and again is a process the first time, and then runs in this one: to start
// Node.js and to load the product takes more than most commands do. So do commands that end before
// they open a database, where a test says that they do.
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { runCli } from "../../src/cli/cli.ts";

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
  /** Runs in this process, although it names no server: it ends before it opens a database. */
  readonly endsBeforeDatabase?: boolean;
  /** Runs in this process from the first time on: another file runs it as a process. */
  readonly isSeenElsewhere?: boolean;
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
  return mayRunHere(args, options) ? runHere(args, options) : runApart(args, options);
}

/** In a process of its own. */
async function runApart(args: readonly string[], options: RunOptions): Promise<Outcome> {
  const child = spawnHodhod(args, options);
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.on("error", () => undefined).end(options.input ?? "");
  return new Promise((resolve) => {
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
}

/** They stay until a signal ends them. */
const services = new Set(["serve", "demo", "simulate"]);
/** Commands of this file of tests that were processes. */
const seenApart = new Set<string>();

/**
 * A command on a server that is there, if it was a process before: that it loads, ends, and sets
 * the exit code of its process is seen there. The database of a data folder belongs to a process.
 */
function mayRunHere(
  [command = ""]: readonly string[],
  { env = {}, endsBeforeDatabase = false, isSeenElsewhere = false }: RunOptions,
): boolean {
  if (endsBeforeDatabase) return true;
  if (services.has(command) || (env["DATABASE_URL"] ?? env["HODHOD_URL"]) === undefined) return false;
  if (isSeenElsewhere || seenApart.has(command)) return true;
  seenApart.add(command);
  return false;
}

let lastHere: Promise<unknown> = Promise.resolve();

/** One after the other, because the environment and the folder are those of the process. */
function runHere(args: readonly string[], options: RunOptions): Promise<Outcome> {
  const run = (): Promise<Outcome> => runNow(args, options);
  const outcome = lastHere.then(run, run);
  lastHere = outcome;
  return outcome;
}

async function runNow(
  args: readonly string[],
  { env = {}, input = "", folder = tmpdir() }: RunOptions,
): Promise<Outcome> {
  const [stdout, stderr] = [new WrittenText(), new WrittenText()];
  const stdin = Readable.from(input === "" ? [] : [Buffer.from(input)], { objectMode: false });
  const [own, ownFolder] = [process.env, process.cwd()];
  const { PATH = "" } = own;
  process.env = { PATH, ...env };
  process.chdir(folder);
  try {
    const code = await runCli(args, { stdin, stdout, stderr });
    return { code, stdout: stdout.text, stderr: stderr.text };
  } finally {
    process.chdir(ownFolder);
    process.env = own;
  }
}

class WrittenText extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }
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
