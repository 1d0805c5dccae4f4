// Scenario: calls of 100 recipients each, while the links are down (accepting alone) and while they
// take all they can.
import { describeMeasurement, measure, type Measurement } from "./measure.ts";
import { recipientsOfBulk } from "./requests.ts";
import type { Scenario, Workbench } from "./scenario.ts";
import { bestOf, connections, loadSettings } from "./single-calls.ts";
import { apiKey, deadPort, oneLink, withGateway, withPostgres, withSmsc } from "./systems.ts";

export interface HundredRecipientsFigures {
  readonly linksDown: Measurement;
  readonly dispatching: Measurement;
}

export const hundredRecipients: Scenario<HundredRecipientsFigures> = {
  name: "hundred-recipients",
  title: `calls of ${recipientsOfBulk} recipients, ${connections} connections: links down, and dispatching`,
  run: runHundredRecipients,
};

async function runHundredRecipients(bench: Workbench): Promise<HundredRecipientsFigures> {
  const linksDown: Measurement[] = [];
  const dispatching: Measurement[] = [];
  // One round fewer than of single calls: each leaves hundreds of thousands of messages.
  for (let round = 1; round < Math.max(2, bench.rounds); round += 1) {
    for (const [name, measurements, areLinksDown] of [
      ["links down", linksDown, true],
      ["dispatching", dispatching, false],
    ] as const) {
      const measurement = await loadOnce(bench, areLinksDown);
      measurements.push(measurement);
      bench.progress(`round ${round}  ${name.padEnd(11)}  ${describeMeasurement(measurement)}`);
    }
  }
  return { linksDown: bestOf(linksDown, "accepted"), dispatching: bestOf(dispatching, "accepted") };
}

function loadOnce(bench: Workbench, areLinksDown: boolean): Promise<Measurement> {
  return withSmsc({}, (smsc) =>
    withPostgres((postgres) => {
      const setup = oneLink(areLinksDown ? deadPort : smsc.port);
      const onMemory = (mebibytes: number): void => bench.noteMemory(mebibytes);
      return withGateway({ url: postgres.url, setup, onMemory }, async ({ pid, port }) => {
        const system = {
          gatewayPids: [pid],
          smsc,
          postgres,
          messagesPerCall: recipientsOfBulk,
          isAcceptedOnly: areLinksDown,
        };
        const settings = loadSettings(bench, { kind: "bulk", port, key: apiKey });
        return (await measure(system, settings)).measurement;
      });
    }),
  );
}
