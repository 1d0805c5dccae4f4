// npm run bench [-- --full] [-- --only NAME…] [-- --list]: measures the gateway and, for comparison,
// other programs; prints the tables of docs/benchmarks.md (goals) and bench/results.md (rounds).
import { choose, endWith, readCommandLine, wholeNumberOf } from "./command-line.ts";
import { describeMachine } from "./machine.ts";
import { judge, type Result, type Scenario } from "./scenario.ts";

const usage = "npm run bench [-- --full] [--list] [--seconds N] [--rounds N] [--only NAME…]";
const { values, positionals } = readCommandLine(
  usage,
  {
    full: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
    list: { type: "boolean", default: false },
    seconds: { type: "string", default: "10" },
    rounds: { type: "string", default: "3" },
  },
  { allowPositionals: true },
);
const size = {
  full: values.full,
  seconds: wholeNumberOf("--seconds", values.seconds, 1),
  warmUpSeconds: 3,
  rounds: wholeNumberOf("--rounds", values.rounds, 1),
};
// Loaded when it is known what is wanted: they load most of the product.
const { scenarios } = await import("./scenarios.ts");
const wanted = choose(scenarios, [...values.only, ...positionals], values.list);

async function runScenario(scenario: Scenario): Promise<readonly Result[]> {
  let memory = 0;
  console.log(`\n${scenario.name}: ${scenario.title}`);
  const results = await scenario.run({
    ...size,
    progress: (line) => console.log(`  ${line}`),
    noteMemory: (mebibytes) => (memory = Math.max(memory, mebibytes)),
  });
  const title = `memory of the gateway process, ${scenario.name}`;
  return memory === 0 ? results : [...results, { title, figure: memory, unit: "MiB", below: 300 }];
}

const begunAt = performance.now();
console.log(describeMachine());
const results: Result[] = [];
const failed: string[] = [];
for (const scenario of wanted) {
  try {
    results.push(...(await runScenario(scenario)));
  } catch (error) {
    // The others' figures are worth having.
    failed.push(scenario.name);
    console.error(error);
  }
}

console.log("\n| metric | goal | measured | |\n| --- | ---: | ---: | ---: |");
for (const result of results) {
  const { goal, figure, isMet } = judge(result);
  console.log(`| ${result.title} | ${goal} | ${figure} | ${isMet ? "met" : "**not met**"} |`);
}
console.log(`\ntook ${((performance.now() - begunAt) / 1000).toFixed(0)} s`);
if (failed.length > 0) endWith(`broke: ${failed.join(", ")}`, 1);
