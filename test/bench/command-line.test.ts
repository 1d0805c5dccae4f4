// How the commands for those who work on the program answer what they are told. To start Node.js
// and a compiler for each takes twenty times as long as they do: most of them run in this process.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { root } from "../../bench/processes.ts";

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** In a process of its own, as its user starts it. */
function runApart(script: string, ...args: readonly string[]): Outcome {
  const options = { cwd: root, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", "tsx", script, ...args], options);
  return { code: status, out: stdout, err: stderr };
}

class Ended extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`ended with ${code}`);
    this.code = code;
  }
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
let runs = 0;

/** In this process. It ends with the code that it exits with; what it throws is thrown. */
async function runHere(script: string, ...args: readonly string[]): Promise<Outcome> {
  const file = path.join(root, script);
  const [argv, handlers] = [process.argv, new Map(signals.map((name) => [name, process.listeners(name)]))];
  let [out, err] = ["", ""];
  const spies = [
    vi.spyOn(process, "exit").mockImplementation((code) => {
      throw new Ended(Number(code));
    }),
    vi.spyOn(console, "log").mockImplementation((text: string) => void (out += `${text}\n`)),
    vi.spyOn(console, "error").mockImplementation((text: string) => void (err += `${text}\n`)),
  ];
  process.argv = [process.execPath, file, ...args];
  runs += 1;
  try {
    // A module is evaluated once under each name.
    await import(`${file}?run=${runs}`);
    return { code: null, out, err };
  } catch (error) {
    if (error instanceof Ended) return { code: error.code, out, err };
    throw error;
  } finally {
    process.argv = argv;
    for (const spy of spies) spy.mockRestore();
    for (const [name, before] of handlers)
      for (const handler of process.listeners(name)) if (!before.includes(handler)) process.off(name, handler);
  }
}

const scripts = ["bench/run.ts", "faults/run.ts", "faults/soak.ts", "fuzz/run.ts"];

describe.each(scripts)("%s", (script) => {
  it("prints its options on request", async () => {
    expectOptions(await runHere(script, "--help"));
  });

  it("says which option is unknown, and does nothing", async () => {
    expectUnknown(await runHere(script, "--nonsense"));
  });
});

function expectOptions({ code, out }: Outcome): void {
  expect([code, out]).toEqual([0, expect.stringMatching(/^npm run \S+ \[-- --\w+/)]);
}

function expectUnknown({ code, out, err }: Outcome): void {
  expect([code, out]).toEqual([2, ""]);
  expect(err).toMatch(/^Unknown option '--nonsense'.*\nnpm run /);
  expect(err).not.toMatch(/\n\s+at /);
}

it("in a process of its own, a command does the same", () => {
  expectOptions(runApart("bench/run.ts", "--help"));
  expectUnknown(runApart("faults/soak.ts", "--nonsense"));
});

it("refuses what is no option, and does nothing", async () => {
  const { code, out, err } = await runHere("faults/soak.ts", "60", "--minutes=0");
  expect([code, out]).toEqual([2, ""]);
  expect(err).toMatch(/^Unexpected argument '60'\nnpm run /);
});

it.each([
  ["bench/run.ts", "--seconds", "0", '--seconds is a whole number from 1, not "0"'],
  ["bench/run.ts", "--only", "nothing", "no scenario is called nothing; --list names them"],
  ["faults/run.ts", "--jobs", "many", '--jobs is a whole number from 1 to 16, not "many"'],
  ["faults/soak.ts", "--minutes", "1", '--minutes is a whole number from 3 to 1440, not "1"'],
  ["fuzz/run.ts", "--input", "", '--input is a whole number from 0, not ""'],
])("%s %s %j is refused in one line", async (script, option, value, message) => {
  const { code, out, err } = await runHere(script, option, value);
  expect([code, out, err]).toEqual([2, "", `${message}\n`]);
});
