// Scenario: how long calls of one message wait at half load while the texts of all stored messages
// are erased, beside the same load without it, in turns.
import { describeMeasurement, measure, type Measurement } from "./measure.ts";
import type { Scenario, Workbench } from "./scenario.ts";
import { loadSettings, quickestOf } from "./single-calls.ts";
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

export interface ErasingFigures {
  readonly stored: number;
  readonly callsPerSecond: number;
  /** Texts a second, in the counted time of all rounds. */
  readonly erasedPerSecond: number;
  /** The rounds whose 99th percentile was least. */
  readonly without: Measurement;
  readonly erasing: Measurement;
}

export const erasing: Scenario<ErasingFigures> = {
  name: "erasing",
  title: "latency of accepting at half load while millions of texts are erased, beside without",
  run: runErasing,
};

interface Round {
  readonly measurement: Measurement;
  readonly erased: number;
}

function runErasing(bench: Workbench): Promise<ErasingFigures> {
  const stored = storedIn(bench);
  return withPostgres(async (postgres) => {
    await prepareDatabase(postgres.url, setupOf(deadPort, 0));
    await storeMessages(postgres, stored, (line) => bench.progress(line));
    await skipEmptyTime(postgres);
    const { measurement: full } = await load(bench, postgres, {});
    bench.progress(`full load  ${describeMeasurement(full)}`);
    const callsPerSecond = Math.round(full.accepted / 2);
    const [without, beside]: [Round[], Round[]] = [[], []];
    for (let round = 1; round <= bench.rounds; round += 1) {
      for (const [name, contentDays, rounds] of [
        ["without", 0, without],
        ["erasing", 1, beside],
      ] as const) {
        const one = await load(bench, postgres, { callsPerSecond, contentDays });
        rounds.push(one);
        const { p50, p99 } = one.measurement.latencyMs;
        const latency = `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms`;
        bench.progress(`round ${round}  ${name}  ${latency}  ${one.erased} erased`);
      }
    }
    if (beside.some(({ erased }) => erased === 0)) throw new Error("all texts were erased before the load ended");
    const seconds = beside.reduce((sum, { measurement }) => sum + measurement.seconds, 0);
    return {
      ...{ stored, callsPerSecond },
      erasedPerSecond: beside.reduce((sum, { erased }) => sum + erased, 0) / seconds,
      without: quickestOf(without.map(({ measurement }) => measurement)),
      erasing: quickestOf(beside.map(({ measurement }) => measurement)),
    };
  });
}

/** Erasing begins years ago, and would walk through time without messages first. */
async function skipEmptyTime(postgres: Postgres): Promise<void> {
  await postgres.query(
    "insert into erasure (kind, done_until) select kind, now() - interval '9 weeks' from unnest(array['text', 'code', 'received']) kind",
  );
}

/** Texts are kept so many days; 0: for ever. */
function setupOf(smscPort: number, contentDays: number): string {
  return JSON.stringify({ ...(JSON.parse(oneLink(smscPort)) as object), contentDays });
}

interface Plan {
  /** Absent: as many as are answered. */
  readonly callsPerSecond?: number;
  readonly contentDays?: number;
}

function load(bench: Workbench, postgres: Postgres, { callsPerSecond = 0, contentDays = 0 }: Plan): Promise<Round> {
  const onMemory = (mebibytes: number): void => bench.noteMemory(mebibytes);
  return withSmsc({}, (smsc) =>
    withGateway({ url: postgres.url, setup: setupOf(smsc.port, contentDays), onMemory }, async ({ pid, port }) => {
      const system = { gatewayPids: [pid], smsc, postgres, messagesPerCall: 1 };
      const settings = loadSettings(bench, { kind: "single", port, key: apiKey }, callsPerSecond);
      const erased = { begin: 0, end: 0 };
      const { measurement } = await measure(system, settings, {
        begin: async () => void (erased.begin = await countErased(postgres)),
        end: async () => void (erased.end = await countErased(postgres)),
      });
      return { measurement, erased: erased.end - erased.begin };
    }),
  );
}

/** By the statistics of PostgreSQL: to count the rows would burden what is measured. */
async function countErased(postgres: Postgres): Promise<number> {
  const [row] = await postgres.query<{ erased: number }>(
    `select coalesce(sum(n_tup_upd), 0)::int as erased from pg_stat_user_tables
      where relname ~ '^message_\\d' and relname <> 'message_' || to_char(now() at time zone 'utc', 'IYYY"w"IW')`,
  );
  return row?.erased ?? 0;
}
