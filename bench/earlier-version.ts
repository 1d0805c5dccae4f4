// Scenario: calls of one message with nothing else set up, in turns with an earlier version, whose
// folder is given: a checkout with its packages installed.
import { type Candidate, hodhod, hodhodOf } from "./candidates.ts";
import { describeMeasurement, type Measurement } from "./measure.ts";
import type { Scenario, Workbench } from "./scenario.ts";
import { bestOf, runCandidate } from "./single-calls.ts";

export interface EarlierFigures {
  readonly now: Measurement;
  readonly earlier: Measurement;
}

export const earlierVersion: Scenario<EarlierFigures> = {
  name: "earlier-version",
  title: "calls of one message, beside an earlier version (--before FOLDER)",
  needsEarlier: true,
  run: runEarlier,
};

/** What another version took is none of this one's figures. */
const ignore = (): void => undefined;

async function runEarlier(bench: Workbench): Promise<EarlierFigures> {
  if (bench.earlierFolder === undefined) throw new Error("no folder of an earlier version");
  const candidates: readonly (readonly [keyof EarlierFigures, Candidate])[] = [
    ["now", hodhod],
    ["earlier", hodhodOf(bench.earlierFolder)],
  ];
  const rounds: Record<keyof EarlierFigures, Measurement[]> = { now: [], earlier: [] };
  for (let round = 1; round <= bench.rounds; round += 1) {
    // Each is the first one in turns: the machine may become slower or quicker.
    for (const [name, candidate] of round % 2 === 1 ? candidates : candidates.toReversed()) {
      const measurement = await runCandidate(candidate, name === "now" ? bench : { ...bench, noteMemory: ignore });
      rounds[name].push(measurement);
      bench.progress(`round ${round}  ${name.padEnd(7)} ${describeMeasurement(measurement)}`);
    }
  }
  return { now: bestOf(rounds.now), earlier: bestOf(rounds.earlier) };
}
