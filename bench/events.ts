// Scenario: single calls with an endpoint for all events, beside single calls without one. The two
// gateways stand at once, and get the load in short turns: a shared machine is a third faster in one
// minute than in the next.
import { type Sink, withSink } from "./event-sink.ts";
import { holdsWithin } from "./look.ts";
import { describeMeasurement, measure, type Measurement, type SystemUnderLoad } from "./measure.ts";
import { spreadOf } from "./percentiles.ts";
import type { Result, Scenario, Workbench } from "./scenario.ts";
import { loadSettings } from "./single-calls.ts";
import { apiKey, oneLink, type Postgres, withGateway, withPostgres, withSmsc } from "./systems.ts";

export const events: Scenario = {
  name: "events",
  title: "single calls with events to one endpoint, compared with those without",
  run: runEvents,
};

/** A gateway that stands. */
interface Stand {
  readonly name: string;
  readonly system: SystemUnderLoad;
  readonly port: number;
  readonly postgres: Postgres;
  readonly sink: Sink;
}

/** What came of the events of a load. */
interface Loaded {
  readonly measurement: Measurement;
  /** Delivered a second in the counted time. */
  readonly perSecond: number;
  /** From the end of the load until the last one was delivered. */
  readonly behindMs: number;
  /** Of the log in PostgreSQL, with its indexes, for each event. */
  readonly octets: number;
}

const turnSeconds = 3;

async function runEvents(bench: Workbench): Promise<readonly Result[]> {
  const without: Loaded[] = [];
  const batched: Loaded[] = [];
  await withStand(bench, undefined, (plain) =>
    withStand(bench, 100, async (other) => {
      for (const stand of [plain, other]) await load(bench, stand, { seconds: 1 });
      for (let turn = 0; turn < (bench.rounds * bench.seconds) / turnSeconds; turn += 1) {
        without.push(await load(bench, plain, { seconds: turnSeconds, isWarm: true }));
        batched.push(await load(bench, other, { seconds: turnSeconds, isWarm: true }));
      }
    }),
  );
  const plain = spreadOf(without.map(({ measurement }) => measurement.carried)).p50;
  const single = await withStand(bench, 1, (stand) =>
    load(bench, stand, { seconds: bench.seconds, callsPerSecond: Math.round(plain / 2) }),
  );
  const beside = (figure: "accepted" | "carried"): Result => ({
    title: `single calls, ${figure}, one endpoint with batches of 100 compared with none`,
    // The median of the turns.
    figure: spreadOf(
      batched.map(({ measurement }, turn) => measurement[figure] / (without[turn]?.measurement[figure] ?? 0)),
    ).p50,
    unit: "×",
    least: 0.7,
  });
  return [
    beside("carried"),
    beside("accepted"),
    {
      title: "events in batches, behind at the end of full load",
      unit: "ms",
      below: 2000,
      figure: Math.max(...batched.map(({ behindMs }) => behindMs)),
    },
    { title: "the log of events, for each", figure: batched.at(-1)?.octets ?? 0, unit: "B", below: 150 },
    { title: "single events delivered at half load", figure: single.perSecond, unit: "/s", least: 1000 },
  ];
}

/** A new gateway and an empty database; with one endpoint for all events, or none. */
function withStand<T>(bench: Workbench, batchSize: number | undefined, work: (stand: Stand) => Promise<T>): Promise<T> {
  return withSmsc({}, (smsc) =>
    withSink((sink) =>
      withPostgres((postgres) => {
        const setup = JSON.parse(oneLink(smsc.port)) as { accounts: object[] };
        const webhooks = [{ name: "sink", url: `http://127.0.0.1:${sink.port}/`, events: ["*"], batchSize }];
        if (batchSize !== undefined) setup.accounts = setup.accounts.map((account) => ({ ...account, webhooks }));
        const options = {
          url: postgres.url,
          setup: JSON.stringify(setup),
          env: { HODHOD_WEBHOOK_ALLOW: "127.0.0.0/8" },
          onMemory: bench.noteMemory,
        };
        return withGateway(options, ({ pid, port }) => {
          const system = { gatewayPids: [pid], smsc, postgres, messagesPerCall: 1 };
          const name = batchSize === undefined ? "no endpoint" : `batches of ${batchSize}`;
          return work({ name, system, port, postgres, sink });
        });
      }),
    ),
  );
}

interface Load {
  readonly seconds: number;
  readonly callsPerSecond?: number;
  readonly isWarm?: boolean;
}

async function load(
  bench: Workbench,
  { name, system, port, postgres, sink }: Stand,
  { seconds, callsPerSecond = 0, isWarm = false }: Load,
): Promise<Loaded> {
  const settings = {
    ...loadSettings(bench, { kind: "single", port, key: apiKey }, callsPerSecond),
    seconds,
    ...(isWarm && { warmUpSeconds: 0.5 }),
  };
  const counted = { begin: 0, end: 0 };
  const { measurement } = await measure({ ...system, isWarm }, settings, {
    begin: async () => void (counted.begin = await sink.count()),
    end: async () => void (counted.end = await sink.count()),
  });
  bench.progress(`${name}: ${describeMeasurement(measurement)}`);
  const delivered = await untilDelivered(postgres, sink);
  return { measurement, perSecond: (counted.end - counted.begin) / measurement.seconds, ...delivered };
}

const timeoutMs = 120_000;

/** Until the sink has as many events as the log, which does not grow any more. */
async function untilDelivered(postgres: Postgres, sink: Sink): Promise<Pick<Loaded, "behindMs" | "octets">> {
  const begun = performance.now();
  let [happened, octets, before] = [0, 0, -1];
  const areDelivered = async (): Promise<boolean> => {
    before = happened;
    const [row] = await postgres.query<{ events: number; octets: number }>(
      `select (select count(*)::int from event) as events,
              (select coalesce(sum(pg_total_relation_size(inhrelid)), 0)::float8 from pg_inherits where inhparent = 'event'::regclass) as octets`,
    );
    [happened, octets] = [row?.events ?? 0, row?.octets ?? 0];
    return happened === before && (await sink.count()) >= happened;
  };
  if (!(await holdsWithin(timeoutMs, areDelivered))) throw new Error(`not all of ${happened} events were delivered`);
  // Empty partitions have pages of their own.
  return { behindMs: performance.now() - begun, octets: happened === 0 ? 0 : octets / happened };
}
