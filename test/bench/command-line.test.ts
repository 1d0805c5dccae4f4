import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { root } from "../../bench/processes.ts";

function runScript(script: string, ...args: readonly string[]): { code: number | null; out: string; err: string } {
  const options = { cwd: root, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", "tsx", script, ...args], options);
  return { code: status, out: stdout, err: stderr };
}

const scripts = ["bench/run.ts", "bench/scaling.ts", "faults/run.ts", "faults/soak.ts", "fuzz/run.ts"];

describe.each(scripts)("%s", (script) => {
  it("prints its options on request", () => {
    const { code, out } = runScript(script, "--help");
    expect([code, out]).toEqual([0, expect.stringMatching(/^npm run \S+ \[-- --\w+/)]);
  });

  it("says which option is unknown, and does nothing", () => {
    const { code, out, err } = runScript(script, "--nonsense");
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(/^Unknown option '--nonsense'.*\nnpm run /);
    expect(err).not.toMatch(/\n\s+at /);
  });
});

it.each(["bench/scaling.ts", "faults/soak.ts"])("%s refuses what is no option, and does nothing", (script) => {
  const { code, out, err } = runScript(script, "60", script.startsWith("bench") ? "--seconds=0" : "--minutes=0");
  expect([code, out]).toEqual([2, ""]);
  expect(err).toMatch(/^Unexpected argument '60'\nnpm run /);
});

it.each([
  ["bench/run.ts", "--seconds", "0", '--seconds is a whole number from 1, not "0"'],
  ["bench/run.ts", "--before", "/nowhere", "--before: /nowhere is no folder of Hodhod"],
  ["bench/run.ts", "--only", "earlier-version", "earlier-version needs --before FOLDER"],
  ["faults/run.ts", "--jobs", "many", '--jobs is a whole number from 1 to 16, not "many"'],
  ["faults/soak.ts", "--minutes", "1", '--minutes is a whole number from 3 to 1440, not "1"'],
  ["fuzz/run.ts", "--input", "", '--input is a whole number from 0, not ""'],
])("%s %s %j is refused in one line", (script, option, value, message) => {
  const { code, out, err } = runScript(script, option, value);
  expect([code, out, err]).toEqual([2, "", `${message}\n`]);
});
