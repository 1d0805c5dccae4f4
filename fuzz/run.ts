// npm run fuzz [-- --seconds N] [-- --seed N] [-- --input N] [-- --list] [-- TARGET…]: gives the
// program bad input, target by target, for so many seconds each. Exit code 1 when something was
// found; the input that shows it is printed as it would stand in a test.
import { choose, readCommandLine, wholeNumberOf } from "../bench/command-line.ts";
import { runCampaign, type CampaignResult } from "./campaign.ts";
import type { Target } from "./target.ts";

const usage = "npm run fuzz [-- --seconds N] [--seed N] [--input N] [--list] [TARGET…]";
const { values, positionals } = readCommandLine(
  usage,
  {
    seconds: { type: "string", default: "10" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
    input: { type: "string" },
    list: { type: "boolean", default: false },
  },
  { allowPositionals: true },
);
const seconds = wholeNumberOf("--seconds", values.seconds, 1);
const input = values.input === undefined ? undefined : wholeNumberOf("--input", values.input, 0);
// Loaded when it is known what is wanted: they load most of the product.
const { targets } = await import("./targets.ts");
const { OwnServer } = await import("../faults/servers.ts");
const chosen = choose(targets, positionals, values.list);

function describe({ target, inputs, notes, faults, ...figures }: CampaignResult): string {
  const cells = [
    inputs,
    (inputs / figures.seconds).toFixed(0),
    figures.slowestMs.toFixed(0),
    figures.slowestIndex,
    (figures.grownBytes / 2 ** 20).toFixed(1),
    faults.length,
  ];
  return `${target.name.padEnd(12)} ${cells.map((cell) => String(cell).padStart(10)).join(" ")}  ${notes}`;
}

async function fuzz(target: Target, databaseServer: string | undefined): Promise<CampaignResult> {
  const result = await runCampaign({
    target,
    seed: values.seed,
    seconds,
    ...(input === undefined ? {} : { from: input, inputs: 1 }),
    surroundings: { databaseServer },
  });
  console.log(describe(result));
  for (const { index, words, input: expression } of result.faults) {
    const again = `npm run fuzz -- --seed ${values.seed} --input ${index ?? 0} ${target.name}`;
    console.log(`\n${words}\n${index === undefined ? "" : `\n${expression}\n\nagain: ${again}\n`}`);
  }
  return result;
}

const server = chosen.some(({ needsDatabase }) => needsDatabase === true) ? new OwnServer() : undefined;
await server?.start();
console.log(`${chosen.length} targets, ${seconds} s each, seed ${values.seed}`);
console.log("target           inputs   a second slowest ms   at input  grown MiB   findings");
const results: CampaignResult[] = [];
for (const target of chosen) results.push(await fuzz(target, server?.url));
await server?.stop();

const found = results.reduce((sum, { faults }) => sum + faults.length, 0);
const tried = results.reduce((sum, { inputs }) => sum + inputs, 0);
console.log(`${tried} inputs, ${found} findings`);
process.exit(found > 0 ? 1 : 0);
