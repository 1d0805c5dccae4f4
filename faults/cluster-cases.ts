// Cases with several gateways on one database, or with a database of two servers: what one of them
// did is taken over by another one.
import { setTimeout as delay } from "node:timers/promises";
import { type CaseContext, type FaultCase, longestOf, timed, underLoad, untilBack } from "./case.ts";
import { checkBinds } from "./process-cases.ts";
import { ReplicatedServer } from "./replicated-server.ts";
import type { Policy, World } from "./world.ts";

/** From the death of a node until its binds stand elsewhere: the lease, a review, and a bind. */
const slowestMoveMs = 20_000;

/** Kills one, waits until the others have its binds and its claims, and starts it again. */
async function killOne(world: World, round: number): Promise<number> {
  const victim = world.node(round);
  const movedMs = await timed(async () => {
    await victim.kill();
    await world.operator.untilBinds(world.binds);
    await world.untilTakenOver();
  });
  world.check(movedMs <= slowestMoveMs, `binds and claims moved after ${Math.round(movedMs)} ms only`);
  await victim.start();
  return movedMs;
}

async function restartOne(world: World, round: number): Promise<number> {
  const node = world.node(round);
  world.problems.push(...(await node.terminate()));
  return timed(() => node.start());
}

/** Longer than the lease, so that another node has taken over binds and claims when it goes on. */
const frozenMs = 14_000;

async function freezeOne(world: World, round: number): Promise<number> {
  const frozen = world.node(round);
  process.kill(frozen.pid, "SIGSTOP");
  await delay(frozenMs);
  return timed(async () => {
    process.kill(frozen.pid, "SIGCONT");
    await world.untilShared();
  });
}

interface Cluster {
  readonly nodes: number;
  readonly policy: Policy;
  /** What is done to one node after the other, and how often in the short and in the long form. */
  readonly work: (world: World, round: number) => Promise<number>;
  readonly times: number;
  readonly longTimes: number;
  /** No answer of the operator is lost. */
  readonly isGentle?: boolean;
  /** Binds of a frozen node stand beside those that took their place. */
  readonly isFrozen?: boolean;
}

function ofNodes(name: string, title: string, { nodes, policy, work, ...form }: Cluster): FaultCase {
  return {
    name,
    title: `${title}, ${policy}`,
    run: (context) =>
      underLoad(context, { policy, nodes, binds: nodes }, async (world) => {
        const times = context.full ? form.longTimes : form.times;
        const backMs = await longestOf(times, async (round) => {
          const back = await work(world, round);
          await world.untilShared();
          await world.load.accepts(50);
          return back;
        });
        return {
          cuts: form.isGentle === true ? 0 : times,
          backMs,
          note: checkBinds(world, form.isFrozen === true ? 2 * nodes : nodes),
        };
      }),
  };
}

/** Until whoever watches over the primary believes that it is dead. */
const noticedAfterMs = 2000;

async function primaryLost(context: CaseContext, policy: Policy, nodes: number) {
  const server = new ReplicatedServer();
  try {
    await server.start();
    return await underLoad(context, { policy, server, nodes, binds: nodes, callsPerSecond: 40 }, async (world) => {
      const backMs = await timed(async () => {
        await server.failOver(noticedAfterMs);
        await untilBack(world);
      });
      return { backMs, note: `synchronous standby promoted after ${noticedAfterMs / 1000} s` };
    });
  } finally {
    await server.stop();
  }
}

const killed = { work: killOne, times: 1, longTimes: 3 };

export const clusterCases: readonly FaultCase[] = [
  ofNodes("two-nodes-resend", "2 nodes, one killed", { ...killed, nodes: 2, policy: "resend" }),
  ofNodes("two-nodes-hold", "2 nodes, one killed", { ...killed, nodes: 2, policy: "hold" }),
  ofNodes("three-nodes", "3 nodes, one killed", { ...killed, nodes: 3, policy: "hold" }),
  ofNodes("rolling-restart", "rolling restart of two nodes", {
    nodes: 2,
    policy: "resend",
    work: restartOne,
    times: 2,
    longTimes: 6,
    isGentle: true,
  }),
  ofNodes("frozen-node", `one of two nodes frozen for ${frozenMs / 1000} s, longer than its lease`, {
    nodes: 2,
    policy: "hold",
    work: freezeOne,
    times: 1,
    longTimes: 5,
    isFrozen: true,
  }),
  {
    name: "database-failover",
    title: "primary of the database killed -9, standby promoted, hold",
    run: (context) => primaryLost(context, "hold", 1),
  },
  {
    name: "failover-two-nodes",
    title: "the same with two nodes, resend",
    run: (context) => primaryLost(context, "resend", 2),
  },
];
