// Cases with several gateways on one database.
import { type CaseContext, type FaultCase, type FaultReport, longestOf, underLoad } from "./case.ts";
import type { GatewayNode } from "./gateway-node.ts";
import type { Policy, World } from "./world.ts";

/** From the death of a node until its binds stand elsewhere: the lease, a review, and a bind. */
const slowestMoveMs = 20_000;

/** Kills one, waits until the others have its binds and its claims, and starts it again. */
async function killOne(world: World, victim: GatewayNode): Promise<number> {
  const { operator, binds, load } = world;
  const begunAt = performance.now();
  await victim.kill();
  await operator.untilBinds(binds);
  await world.untilTakenOver();
  const movedMs = performance.now() - begunAt;
  await victim.start();
  await world.untilShared();
  await load.accepts(50);
  return movedMs;
}

function bindProblems(world: World, movedMs: number): readonly string[] {
  const { operator, binds } = world;
  return [
    ...(operator.mostBinds > binds ? [`${operator.mostBinds} binds at a time, where ${binds} are agreed`] : []),
    ...(movedMs > slowestMoveMs ? [`binds and claims moved after ${Math.round(movedMs)} ms only`] : []),
  ];
}

function oneKilled(name: string, nodes: number, binds: number, policy: Policy): FaultCase {
  return {
    name,
    title: `${nodes} nodes, one killed, ${policy}`,
    run: (context) =>
      underLoad(context, { policy, server: context.server, nodes, binds }, async (world): Promise<FaultReport> => {
        const times = context.full ? 3 : 1;
        const backMs = await longestOf(times, (round) => {
          const victim = world.nodes[round % nodes] ?? world.node;
          return killOne(world, victim);
        });
        const note = `${binds} binds, ${world.operator.mostBinds} at a time at most`;
        return { cuts: times, backMs, note, problems: bindProblems(world, backMs) };
      }),
  };
}

async function rollingRestart(context: CaseContext) {
  const { server } = context;
  return underLoad(context, { policy: "resend", server, nodes: 2, binds: 2 }, async (world) => {
    const problems: string[] = [];
    const backMs = await longestOf(context.full ? 6 : 2, async (round) => {
      const node = world.nodes[round % world.nodes.length] ?? world.node;
      const begunAt = performance.now();
      problems.push(...(await node.terminate()));
      await node.start();
      await world.untilShared();
      await world.load.accepts(50);
      return performance.now() - begunAt;
    });
    const note = `${world.operator.mostBinds} binds at a time at most`;
    return { backMs, note, problems: [...problems, ...bindProblems(world, 0)] };
  });
}

export const clusterCases: readonly FaultCase[] = [
  oneKilled("two-nodes-resend", 2, 2, "resend"),
  oneKilled("two-nodes-hold", 2, 2, "hold"),
  oneKilled("three-nodes", 3, 3, "hold"),
  { name: "rolling-restart", title: "rolling restart of two nodes, resend", run: rollingRestart },
];
