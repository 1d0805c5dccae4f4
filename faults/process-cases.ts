// Cases in which a process dies: the gateway, its database, or both, killed or told to stop; and
// workers of `serve --workers`, or their parent.
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { signalTo } from "../src/postgres/server.ts";
import { type CaseContext, type FaultCase, longestOf, timed, underLoad, untilBack } from "./case.ts";
import { serverPid } from "./servers.ts";
import type { Policy, World } from "./world.ts";

export const victims = ["gateway", "database", "both"] as const;
export type Victim = (typeof victims)[number];

/** Of the gateway's own database. */
export const embedded = { server: undefined };

export function killDatabase({ dataDir = "" }: World): void {
  signalTo(serverPid(dataDir), "SIGKILL");
}

/**
 * Kills, starts again what does not start by itself, and answers how long it took until the service
 * was whole.
 */
export function killAndRestart(world: World, victim: Victim): Promise<number> {
  return timed(async () => {
    // Both at the same moment, as when the machine goes.
    const killed = victim === "database" ? undefined : world.node().kill();
    if (victim !== "gateway") killDatabase(world);
    await killed;
    if (victim !== "database") await world.node().start();
    await untilBack(world);
  });
}

const shortestPauseMs = 100;
const longestPauseMs = 1500;

/** Lets the load run on for a while that nobody can foresee. */
function randomPause(random: () => number): Promise<void> {
  return delay(shortestPauseMs + random() * (longestPauseMs - shortestPauseMs));
}

function kill(name: string, title: string, victim: Victim, policy: Policy): FaultCase {
  return {
    name,
    title: `${title}, ${policy}`,
    run: (context) =>
      underLoad(context, { ...embedded, policy }, async (world) => {
        const times = context.full ? 12 : 1;
        const backMs = await longestOf(times, async () => {
          await randomPause(context.random);
          const back = await killAndRestart(world, victim);
          await world.load.accepts(50);
          return back;
        });
        // A gateway that lives on knows what was answered while its database was away.
        return { cuts: victim === "database" ? 0 : times, backMs, note: `${times} ×` };
      }),
  };
}

function killAtRandom(context: CaseContext) {
  const { random, full } = context;
  return underLoad(context, { ...embedded, policy: "hold" }, async (world) => {
    const killed: Victim[] = [];
    const backMs = await longestOf(full ? 30 : 4, async () => {
      await randomPause(random);
      const victim = victims[Math.floor(random() * victims.length)] ?? "both";
      killed.push(victim);
      return killAndRestart(world, victim);
    });
    const cuts = killed.filter((victim) => victim !== "database").length;
    return { cuts, backMs, note: killed.join(", ") };
  });
}

function terminate(context: CaseContext) {
  return underLoad(context, { ...embedded, policy: "resend" }, async (world) => {
    const times = context.full ? 10 : 2;
    const backMs = await longestOf(times, async () => {
      const back = await timed(async () => {
        await world.terminate();
        await world.node().start();
        await untilBack(world);
      });
      await world.load.accepts(100);
      return back;
    });
    return { backMs, note: `${times} ×` };
  });
}

/** Answers a note of them. */
export function checkBinds({ operator: { mostBinds }, binds, problems }: World, most = binds): string {
  if (mostBinds > most) problems.push(`${mostBinds} binds at a time, where ${most} may be`);
  return `${binds} binds, ${mostBinds} at a time at most`;
}

const workers = 2;

/** The children of the parent that run the program of a worker. */
function pidsOf(world: World): readonly number[] {
  const { pid } = world.node();
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  const isWorker = (child: string) => readFileSync(`/proc/${child}/cmdline`, "utf8").includes("worker-main");
  return children.trim().split(" ").filter(isWorker).map(Number);
}

/** A process that has ended stays listed as a zombie (proc(5): state Z) until its new parent looks for it. */
function isRunning(pid: number): boolean {
  const status = `/proc/${pid}/status`;
  return existsSync(status) && !/^State:\tZ/m.test(readFileSync(status, "utf8"));
}

/** The other one goes on. */
async function killOneWorker(world: World, round: number): Promise<void> {
  const pids = pidsOf(world);
  const victim = pids[round % pids.length];
  if (pids.length !== workers || victim === undefined) throw new Error(`${pids.length} workers run`);
  process.kill(victim, "SIGKILL");
  await untilBack(world);
  await world.operator.untilBinds(world.binds);
  await world.untilTakenOver();
}

/** The workers end at once, as in a crash, and the next start recovers what they had open. */
async function killParent(world: World): Promise<void> {
  const before = pidsOf(world);
  await world.node().kill();
  await world.node().start();
  const left = before.filter(isRunning).length;
  world.check(left === 0, `${left} workers of the killed parent still run beside the new ones`);
  await untilBack(world);
}

function ofWorkers(name: string, title: string, work: (world: World, round: number) => Promise<void>): FaultCase {
  return {
    name,
    title: `${title}, resend`,
    run: (context) =>
      underLoad(context, { ...embedded, policy: "resend", workers, binds: workers }, async (world) => {
        const cuts = context.full ? 3 : 1;
        const backMs = await longestOf(cuts, async (round) => {
          const back = await timed(async () => {
            await work(world, round);
            await world.untilShared();
          });
          await world.load.accepts(50);
          return back;
        });
        return { cuts, backMs, note: checkBinds(world) };
      }),
  };
}

export const processCases: readonly FaultCase[] = [
  ...(["hold", "resend", "fail"] as const).map((policy) =>
    kill(`kill-gateway-${policy}`, "kill -9 of the gateway", "gateway", policy),
  ),
  kill("kill-database", "kill -9 of the embedded database", "database", "hold"),
  kill("kill-both", "kill -9 of gateway and database", "both", "hold"),
  { name: "kill-random", title: "kill -9 at random moments, hold", run: killAtRandom },
  { name: "terminate", title: "SIGTERM under load, resend", run: terminate },
  ofWorkers("kill-worker", "one of two workers killed", killOneWorker),
  ofWorkers("kill-parent", "the parent of two workers killed", killParent),
];
