// Scenario: calls of 100 recipients each, while the links are down (accepting alone) and while they
// take all they can.
import { describeMeasurement, measure, type Measurement } from "./measure.ts";
import { recipientsOfBulk } from "./requests.ts";
import type { Result, Scenario, Workbench } from "./scenario.ts";
import { bestOf, loadSettings } from "./single-calls.ts";
import { apiKey, deadPort, oneLink, withGateway, withPostgres, withSmsc } from "./systems.ts";

export const hundredRecipients: Scenario = {
  name: "hundred-recipients",
  title: `calls of ${recipientsOfBulk} recipients: links down, and dispatching`,
  run: runHundredRecipients,
};

async function runHundredRecipients(bench: Workbench): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const [name, areLinksDown, least] of [
    ["links down", true, 40_000],
    ["dispatching", false, 15_000],
  ] as const) {
    const measurements: Measurement[] = [];
    // One round fewer than of single calls: each leaves hundreds of thousands of messages.
    for (let round = 1; round < Math.max(2, bench.rounds); round += 1) {
      const measurement = await loadOnce(bench, areLinksDown);
      measurements.push(measurement);
      bench.progress(`round ${round}  ${name.padEnd(11)}  ${describeMeasurement(measurement)}`);
    }
    const best = bestOf(measurements, "accepted");
    const condition = `${best.carried.toFixed(0)}/s carried meanwhile`;
    results.push({
      title: `${recipientsOfBulk}-recipient calls, ${name}: messages accepted`,
      unit: "/s",
      least,
      condition,
      figure: best.accepted,
    });
  }
  return results;
}

function loadOnce(bench: Workbench, areLinksDown: boolean): Promise<Measurement> {
  return withSmsc({}, (smsc) =>
    withPostgres((postgres) => {
      const setup = oneLink(areLinksDown ? deadPort : smsc.port);
      return withGateway({ url: postgres.url, setup, onMemory: bench.noteMemory }, async ({ pid, port }) => {
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
