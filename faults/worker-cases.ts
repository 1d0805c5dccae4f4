// Cases of `serve --workers`: one worker dies, or their parent does.
import { existsSync, readFileSync } from "node:fs";
import { type CaseContext, type FaultCase, longestOf, underLoad, untilBack } from "./case.ts";
import type { World } from "./world.ts";

const workers = 2;
/** One each. */
const binds = 2;

/** The children of the parent that run the program of a worker. */
function pidsOf(world: World): readonly number[] {
  const children = readFileSync(`/proc/${world.node.pid}/task/${world.node.pid}/children`, "utf8");
  const isWorker = (pid: string) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("worker-main");
  return children.trim().split(" ").filter(isWorker).map(Number);
}

/** A process that has ended stays listed as a zombie (proc(5): state Z) until its new parent looks for it. */
function isRunning(pid: number): boolean {
  const status = `/proc/${pid}/status`;
  return existsSync(status) && !/^State:\tZ/m.test(readFileSync(status, "utf8"));
}

async function oneKilled(context: CaseContext) {
  return underLoad(context, { policy: "resend", workers, binds }, async (world) => {
    const times = context.full ? 3 : 1;
    const backMs = await longestOf(times, async (round) => {
      const begunAt = performance.now();
      const pids = pidsOf(world);
      const victim = pids[round % pids.length];
      if (pids.length !== workers || victim === undefined) throw new Error(`${pids.length} workers run`);
      process.kill(victim, "SIGKILL");
      // The other one goes on.
      await untilBack(world);
      await world.operator.untilBinds(binds);
      await world.untilTakenOver();
      await world.untilShared();
      await world.load.accepts(50);
      return performance.now() - begunAt;
    });
    const note = `${binds} binds, ${world.operator.mostBinds} at a time at most`;
    const problems = world.operator.mostBinds > binds ? [`${world.operator.mostBinds} binds at a time`] : [];
    return { cuts: times, backMs, note, problems };
  });
}

/** The workers end at once, as in a crash, and the next start recovers what they had open. */
async function parentKilled(context: CaseContext) {
  return underLoad(context, { policy: "resend", workers, binds }, async (world) => {
    const problems: string[] = [];
    const times = context.full ? 3 : 1;
    const backMs = await longestOf(times, async () => {
      const begunAt = performance.now();
      const before = pidsOf(world);
      await world.node.kill();
      await world.node.start();
      const left = before.filter(isRunning);
      if (left.length > 0) problems.push(`${left.length} workers of the killed parent still run beside the new ones`);
      await untilBack(world);
      await world.untilShared();
      await world.load.accepts(50);
      return performance.now() - begunAt;
    });
    return { cuts: times, backMs, note: "started again at once", problems };
  });
}

export const workerCases: readonly FaultCase[] = [
  { name: "kill-worker", title: "one of two workers killed, resend", run: oneKilled },
  { name: "kill-parent", title: "the parent of two workers killed, resend", run: parentKilled },
];
