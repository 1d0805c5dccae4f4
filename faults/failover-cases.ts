// Cases in which something is taken over: the database by its standby, and the work of a gateway
// that is frozen by another one.
import { setTimeout as delay } from "node:timers/promises";
import { type CaseContext, type FaultCase, type FaultReport, underLoad, untilBack } from "./case.ts";
import { ReplicatedServer } from "./replicated-server.ts";
import type { Policy } from "./world.ts";

/** Until whoever watches over the primary believes that it is dead. */
const noticedAfterMs = 2000;

async function primaryLost(context: CaseContext, policy: Policy, nodes: number) {
  const server = new ReplicatedServer();
  try {
    await server.start();
    const world = { policy, server, nodes, binds: nodes, callsPerSecond: 40 };
    return await underLoad(context, world, async (running): Promise<FaultReport> => {
      const begunAt = performance.now();
      await server.failOver(noticedAfterMs);
      await untilBack(running);
      const note = `${nodes} ${nodes === 1 ? "node" : "nodes"}; synchronous standby promoted after ${noticedAfterMs / 1000} s`;
      return { backMs: performance.now() - begunAt, note };
    });
  } finally {
    await server.stop();
  }
}

/** Longer than the lease, so that another node has taken over binds and claims when it goes on. */
const frozenMs = 14_000;

async function frozenNode(context: CaseContext) {
  const { server } = context;
  const times = context.full ? 5 : 1;
  return underLoad(context, { policy: "hold", server, nodes: 2, binds: 2 }, async (world): Promise<FaultReport> => {
    for (let round = 0; round < times; round += 1) {
      const frozen = world.nodes[round % world.nodes.length] ?? world.node;
      process.kill(frozen.pid, "SIGSTOP");
      await delay(frozenMs);
      process.kill(frozen.pid, "SIGCONT");
      await world.untilShared();
      await world.load.accepts(50);
    }
    return { cuts: times, note: `for ${frozenMs / 1000} s, lease 10 s` };
  });
}

export const failoverCases: readonly FaultCase[] = [
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
  { name: "frozen-node", title: "one of two nodes frozen for longer than its lease, hold", run: frozenNode },
];
