// Child processes of a benchmark: each part of the system runs in a process of its own, as it would
// in service. Whatever happens, none is left behind.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import path from "node:path";

export const root = path.resolve(import.meta.dirname, "..");

const children = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

export interface RunningProcess {
  readonly pid: number;
  /** The next line of its output that matches; what came before it was asked for counts, too. */
  line(pattern: RegExp): Promise<RegExpMatchArray>;
  /** Writes a line, and resolves with what follows it in a line of the answer. */
  ask(question: string): Promise<string>;
  /** The latest lines of its output. */
  tail(count: number): readonly string[];
  /** The exit code; null where a signal ended it. */
  readonly exited: Promise<number | null>;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface SpawnOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export function run({ command, args, env = {}, cwd = root }: SpawnOptions): RunningProcess {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "pipe"] });
  children.add(child);
  const exited = once(child, "exit").then(() => {
    children.delete(child);
    return child.exitCode;
  });
  const lines: string[] = [];
  const waiting: { pattern: RegExp; resolve: (match: RegExpMatchArray) => void; reject: (error: Error) => void }[] = [];
  const take = (line: string): void => {
    lines.push(line);
    if (lines.length > 200) lines.shift();
    const index = waiting.findIndex(({ pattern }) => pattern.test(line));
    const match = waiting[index]?.pattern.exec(line);
    if (match) waiting.splice(index, 1)[0]?.resolve(match);
  };
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on("line", take);
  void exited.then(() => {
    for (const { reject, pattern } of waiting.splice(0)) {
      reject(
        new Error(`${command} ${args.join(" ")} ended before ${String(pattern)}:\n${lines.slice(-10).join("\n")}`),
      );
    }
  });
  const next = (pattern: RegExp): Promise<RegExpMatchArray> => {
    const seen = lines.map((line) => pattern.exec(line)).find((match) => match !== null);
    if (seen) return Promise.resolve(seen);
    return new Promise((resolve, reject) => waiting.push({ pattern, resolve, reject }));
  };
  return {
    pid: child.pid ?? 0,
    exited,
    tail: (count) => lines.slice(-count),
    line: next,
    ask: async (question) => {
      lines.length = 0;
      child.stdin.write(`${question}\n`);
      const [, answer = ""] = await next(new RegExp(`^${question} (.*)$`));
      return answer;
    },
    stop: async (signal = "SIGTERM") => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await exited;
    },
  };
}

/** One of the scripts beside this file. */
export function runScript(
  name: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): RunningProcess {
  return run({
    command: process.execPath,
    args: ["--import", "tsx", path.join(import.meta.dirname, name), ...args],
    env,
  });
}

/** Throws with its last lines if it fails. */
export async function runCommand(args: readonly string[], url: string): Promise<void> {
  const env = { DATABASE_URL: url, HODHOD_LOG_LEVEL: "error" };
  const command = run({ command: process.execPath, args: ["bin/hodhod", ...args], env });
  const code = await command.exited;
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}:\n${command.tail(10).join("\n")}`);
}

/** Starts a script that prints "port N", lends it, and ends it whatever happens. */
export async function withScript<T>(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  work: (script: RunningProcess, port: number) => Promise<T>,
): Promise<T> {
  const script = runScript(name, args, env);
  try {
    const [, port] = await script.line(/^port (\d+)$/);
    return await work(script, Number(port));
  } finally {
    await script.stop("SIGKILL");
  }
}
