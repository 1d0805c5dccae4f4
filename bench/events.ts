// Scenario: single calls with events, rules and limits, in turns with single calls without them.
import { setTimeout as delay } from "node:timers/promises";
import { useBlockLists } from "./block-lists.ts";
import { type Sink, withSink } from "./sink-process.ts";
import { describeMeasurement, measure, type Measurement } from "./measure.ts";
import type { Scenario, Workbench } from "./scenario.ts";
import { bestOf, loadSettings } from "./single-calls.ts";
import { apiKey, oneLink, type Postgres, withGateway, withPostgres, withSmsc } from "./systems.ts";

/** What came of the events of a load. */
export interface ToldEvents {
  readonly measurement: Measurement;
  /** Events of the log, all of which were delivered. */
  readonly events: number;
  /** Delivered a second in the counted time. */
  readonly perSecond: number;
  /** From the end of the load until the last one was delivered. */
  readonly behindSeconds: number;
  /** Of the log in PostgreSQL, with its indexes, for each event. */
  readonly octets: number;
}

export interface EventFigures {
  readonly without: Measurement;
  /** One endpoint for everything, batches of 100, at full load. */
  readonly batched: ToldEvents;
  /** One endpoint for everything, single events, beside half load. */
  readonly single: ToldEvents;
  /** Opt-outs, two block lists, sending hours and 200 words. */
  readonly rules: Measurement;
  /** Ceilings of a day and of a month, far away. */
  readonly ceilings: Measurement;
  /** These, and the guard against duplicates. */
  readonly limits: Measurement;
}

export const events: Scenario<EventFigures> = {
  name: "events",
  title: "single calls with events, rules and limits, beside those without",
  run: runEvents,
};

const everyDay = [{ from: "00:00", to: "24:00" }];
const words = Array.from({ length: 200 }, (_, index) => `واژه${index}`);
const ceilings = { dailyMessages: 1_000_000_000, monthlyCost: 1_000_000_000_000 };
/** Twice the shortest: a subscriber is called again only after longer than this. */
const guarded = { ...ceilings, duplicateSeconds: 2 };
/** So many that none is called twice within the guarded time. */
const differentCalls = 60_000;

type SetupChange = (setup: { accounts: object[]; lines: object[]; [section: string]: unknown }) => void;

const changes = {
  without: () => undefined,
  rules: (setup) => {
    setup["sendingHours"] = [{ name: "always", windows: everyDay }];
    setup["contentRules"] = [{ name: "words", words, links: "none", action: "refuse" }];
    setup.lines = setup.lines.map((one) => ({ ...one, optOut: "honour" }));
  },
  ceilings: (setup) => {
    setup.accounts = setup.accounts.map((one) => ({ ...one, ...ceilings }));
  },
  limits: (setup) => {
    setup.accounts = setup.accounts.map((one) => ({ ...one, ...guarded }));
  },
} satisfies Readonly<Record<string, SetupChange>>;

type VariantName = keyof typeof changes;

async function runEvents(bench: Workbench): Promise<EventFigures> {
  const names = Object.keys(changes) as VariantName[];
  const rounds = new Map<VariantName, Measurement[]>(names.map((name) => [name, []]));
  const batched: ToldEvents[] = [];
  for (let round = 1; round <= bench.rounds; round += 1) {
    for (const name of names) {
      const { measurement } = await load(bench, changes[name], { hasBlockLists: name === "rules" });
      rounds.get(name)?.push(measurement);
      bench.progress(`round ${round}  ${name.padEnd(8)} ${describeMeasurement(measurement)}`);
    }
    const told = await load(bench, changes.without, { batchSize: 100 });
    bench.progress(`round ${round}  batched  ${describeMeasurement(told.measurement)}  ${describeTold(told)}`);
    batched.push(told);
  }
  const best = (name: VariantName): Measurement => bestOf(rounds.get(name) ?? []);
  const without = best("without");
  const single = await load(bench, changes.without, { batchSize: 1, callsPerSecond: Math.round(without.carried / 2) });
  bench.progress(`half load, single events  ${describeMeasurement(single.measurement)}  ${describeTold(single)}`);
  const bestMeasurement = bestOf(batched.map(({ measurement }) => measurement));
  const bestBatched = batched.find(({ measurement }) => measurement === bestMeasurement) ?? single;
  return {
    ...{ without, batched: bestBatched, single },
    ...{ rules: best("rules"), ceilings: best("ceilings"), limits: best("limits") },
  };
}

function describeTold({ events: count, perSecond, behindSeconds, octets }: ToldEvents): string {
  return `${count} events, ${perSecond.toFixed(0)}/s, ${behindSeconds.toFixed(1)} s behind, ${octets.toFixed(0)} B each`;
}

interface LoadPlan {
  /** Of the endpoint; absent: there is none. */
  readonly batchSize?: number;
  readonly callsPerSecond?: number;
  /** What they take of the memory has a goal of its own. */
  readonly hasBlockLists?: boolean;
}

/** One load on a new gateway and an empty database. */
function load(bench: Workbench, change: SetupChange, plan: LoadPlan): Promise<ToldEvents> {
  const { batchSize, callsPerSecond = 0, hasBlockLists = false } = plan;
  return withSmsc({}, (smsc) =>
    withSink((sink) =>
      withPostgres((postgres) => {
        const setup = JSON.parse(oneLink(smsc.port)) as Parameters<SetupChange>[0];
        change(setup);
        if (batchSize !== undefined) {
          const webhooks = [{ name: "sink", url: `http://127.0.0.1:${sink.port}/`, events: ["*"], batchSize }];
          setup.accounts = setup.accounts.map((account) => ({ ...account, webhooks }));
        }
        const env = { HODHOD_WEBHOOK_ALLOW: "127.0.0.0/8" };
        const onMemory = (mebibytes: number): void => (hasBlockLists ? undefined : bench.noteMemory(mebibytes));
        const options = { url: postgres.url, setup: JSON.stringify(setup), env, onMemory };
        return withGateway(options, async ({ pid, port }) => {
          if (hasBlockLists) {
            await useBlockLists(bench, postgres.url);
            // What the import leaves to clean up is no cost of the rules.
            await postgres.query("vacuum (analyze)");
            await postgres.query("checkpoint");
          }
          const system = { gatewayPids: [pid], smsc, postgres, messagesPerCall: 1 };
          const settings = {
            ...loadSettings(bench, { kind: "single", port, key: apiKey }, callsPerSecond),
            differentCalls,
          };
          const counted = { begin: 0, end: 0 };
          const { measurement } = await measure(system, settings, {
            begin: async () => void (counted.begin = (await sink.count()).events),
            end: async () => void (counted.end = (await sink.count()).events),
          });
          const told = await untilTold(postgres, sink);
          return { measurement, perSecond: (counted.end - counted.begin) / measurement.seconds, ...told };
        });
      }),
    ),
  );
}

const patienceMs = 120_000;

/** Until the sink has as many events as the log, which does not grow any more. */
async function untilTold(
  postgres: Postgres,
  sink: Sink,
): Promise<Pick<ToldEvents, "events" | "behindSeconds" | "octets">> {
  const begun = performance.now();
  for (let before = -1; ;) {
    const [row] = await postgres.query<{ events: number; octets: number }>(
      `select (select count(*)::int from event) as events,
              (select coalesce(sum(pg_total_relation_size(inhrelid)), 0)::float8 from pg_inherits where inhparent = 'event'::regclass) as octets`,
    );
    const { events: happened = 0, octets = 0 } = row ?? {};
    const { events: taken } = await sink.count();
    const now = performance.now();
    if (happened === before && taken >= happened) {
      // Empty partitions have pages of their own.
      return { events: happened, behindSeconds: (now - begun) / 1000, octets: happened === 0 ? 0 : octets / happened };
    }
    if (now - begun > patienceMs) throw new Error(`${happened} events happened, and ${taken} were delivered`);
    before = happened;
    await delay(100);
  }
}
