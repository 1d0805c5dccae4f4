// Cases in which strangers, from a process and addresses of their own, send as much as they can of
// what the HTTP side must hold: requests, bodies, heads. The load beside them is the caller of good
// will: all its calls are answered 200 within 3 s, and the gateway's memory stays bounded.
import { startAttackers } from "./attackers.ts";
import { requireLoopbackAddresses, watchBystander } from "./bystander.ts";
import { type CaseContext, type FaultCase, underLoad } from "./case.ts";
import type { StormName } from "./strangers.ts";
import type { World } from "./world.ts";

const fewestCalls = 20;
const stormMs = 8_000;
const longStormMs = 40_000;

function stormCase(name: string, title: string, storm: StormName): FaultCase {
  return {
    name,
    title,
    isAlone: true,
    needsQuiet: true,
    run: (context) =>
      underLoad(context, { policy: "resend", server: context.server }, (world) => rage(world, storm, context)),
  };
}

async function rage(world: World, storm: StormName, { full }: CaseContext) {
  requireLoopbackAddresses();
  const { load, node } = world;
  const strangers = await startAttackers("strangers.ts", [node.port, storm]);
  const until = performance.now() + (full ? longStormMs : stormMs);
  const isOver = (): boolean => performance.now() > until && load.latencies.length >= fewestCalls;
  const { note, problems } = await watchBystander(world, isOver);
  return { note: `${await strangers.stop()} connections of strangers; ${note}`, problems };
}

export const stormCases: readonly FaultCase[] = [
  stormCase("pipelining-storm", "5 callers pipeline 2,400 calls and leave, again and again", "pipelining"),
  stormCase("readiness-storm", "200 callers ask 50 times at once whether the service is ready", "probes"),
  stormCase("unfinished-bodies", "536 callers begin bodies of 500 kB", "bodies"),
  stormCase("unfinished-heads", "450 callers begin heads of 2 MiB", "heads"),
];
