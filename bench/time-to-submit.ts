// Scenario: how long a message takes from its call to its submit_sm while nothing else goes on.
import type { Scenario, Workbench } from "./scenario.ts";
import { describeSubmitTimes, measureSubmitTimes, notedPrefix, type SubmitTimes } from "./submit-times.ts";
import { oneLink, withGateway, withPostgres, withSmsc } from "./systems.ts";

export const timeToSubmit: Scenario<SubmitTimes> = {
  name: "time-to-submit",
  title: "from a call to its submit_sm on an idle system",
  run: runTimeToSubmit,
};

const callsPerSecond = 20;

async function runTimeToSubmit(bench: Workbench): Promise<SubmitTimes> {
  const { warmUpSeconds, seconds } = bench;
  const times = await withSmsc({ notePrefix: notedPrefix }, (smsc) =>
    withPostgres((postgres) => {
      const onMemory = (mebibytes: number): void => bench.noteMemory(mebibytes);
      return withGateway({ url: postgres.url, setup: oneLink(smsc.port), onMemory }, ({ port }) =>
        measureSubmitTimes({ port, smsc, kind: "single", callsPerSecond, warmUpSeconds, seconds: 2 * seconds }),
      );
    }),
  );
  bench.progress(describeSubmitTimes(times));
  return times;
}
