// npm run soak [-- --minutes N] [-- --calls N]: one gateway under steady load for a long time, its
// link cut now and then. Samples what it holds and how quickly it answers, and judges whether that
// is flat. Exit code 1 when it was not flat, or when anything was lost, doubled beyond the
// cuts, misreported or mispaid.
import { setTimeout as delay } from "node:timers/promises";
import { endWith, readOptions, wholeNumberOf } from "../bench/command-line.ts";
import { countUnderWay } from "./audit.ts";
import { minuteOf, readSample } from "./soak-sampler.ts";
import { describeFindings, describeMinute, minuteHead, type SoakResult } from "./soak-report.ts";
import { judgeSoak, type SoakMinute, type SoakSample } from "./soak-verdict.ts";
import type { World } from "./world.ts";

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130));

const values = readOptions("npm run soak [-- --minutes N] [--calls N]", {
  minutes: { type: "string", default: "30" },
  calls: { type: "string", default: "300" },
});
const soakMinutes = wholeNumberOf("--minutes", values.minutes, 3, 24 * 60);
const callsPerSecond = wholeNumberOf("--calls", values.calls, 1, 2000);
if (process.platform !== "linux") endWith("a soak reads /proc, which only Linux has");
// Loaded when it is known what is wanted: they load most of the product.
const { must } = await import("./case.ts");
const { OwnServer } = await import("./servers.ts");
const worlds = await import("./world.ts");

const sampleEveryMs = 10_000;
const totalMs = soakMinutes * 60_000;
/** A fifth of the time, at least one minute. */
const warmUpSeconds = Math.max(60, soakMinutes * 12);
const cutEveryMs = Math.min(180_000, totalMs / 6);
const restMs = 120_000;

async function soak(world: World): Promise<SoakResult> {
  const { load } = world;
  const samples: SoakSample[] = [];
  const minutes: SoakMinute[] = [];
  const cuts = cutNowAndThen(world);
  const begunAt = performance.now();
  const secondsSoFar = (): number => (performance.now() - begunAt) / 1000;
  load.start();
  console.log(minuteHead());
  let toldAt = 0;
  for (let next = begunAt; next <= begunAt + totalMs; next += sampleEveryMs) {
    await delay(Math.max(0, next - performance.now()));
    const sample = await readSample(world, secondsSoFar());
    samples.push(sample);
    const isMinute = sample.atSeconds >= 60 * (minutes.length + 1) - 1;
    if (!isMinute) continue;
    minutes.push(minuteOf(load.latencies.slice(toldAt)));
    toldAt = load.latencies.length;
    console.log(describeMinute(minutes, sample));
  }
  const cutCount = cuts.stop();
  await load.stop();
  const { audit, problems } = await tally(world, cutCount);
  const findings = judgeSoak(samples, minutes, { warmUpSeconds });
  return { findings, audit, problems, cuts: cutCount };
}

/** The operator breaks the link with whatever is on it. */
function cutNowAndThen({ operator }: World): { stop(): number } {
  let cuts = 0;
  const timer = setInterval(() => {
    cuts += 1;
    operator.smsc.cutLinks();
  }, cutEveryMs);
  return {
    stop: () => {
      clearInterval(timer);
      return cuts;
    },
  };
}

async function tally(world: World, cuts: number): Promise<Pick<SoakResult, "audit" | "problems">> {
  const { db, operator, load, mostUnsettled, binds } = world;
  const until = performance.now() + restMs;
  let atRest = 0;
  // Twice in a row: what the operator does later than at once.
  while (atRest < 2 && performance.now() < until) {
    await delay(1000);
    const isAtRest = (await countUnderWay(db)) === 0 && operator.smsc.counters.receiptsWaiting === 0;
    atRest = isAtRest ? atRest + 1 : 0;
  }
  const audit = await world.audit();
  const doubledAllowed = cuts * mostUnsettled * binds;
  const endings = await world.terminate();
  const problems = [
    ...must(audit.lost === 0, `${audit.lost} lost`),
    ...must(audit.misreported === 0, `${audit.misreported} misreported`),
    ...must(audit.rialsOff === 0n, `${audit.rialsOff} rials off`),
    ...must(audit.doubled <= doubledAllowed, `${audit.doubled} doubled, where ${doubledAllowed} may be`),
    ...must(audit.underWay === 0, `${audit.underWay} still under way`),
    ...load.failures.slice(0, 3).map((failure) => `a call failed: ${failure}`),
    ...endings,
    ...audit.examples,
  ];
  return { audit, problems };
}

console.log(`${soakMinutes} minutes, ${callsPerSecond} calls a second, a cut every ${Math.round(cutEveryMs / 1000)} s`);
const server = new OwnServer();
await server.start();
const world = await worlds.World.create({
  policy: "resend",
  server,
  binds: 2,
  window: 100,
  callsPerSecond,
  mix: { workers: 16, bulkEvery: 10, bulkSize: 10 },
  everyNth: 500,
  smsc: { memory: 1000 },
});
try {
  const result = await soak(world);
  for (const line of describeFindings(result)) console.log(line);
  const isFlat = result.findings.every((finding) => finding.isFlat);
  console.log(isFlat && result.problems.length === 0 ? "flat" : "FAILED");
  process.exitCode = isFlat && result.problems.length === 0 ? 0 : 1;
} finally {
  await world.close();
  await server.stop();
}
process.exit();
