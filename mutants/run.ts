// npm run mutants [-- --only NAME…] [--near] [--jobs N] [--list]: breaks the program in one place
// at a time, in a copy, and runs the tests of that place. A change that no test notices is a guard
// that no test holds. Exit code 1 when one survives without a reason in the table, 2 when one no
// longer applies.
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { endWith, readOptions, wholeNumberOf } from "../bench/command-line.ts";
import { startTestCluster } from "../test/support/global-setup.ts";
import { keepTemporaryFilesInMemory } from "../test/support/memory.ts";
import { applyChange, type Change, ChangeDoesNotApply, testSteps } from "./change.ts";
import { changes } from "./table.ts";
import { Tree } from "./tree.ts";

const usage = "npm run mutants [-- --only NAME[,NAME…]] [--near] [--jobs N] [--list]";
const values = readOptions(usage, {
  only: { type: "string" },
  near: { type: "boolean", default: false },
  jobs: { type: "string", default: "1" },
  list: { type: "boolean", default: false },
});
if (values.list) {
  for (const { name, file } of changes) console.log(`${name.padEnd(44)} ${file}`);
  process.exit(0);
}
const only = values.only?.split(",");
const unknown = (only ?? []).filter((name) => !changes.some((change) => change.name === name));
if (unknown.length > 0) endWith(`no change is called ${unknown.join(", ")}; --list names them`);
const jobs = wholeNumberOf("--jobs", values.jobs, 1, 8);
const chosen = changes.filter(({ name }) => only === undefined || only.includes(name));

/** Before anything runs: the table must fit the code. */
for (const change of chosen) {
  try {
    applyChange(readFileSync(path.join("src", change.file), "utf8"), change);
  } catch (error) {
    if (error instanceof ChangeDoesNotApply) endWith(error.message);
    throw error;
  }
}

/**
 * With --near the room is not asked: quicker, and a change that is found only there counts as not
 * noticed.
 */
const stepsOf = (change: Change, tree: Tree): readonly (readonly string[])[] => {
  const steps = testSteps(change, (name) => tree.hasTest(name));
  return values.near ? steps.filter((step) => step.every((name) => name.endsWith(".test.ts"))) : steps;
};

type Fate = { readonly change: Change; readonly noticedBy: string | undefined; readonly seconds: number };

const logs = mkdtempSync(path.join(tmpdir(), "hodhod-mutants-logs-"));
keepTemporaryFilesInMemory();
const { cluster, stop } = await startTestCluster();
const trees = Array.from({ length: Math.min(jobs, chosen.length) }, () => new Tree(cluster));
process.on("exit", () => {
  for (const tree of trees) tree.remove();
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => void leave(130));

let leaving: Promise<void> | undefined;
async function leave(code: number): Promise<never> {
  for (const tree of trees) tree.remove();
  leaving ??= stop();
  await leaving;
  process.exit(code);
}

/**
 * Tests that fail without any change say nothing about one. Only those asked first, where some
 * changes were chosen.
 */
async function checkUnbroken(tree: Tree): Promise<boolean> {
  const steps = chosen.flatMap((change) => stepsOf(change, tree));
  const asked = new Set(steps.flat().filter((name) => only === undefined || name.endsWith(".test.ts")));
  const paths = [...asked].filter((name) => !asked.has(path.dirname(name)));
  const log = path.join(logs, "unbroken.log");
  console.log(`the tests of ${chosen.length} changes, without any: ${paths.length} files and folders`);
  if (paths.length === 0 || (await tree.runTests(paths, log)) === "passed") return true;
  console.error(`the tests fail without any change; see ${log}`);
  return false;
}

/** Of several runs the last one's: those before it passed. */
function failedTestIn(log: string): string | undefined {
  return / FAIL {2}(?:\|\w+\| )?test\/(.+)/.exec(readFileSync(log, "utf8"))?.[1];
}

async function meetFate(tree: Tree, change: Change): Promise<Fate> {
  const begun = performance.now();
  const log = path.join(logs, `${change.name}.log`);
  const noticedBy = await tree.withChange(change, async () => {
    for (const step of stepsOf(change, tree)) {
      const verdict = await tree.runTests(step, log);
      if (verdict !== "passed") return failedTestIn(log) ?? `${step.join(" ")} (${verdict})`;
    }
    return undefined;
  });
  return { change, noticedBy, seconds: (performance.now() - begun) / 1000 };
}

const [firstTree] = trees;
if (firstTree !== undefined && !(await checkUnbroken(firstTree))) await leave(2);
const waiting = [...chosen];
const fates: Fate[] = [];
const work = Promise.all(
  trees.map(async (tree) => {
    for (let change = waiting.shift(); change !== undefined; change = waiting.shift()) {
      const fate = await meetFate(tree, change);
      fates.push(fate);
      const place = `[${String(fates.length).padStart(3)}/${chosen.length}]`;
      const words = fate.noticedBy === undefined ? "SURVIVES" : `noticed by ${fate.noticedBy}`;
      console.log(`${place} ${change.name.padEnd(44)} ${words}, ${fate.seconds.toFixed(1)} s`);
    }
  }),
);
await work.catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return leave(2);
});

const survivors = fates.filter(({ noticedBy }) => noticedBy === undefined).map(({ change }) => change);
const unexplained = survivors.filter(({ survives }) => survives === undefined);
const outdated = fates.filter(({ change, noticedBy }) => change.survives !== undefined && noticedBy !== undefined);
for (const { name, file, survives } of survivors) {
  console.log(`survives: ${name} (${file}): ${survives ?? "no reason given"}`);
}
for (const { change } of outdated) console.log(`is noticed, and has a reason to survive in the table: ${change.name}`);
console.log(
  `${fates.length - survivors.length} of ${fates.length} changes noticed, ${survivors.length} survive; logs in ${logs}`,
);
await leave(unexplained.length > 0 || outdated.length > 0 ? 1 : 0);
