// The simulated SMSC as a process: delivers everything at once. Prints its port, and on "count" what it has seen.
import { createInterface } from "node:readline";
import { startSimulatedSmsc } from "../src/simulator/simulated-smsc.ts";

const smsc = await startSimulatedSmsc({ behaviours: [], memory: 1, window: 1000 });
process.stdout.write(`port ${smsc.port}\n`);
createInterface({ input: process.stdin }).on("line", () => {
  const { submits, receiptsAcknowledged } = smsc.counters;
  const { user, system } = process.cpuUsage();
  process.stdout.write(`count ${JSON.stringify({ submits, receiptsAcknowledged, cpuMs: (user + system) / 1000 })}\n`);
});
