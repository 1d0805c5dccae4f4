// Scenario: calls of one message while millions of past weeks are stored, beside an empty system,
// in turns.
import { describeMeasurement, measure, type Measurement } from "./measure.ts";
import type { Scenario, Workbench } from "./scenario.ts";
import { bestOf, loadSettings } from "./single-calls.ts";
import { storedIn, storeMessages } from "./stored-messages.ts";
import {
  apiKey,
  deadPort,
  oneLink,
  type Postgres,
  prepareDatabase,
  withGateway,
  withPostgres,
  withSmsc,
} from "./systems.ts";

export interface GrowthFigures {
  readonly stored: number;
  /** Gibibytes of the database. */
  readonly size: number;
  readonly emptyRounds: readonly Measurement[];
  readonly grownRounds: readonly Measurement[];
  readonly empty: Measurement;
  readonly grown: Measurement;
}

export const growth: Scenario<GrowthFigures> = {
  name: "growth",
  title: "calls of one message while millions are stored, beside an empty system",
  run: runGrowth,
};

function runGrowth(bench: Workbench): Promise<GrowthFigures> {
  const stored = storedIn(bench);
  return withPostgres((emptyServer) =>
    withPostgres(async (grownServer) => {
      await prepareDatabase(grownServer.url, oneLink(deadPort));
      await storeMessages(grownServer, stored, (line) => bench.progress(line));
      const size = await databaseSize(grownServer);
      bench.progress(`${stored} messages, ${size.toFixed(1)} GiB`);
      const [emptyRounds, grownRounds]: [Measurement[], Measurement[]] = [[], []];
      for (let round = 1; round <= bench.rounds; round += 1) {
        for (const [name, server, measurements] of [
          ["empty", emptyServer, emptyRounds],
          ["grown", grownServer, grownRounds],
        ] as const) {
          const measurement = await loadOnce(bench, server);
          measurements.push(measurement);
          bench.progress(`round ${round}  ${name}  ${describeMeasurement(measurement)}`);
        }
      }
      return { stored, size, emptyRounds, grownRounds, empty: bestOf(emptyRounds), grown: bestOf(grownRounds) };
    }),
  );
}

function loadOnce(bench: Workbench, postgres: Postgres): Promise<Measurement> {
  const onMemory = (mebibytes: number): void => bench.noteMemory(mebibytes);
  return withSmsc({}, (smsc) =>
    withGateway({ url: postgres.url, setup: oneLink(smsc.port), onMemory }, async ({ pid, port }) => {
      const system = { gatewayPids: [pid], smsc, postgres, messagesPerCall: 1 };
      const settings = loadSettings(bench, { kind: "single", port, key: apiKey });
      return (await measure(system, settings)).measurement;
    }),
  );
}

async function databaseSize(postgres: Postgres): Promise<number> {
  const [row] = await postgres.query<{ octets: string }>("select pg_database_size(current_database())::text as octets");
  return Number(row?.octets) / 2 ** 30;
}
