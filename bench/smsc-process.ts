// The simulated SMSC as a process: delivers everything at once. Prints its port; on "count" what it
// has seen, on "times" when the noted recipients came.
import { createInterface } from "node:readline";
import { startSimulatedSmsc } from "../src/simulator/simulated-smsc.ts";
import { monotonicMs } from "./machine.ts";

export interface SmscOptions {
  /** Recipients whose number begins so are noted with the time of their first submit_sm. */
  readonly notePrefix?: string;
  readonly receiptDelayMs?: number;
}

if (process.argv[2] !== undefined) await serve(JSON.parse(process.argv[2]) as SmscOptions);

async function serve({ notePrefix, ...behaviour }: SmscOptions): Promise<void> {
  const smsc = await startSimulatedSmsc({ behaviours: [], memory: 1, window: 1000, ...behaviour });
  const times = new Map<string, number>();
  if (notePrefix !== undefined) {
    smsc.on("submit", ({ recipient: { address } }) => {
      if (address.startsWith(notePrefix) && !times.has(address)) times.set(address, monotonicMs());
    });
  }
  process.stdout.write(`port ${smsc.port}\n`);
  createInterface({ input: process.stdin }).on("line", (question) => {
    const { submits, receiptsAcknowledged } = smsc.counters;
    const answer = question === "times" ? [...times] : { at: monotonicMs(), submits, receiptsAcknowledged };
    process.stdout.write(`${question} ${JSON.stringify(answer)}\n`);
  });
}
