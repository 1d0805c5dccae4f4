// Scenario: how long a call of one message waits for its answer while the gateway has half the work
// that it can do. Calls are due by a clock, and a late answer counts from when its call was due.
import { hodhod } from "./candidates.ts";
import { describeMeasurement, type Measurement } from "./measure.ts";
import type { Scenario, Workbench } from "./scenario.ts";
import { connections, quickestOf, runCandidate } from "./single-calls.ts";

export interface AcceptLatencyFigures {
  /** At full load, in this scenario. */
  readonly fullLoad: Measurement;
  readonly callsPerSecond: number;
  readonly halfLoad: readonly Measurement[];
  /** The round whose 99th percentile was least. */
  readonly best: Measurement;
}

export const acceptLatency: Scenario<AcceptLatencyFigures> = {
  name: "accept-latency",
  title: `latency of accepting at half load, calls of one message, ${connections} connections`,
  run: runAcceptLatency,
};

async function runAcceptLatency(bench: Workbench): Promise<AcceptLatencyFigures> {
  const full = await runCandidate(hodhod, bench);
  bench.progress(`full load  ${describeMeasurement(full)}`);
  const callsPerSecond = Math.round(full.accepted / 2);
  const halfLoad: Measurement[] = [];
  for (let round = 1; round < Math.max(2, bench.rounds); round += 1) {
    const measurement = await runCandidate(hodhod, bench, callsPerSecond);
    halfLoad.push(measurement);
    const { p50, p99, p999 } = measurement.latencyMs;
    bench.progress(
      `half load  p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, p99.9 ${p999.toFixed(1)} ms  ${describeMeasurement(measurement)}`,
    );
  }
  return { fullLoad: full, callsPerSecond, halfLoad, best: quickestOf(halfLoad) };
}
