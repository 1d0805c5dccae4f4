// npm run bench [-- --full] [-- --only NAME…] [-- --write] [-- --list]: measures the gateway beside
// others and against its goals. With --before FOLDER, a checkout of an earlier version with its
// packages, beside that one, too. A complete run, or one with --write, keeps its figures in
// docs/plots/figures.json and writes docs/benchmarks.md and its plots from all that is kept there.
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { endWith, readCommandLine, wholeNumberOf } from "./command-line.ts";
import { plotFolder, writeDocument } from "./document.ts";
import { goals, judge } from "./goals.ts";
import { describeMachine } from "./machine.ts";
import { root } from "./processes.ts";
import { measuredOf, readRecords, type Recorded, writeRecords } from "./record.ts";
import type { Scenario } from "./scenario.ts";

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130));

const usage =
  "npm run bench [-- --full] [--only NAME…] [--before FOLDER] [--list] [--write] [--redraw] [--seconds N] [--warm-up N] [--rounds N] [--output FILE]";
const { values, positionals } = readCommandLine(usage, {
  full: { type: "boolean", default: false },
  only: { type: "string", multiple: true, default: [] },
  before: { type: "string" },
  list: { type: "boolean", default: false },
  write: { type: "boolean", default: false },
  redraw: { type: "boolean", default: false },
  seconds: { type: "string", default: "10" },
  "warm-up": { type: "string", default: "3" },
  rounds: { type: "string", default: "3" },
  output: { type: "string" },
});
const seconds = wholeNumberOf("--seconds", values.seconds, 1);
const warmUpSeconds = wholeNumberOf("--warm-up", values["warm-up"], 1);
const rounds = wholeNumberOf("--rounds", values.rounds, 1);
// Loaded when it is known what is wanted: they load most of the product.
const { scenarios } = await import("./scenarios.ts");
const recordFile = path.join(plotFolder, "figures.json");
if (values.list) {
  for (const { name, title } of scenarios) console.log(`${name.padEnd(20)} ${title}`);
  process.exit(0);
}
if (values.redraw) {
  writeDocument(readRecords(recordFile));
  process.exit(0);
}
const wanted = [...values.only, ...positionals];
const unknown = wanted.filter((name) => !scenarios.some((each) => each.name === name));
if (unknown.length > 0) endWith(`no scenario is called ${unknown.join(", ")}; --list names them`);
const earlierFolder = values.before === undefined ? undefined : path.resolve(values.before);
if (earlierFolder !== undefined && !existsSync(path.join(earlierFolder, "bin/hodhod")))
  endWith(`--before: ${earlierFolder} is no folder of Hodhod`);
const isPossible = ({ needsEarlier }: Scenario<unknown>): boolean =>
  needsEarlier !== true || earlierFolder !== undefined;
const chosen = scenarios.filter((each) => (wanted.length === 0 ? isPossible(each) : wanted.includes(each.name)));
const impossible = chosen.find((each) => !isPossible(each));
if (impossible !== undefined) endWith(`${impossible.name} needs --before FOLDER`);

/** Nobody shall have to guess whether it still runs. */
const quietMs = 4000;

async function runScenario(scenario: Scenario<unknown>): Promise<Recorded> {
  const begunAt = performance.now();
  const tookSeconds = (): number => (performance.now() - begunAt) / 1000;
  let toldAt = begunAt;
  let memory: number | undefined;
  console.log(`\n${scenario.name}: ${scenario.title}`);
  const tell = (line: string): void => {
    toldAt = performance.now();
    console.log(`  ${line}`);
  };
  const heartbeat = setInterval(() => {
    if (performance.now() - toldAt >= quietMs) tell(`… ${tookSeconds().toFixed(0)} s`);
  }, 1000);
  try {
    const figures = await scenario.run({
      full: values.full,
      warmUpSeconds,
      seconds,
      rounds,
      earlierFolder,
      progress: tell,
      noteMemory: (mebibytes) => (memory = Math.max(memory ?? 0, mebibytes)),
    });
    return {
      at: new Date().toISOString(),
      command: commandLine(),
      machine: describeMachine(),
      ...currentCommit(),
      tookSeconds: tookSeconds(),
      ...(memory === undefined ? {} : { memory }),
      figures,
    };
  } finally {
    clearInterval(heartbeat);
  }
}

function commandLine(): string {
  const given = process.argv.slice(2).filter((argument) => argument !== "--write");
  return ["npm run bench", ...(given.length > 0 ? ["--", ...given] : [])].join(" ");
}

function currentCommit(): { readonly commit?: string } {
  const { status, stdout } = spawnSync("git", ["rev-parse", "--short", "HEAD"], { cwd: root, encoding: "utf8" });
  return status === 0 ? { commit: stdout.trim() } : {};
}

const begunAt = performance.now();
console.log(describeMachine());
const records: Record<string, Recorded> = {};
const failed: string[] = [];
for (const scenario of chosen) {
  try {
    records[scenario.name] = await runScenario(scenario);
  } catch (error) {
    // The others' figures are worth having.
    failed.push(scenario.name);
    console.error(error);
  }
}

console.log("");
for (const goal of goals) {
  const { title, figure, goal: limit, verdict } = judge(goal, measuredOf(records));
  console.log(`${title.padEnd(55)} goal ${limit.padEnd(10)} ${verdict.padEnd(13)} ${figure}`);
}
console.log(`took ${((performance.now() - begunAt) / 1000).toFixed(0)} s`);
if (values.output !== undefined) writeFileSync(values.output, `${JSON.stringify(records, null, 1)}\n`);
if (values.write || (wanted.length === 0 && failed.length === 0)) {
  const kept = { ...readRecords(recordFile), ...records };
  writeRecords(recordFile, kept);
  writeDocument(kept);
  console.log("docs/benchmarks.md is written");
}
if (failed.length > 0) console.error(`broke: ${failed.join(", ")}`);
process.exit(failed.length > 0 ? 1 : 0);
