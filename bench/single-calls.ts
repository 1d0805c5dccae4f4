// Scenario: calls of one message each over 64 connections, for Hodhod, the bare pipeline and Kannel
// in turns.
import { bare, type Candidate, hodhod, kannel } from "./candidates.ts";
import { hasKannel } from "./kannel.ts";
import { describeMeasurement, type LoadSettings, measure, type Measurement } from "./measure.ts";
import type { Result, Scenario, Workbench } from "./scenario.ts";

const connections = 64;

export const singleCalls: Scenario = {
  name: "single-calls",
  title: `calls of one message, ${connections} connections: compared with the bare pipeline and Kannel`,
  run: runSingleCalls,
};

async function runSingleCalls(bench: Workbench): Promise<readonly Result[]> {
  const candidates: Readonly<Record<string, Candidate>> = { hodhod, bare, ...(hasKannel && { kannel }) };
  if (!hasKannel) bench.progress("Kannel is not installed: measured without it");
  const rounds: Record<string, Measurement[]> = {};
  for (let round = 1; round <= bench.rounds; round += 1) {
    for (const [name, candidate] of Object.entries(candidates)) {
      const measurement = await runCandidate(candidate, bench);
      (rounds[name] ??= []).push(measurement);
      bench.progress(`round ${round}  ${name.padEnd(7)} ${describeMeasurement(measurement)}`);
    }
  }
  const { hodhod: ours = [], bare: ofBare = [], kannel: ofKannel } = rounds;
  return [
    ...(ofKannel ? beside("Kannel", bestOf(ours), bestOf(ofKannel), { carried: 2, accepted: 1 }) : []),
    ...beside("the bare pipeline", bestOf(ours), bestOf(ofBare), { carried: 0.75, accepted: 0.75 }),
  ];
}

function beside(
  whom: string,
  ours: Measurement,
  theirs: Measurement,
  goals: { readonly carried: number; readonly accepted: number },
): Result[] {
  return (["carried", "accepted"] as const).map((figure) => ({
    title: `single calls, ${figure}, compared with ${whom}`,
    figure: ours[figure] / theirs[figure],
    unit: "×",
    least: goals[figure],
    condition: `${ours[figure].toFixed(0)}/s`,
  }));
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

function runCandidate(candidate: Candidate, bench: Workbench): Promise<Measurement> {
  return candidate(async ({ system, kind, port, key, allDelivered }) => {
    const { measurement, result } = await measure(system, loadSettings(bench, { kind, port, key }));
    await allDelivered?.(result.answeredInAll);
    return measurement;
  }, bench.noteMemory);
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
