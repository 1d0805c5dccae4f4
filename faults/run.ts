// npm run faults [-- --full] [-- --seed N] [-- --jobs N] [-- --retry] [-- --table] [-- NAME…]:
// breaks the real program in every way that was thought of, and counts what came of it. With
// --retry a case that did not end as the rule demands runs once more, with nothing beside it, and
// is named as flaky if it is right then. --table prints the results for faults/results.md. Exit
// code 1 when a case did not end as the rule demands.
import { endWith, readCommandLine, wholeNumberOf } from "../bench/command-line.ts";
import { describeError } from "../fuzz/target.ts";
import { within } from "../fuzz/timeout.ts";
import { randomNumbers } from "../fuzz/random.ts";
import type { CaseCounts, FaultCase } from "./case.ts";
import { type CaseResult, describeResult, markdownTable, tableHead } from "./report.ts";
import type { OwnServer } from "./servers.ts";

const usage = "npm run faults [-- --full] [--seed N] [--jobs N] [--retry] [--table] [--list] [NAME…]";
const { values, positionals } = readCommandLine(usage, {
  full: { type: "boolean", default: false },
  seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
  jobs: { type: "string", default: "3" },
  retry: { type: "boolean", default: false },
  table: { type: "boolean", default: false },
  list: { type: "boolean", default: false },
});
const seed = wholeNumberOf("--seed", values.seed, 0);
const jobs = wholeNumberOf("--jobs", values.jobs, 1, 16);
// Loaded when it is known what is wanted: they load most of the product.
const { all } = await import("./all-cases.ts");
const { Skipped } = await import("./case.ts");
const servers = await import("./servers.ts");
if (values.list) {
  for (const { name, title } of all) console.log(`${name.padEnd(20)} ${title}`);
  process.exit(0);
}
const unknown = positionals.filter((name) => !all.some((each) => each.name === name));
if (unknown.length > 0) endWith(`no case is called ${unknown.join(", ")}; --list names them`);
const chosen = all.filter(({ name, needsQuiet }) =>
  positionals.length === 0 ? values.full || needsQuiet !== true : positionals.includes(name),
);

/** A case that hangs must not keep the others from being told. */
const caseDeadlineMs = values.full ? 480_000 : 240_000;

async function runCase(faultCase: FaultCase, server: OwnServer): Promise<CaseResult> {
  const begunAt = performance.now();
  const { name, title } = faultCase;
  const seconds = (): number => (performance.now() - begunAt) / 1000;
  // Apart for each case, so that one case can be run again by itself.
  const random = randomNumbers(seed + all.indexOf(faultCase));
  try {
    const counts: CaseCounts = await within(
      caseDeadlineMs,
      faultCase.run({ full: values.full, random, server }),
      "not over",
    );
    return { name, title, counts, problems: counts.problems, seconds: seconds() };
  } catch (error) {
    if (error instanceof Skipped) return { name, title, skipped: error.message, problems: [], seconds: seconds() };
    return { name, title, problems: [describeError(error)], seconds: seconds() };
  }
}

const begunAt = performance.now();
console.log(`${chosen.length} cases, seed ${values.seed}, ${values.full ? "full" : "short"} form`);
const server = new servers.OwnServer();
await server.start();
console.log(tableHead());
const results = new Map<FaultCase, CaseResult>();
const waiting = chosen.filter(({ isAlone }) => isAlone !== true);
const alone = chosen.filter(({ isAlone }) => isAlone === true);
const progressEveryMs = 60_000;
let toldAt = begunAt;
const work = async (cases: FaultCase[]): Promise<void> => {
  for (let next = cases.shift(); next; next = cases.shift()) {
    const result = await runCase(next, server);
    results.set(next, result);
    console.log(describeResult(result));
    const isLong = performance.now() - toldAt > progressEveryMs;
    if (!isLong || results.size === chosen.length) continue;
    toldAt = performance.now();
    console.log(`… ${results.size} of ${chosen.length} cases in ${((toldAt - begunAt) / 1000).toFixed(0)} s`);
  }
};
await Promise.all(Array.from({ length: jobs }, () => work(waiting)));
await work(alone);
if (values.retry) {
  for (const [each, { problems }] of [...results].filter(([, result]) => result.problems.length > 0)) {
    await work([each]);
    if (results.get(each)?.problems.length === 0) console.log(`FLAKY: ${each.name}: ${problems.join("; ")}`);
  }
}
await server.stop();

const inOrder = chosen.flatMap((each) => results.get(each) ?? []);
const failed = inOrder.filter(({ problems }) => problems.length > 0);
const skipped = inOrder.filter((result) => result.skipped !== undefined);
const right = inOrder.length - failed.length - skipped.length;
const seconds = (performance.now() - begunAt) / 1000;
if (values.table) console.log(markdownTable(inOrder));
const names = failed.length > 0 ? `: ${failed.map(({ name }) => name).join(", ")}` : "";
console.log(
  `${right} as they must be, ${skipped.length} skipped, ${failed.length} not, in ${seconds.toFixed(0)} s${names}`,
);
process.exit(failed.length > 0 ? 1 : 0);
