import { hodhod } from "./candidates.ts";
import { runCandidate } from "./single-calls.ts";
import { describeMeasurement } from "./measure.ts";
const bench = { warmUpSeconds: 3, seconds: 8, rounds: 1, full: false, progress: () => undefined, noteMemory: () => undefined } as never;
console.log(describeMeasurement(await runCandidate(hodhod, bench)));
process.exit(0);
