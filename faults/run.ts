// npm run faults: breaks the real program in every way that was thought of, and counts what came of
// it. The seed makes the same random moments again. With --retry a case that did not end as the rule
// demands runs once more, with nothing beside it, and is named as flaky if it is right then. The
// rows it prints are those of faults/results.md. Exit code 1 when a case did not end as the rule
// demands.
import { choose, readCommandLine, wholeNumberOf } from "../bench/command-line.ts";
import { describeError } from "../fuzz/target.ts";
import { within } from "../fuzz/timeout.ts";
import { randomNumbers } from "../fuzz/random.ts";
import type { CaseCounts, FaultCase } from "./case.ts";

const usage = "npm run faults [-- --full] [--seed N] [--jobs N] [--retry] [--list] [NAME…]";
const { values, positionals } = readCommandLine(
  usage,
  {
    full: { type: "boolean", default: false },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
    jobs: { type: "string", default: "3" },
    retry: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
  },
  { allowPositionals: true },
);
const seed = wholeNumberOf("--seed", values.seed, 0);
const jobs = wholeNumberOf("--jobs", values.jobs, 1, 16);
// Loaded when it is known what is wanted: they load most of the product.
const { all } = await import("./all-cases.ts");
const { Skipped } = await import("./case.ts");
const { OwnServer } = await import("./servers.ts");
const chosen = choose(all, positionals, values.list).filter(
  ({ needsQuiet = false }) => !needsQuiet || values.full || positionals.length > 0,
);

/** A case that hangs must not keep the others from being told. */
const caseDeadlineMs = values.full ? 480_000 : 240_000;
const begunAt = performance.now();
const secondsSince = (start: number): string => `${((performance.now() - start) / 1000).toFixed(0)} s`;
const problemsOf = new Map<FaultCase, readonly string[]>();
let skipped = 0;

function cells(counts: CaseCounts): readonly (string | number | bigint)[] {
  const { accepted, lost, doubled, misreported, rialsOff, open, retries, backMs, doubledAllowed, openAllowed } = counts;
  const of = (figure: number, most: number): string => (most > 0 ? `${figure} of ${most}` : String(figure));
  const back = backMs === undefined ? "" : (backMs / 1000).toFixed(1);
  return [accepted, lost, of(doubled, doubledAllowed), misreported, rialsOff, of(open, openAllowed), retries, back];
}

async function runCase(faultCase: FaultCase): Promise<void> {
  const { name, title } = faultCase;
  const caseBegunAt = performance.now();
  // Apart for each case, so that one case can be run again by itself.
  const random = randomNumbers(seed + all.indexOf(faultCase));
  let problems: readonly string[] = [];
  let row: readonly (string | number | bigint)[] = Array.from({ length: 8 }, () => "");
  let verdict: string;
  try {
    const running = faultCase.run({ full: values.full, random, server });
    const counts = await within(caseDeadlineMs, running, "not over");
    problems = counts.problems;
    row = cells(counts);
    verdict = [problems.length > 0 ? "**failed**" : "passed", counts.note].filter(Boolean).join("; ");
  } catch (error) {
    const isSkipped = error instanceof Skipped;
    if (isSkipped) skipped += 1;
    else problems = [describeError(error)];
    verdict = isSkipped ? `skipped: ${error.message}` : "**failed**";
  }
  problemsOf.set(faultCase, problems);
  console.log(`| ${[`\`${name}\``, title, ...row, secondsSince(caseBegunAt), verdict].join(" | ")} |`);
  for (const problem of problems) console.log(`  ! ${problem}`);
}

async function runAll(cases: FaultCase[]): Promise<void> {
  for (let next = cases.shift(); next; next = cases.shift()) await runCase(next);
}

console.log(`${chosen.length} cases, seed ${values.seed}, ${values.full ? "full" : "short"} form`);
const server = new OwnServer();
await server.start();
console.log(
  "| case | what happens | accepted | lost | doubled | misrep. | rials off | open | repeated | back s | took | result |",
);
console.log(`|${" --- |".repeat(12)}`);
const together = chosen.filter(({ needsQuiet = false }) => !needsQuiet);
await Promise.all(Array.from({ length: jobs }, () => runAll(together)));
await runAll(chosen.filter(({ needsQuiet = false }) => needsQuiet));
const isWrong = ([, problems]: readonly [FaultCase, readonly string[]]): boolean => problems.length > 0;
if (values.retry) {
  for (const [each, problems] of [...problemsOf].filter(isWrong)) {
    await runCase(each);
    if (problemsOf.get(each)?.length === 0) console.log(`FLAKY: ${each.name}: ${problems.join("; ")}`);
  }
}
await server.stop();

const failed = [...problemsOf].filter(isWrong).map(([{ name }]) => name);
const right = chosen.length - failed.length - skipped;
const names = failed.length > 0 ? `: ${failed.join(", ")}` : "";
console.log(`${right} as they must be, ${skipped} skipped, ${failed.length} not, in ${secondsSince(begunAt)}${names}`);
process.exit(failed.length > 0 ? 1 : 0);
