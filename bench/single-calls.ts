// Scenario: calls of one message each over 64 connections, for Hodhod, the bare pipeline and Kannel
// in turns.
import { bare, type Candidate, hodhod, kannel } from "./candidates.ts";
import { hasKannel } from "./kannel.ts";
import { describeMeasurement, type LoadSettings, measure, type Measurement } from "./measure.ts";
import type { Scenario, Workbench } from "./scenario.ts";

export type CandidateName = "hodhod" | "bare" | "kannel";

export interface SingleCallFigures {
  /** Of each candidate every round, in order. */
  readonly rounds: Readonly<Partial<Record<CandidateName, readonly Measurement[]>>>;
  /** Of each candidate the round that carried most. */
  readonly best: Readonly<Partial<Record<CandidateName, Measurement>>>;
}

export const connections = 64;

export const singleCalls: Scenario<SingleCallFigures> = {
  name: "single-calls",
  title: `calls of one message, ${connections} connections: beside the bare pipeline and Kannel`,
  run: runSingleCalls,
};

async function runSingleCalls(bench: Workbench): Promise<SingleCallFigures> {
  const candidates: [CandidateName, Candidate][] = [
    ["hodhod", hodhod],
    ["bare", bare],
  ];
  if (hasKannel()) candidates.push(["kannel", kannel]);
  else bench.progress("Kannel is not installed: measured without it");
  const rounds: Partial<Record<CandidateName, Measurement[]>> = {};
  for (let round = 1; round <= bench.rounds; round += 1) {
    for (const [name, candidate] of candidates) {
      const measurement = await runCandidate(candidate, bench);
      (rounds[name] ??= []).push(measurement);
      bench.progress(`round ${round}  ${name.padEnd(7)} ${describeMeasurement(measurement)}`);
    }
  }
  const best = Object.fromEntries(Object.entries(rounds).map(([name, each]) => [name, bestOf(each)]));
  return { rounds, best };
}

/** All connections calling again as soon as they are answered, unless calls are due by a clock. */
export function loadSettings(
  { warmUpSeconds, seconds }: Workbench,
  target: Pick<LoadSettings, "kind" | "port" | "key">,
  callsPerSecond = 0,
): LoadSettings {
  const { kind, port, key } = target;
  return { kind, port, key, connections, warmUpSeconds, seconds, callsPerSecond };
}

export function runCandidate(candidate: Candidate, bench: Workbench, callsPerSecond = 0): Promise<Measurement> {
  return candidate(
    async ({ system, kind, port, key, allDelivered }) => {
      const settings = loadSettings(bench, { kind, port, key }, callsPerSecond);
      const { measurement, result } = await measure(system, settings);
      await allDelivered?.(result.answeredInAll);
      return measurement;
    },
    (mebibytes) => bench.noteMemory(mebibytes),
  );
}

/**
 * The machine may be busy with other things in one round or another; nothing is faster than it is.
 * Throws when there was no round.
 */
export function bestOf(measurements: readonly Measurement[], figure: "accepted" | "carried" = "carried"): Measurement {
  const [first, ...others] = measurements;
  if (first === undefined) throw new Error("nothing was measured");
  return others.reduce((best, each) => (each[figure] > best[figure] ? each : best), first);
}

/** The round whose 99th percentile was least. Throws when there was no round. */
export function quickestOf(measurements: readonly Measurement[]): Measurement {
  const [first, ...others] = measurements;
  if (first === undefined) throw new Error("nothing was measured");
  return others.reduce((best, each) => (each.latencyMs.p99 < best.latencyMs.p99 ? each : best), first);
}
