// Cases in which a process dies: the gateway, its database, or both, killed or told to stop.
import { setTimeout as delay } from "node:timers/promises";
import { signalTo } from "../src/postgres/server.ts";
import { type CaseContext, type FaultCase, inWords, longestOf, underLoad, untilBack } from "./case.ts";
import type { Policy, World } from "./world.ts";

export type Victim = "gateway" | "database" | "both";

/**
 * Kills, starts again what does not start by itself, and answers how long it took until the service
 * was whole.
 */
export async function killAndRestart(world: World, victim: Victim): Promise<number> {
  const begunAt = performance.now();
  // Both at the same moment, as when the machine goes.
  const killed = victim === "database" ? undefined : world.node.kill();
  if (victim !== "gateway") signalTo(world.serverPid(), "SIGKILL");
  await killed;
  if (victim !== "database") await world.node.start();
  await untilBack(world);
  return performance.now() - begunAt;
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
      underLoad(context, { policy }, async (world) => {
        const times = context.full ? 12 : 1;
        const backMs = await longestOf(times, async () => {
          await randomPause(context.random);
          const back = await killAndRestart(world, victim);
          await world.load.accepts(50);
          return back;
        });
        // A gateway that lives on knows what was answered while its database was away.
        return { cuts: victim === "database" ? 0 : times, backMs, note: inWords(times) };
      }),
  };
}

async function killAtRandom(context: CaseContext) {
  const { random, full } = context;
  return underLoad(context, { policy: "hold" }, async (world) => {
    const victims: Victim[] = [];
    const times = full ? 30 : 4;
    const backMs = await longestOf(times, async () => {
      await randomPause(random);
      const victim = (["gateway", "database", "both"] as const)[Math.floor(random() * 3)] ?? "both";
      victims.push(victim);
      return killAndRestart(world, victim);
    });
    const cuts = victims.filter((victim) => victim !== "database").length;
    const counted = (["gateway", "database", "both"] as const).map(
      (each) => `${each} ${inWords(victims.filter((victim) => victim === each).length)}`,
    );
    return { cuts, backMs, note: counted.join(", ") };
  });
}

function terminate(context: CaseContext) {
  return underLoad(context, { policy: "resend" }, async (world) => {
    const times = context.full ? 10 : 2;
    const problems: string[] = [];
    const backMs = await longestOf(times, async () => {
      const begunAt = performance.now();
      problems.push(...(await world.node.terminate()));
      await world.node.start();
      await untilBack(world);
      await world.load.accepts(100);
      return performance.now() - begunAt;
    });
    return { backMs, note: inWords(times), problems };
  });
}

export const processCases: readonly FaultCase[] = [
  kill("kill-gateway-hold", "kill -9 of the gateway", "gateway", "hold"),
  kill("kill-gateway-resend", "kill -9 of the gateway", "gateway", "resend"),
  kill("kill-gateway-fail", "kill -9 of the gateway", "gateway", "fail"),
  kill("kill-database", "kill -9 of the embedded database", "database", "hold"),
  kill("kill-both", "kill -9 of gateway and database", "both", "hold"),
  { name: "kill-random", title: "kill -9 at random moments, hold", run: killAtRandom },
  { name: "terminate", title: "SIGTERM under load, resend", run: terminate },
];
