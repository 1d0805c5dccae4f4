// Scenario: single calls with events, rules or limits, each beside single calls without them. The
// two gateways stand at once, and get the load in short turns: a shared machine is a third faster
// in one minute than in the next. What is told of a pair is the median of its turns. What rules
// take is told at a rate that both carry: at full load the slower one has smaller groups, and these
// cost more for each message, whatever the rules take.
import { setTimeout as delay } from "node:timers/promises";
import { useBlockLists } from "./block-lists.ts";
import { type Sink, withSink } from "./sink-process.ts";
import { describeMeasurement, measure, type Measurement, type SystemUnderLoad, together } from "./measure.ts";
import { spreadOf } from "./percentiles.ts";
import type { Scenario, Workbench } from "./scenario.ts";
import { loadSettings } from "./single-calls.ts";
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

/** A turn with something, less or over the turn without it; the median of all turns. */
export interface Beside {
  readonly accepted: number;
  readonly carried: number;
  /**
   * More time of the gateway for a message; where it is measured at one rate for both, of those
   * turns.
   */
  readonly gatewayMicroseconds: number;
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
  readonly beside: Readonly<Record<ComparedName, Beside>>;
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

/** What a gateway is asked for beyond single calls. */
interface Variant {
  readonly change?: SetupChange;
  /** Of the endpoint; absent: there is none. */
  readonly batchSize?: number;
  /** What they take of the memory has a goal of its own. */
  readonly hasBlockLists?: boolean;
  /** The time of the gateway is measured in turns at one rate, too. */
  readonly isTimedAtOneRate?: boolean;
}

const variants = {
  rules: {
    hasBlockLists: true,
    isTimedAtOneRate: true,
    change: (setup) => {
      setup["sendingHours"] = [{ name: "always", windows: everyDay }];
      setup["contentRules"] = [{ name: "words", words, links: "none", action: "refuse" }];
      setup.lines = setup.lines.map((one) => ({ ...one, optOut: "honour" }));
    },
  },
  ceilings: {
    change: (setup) => {
      setup.accounts = setup.accounts.map((one) => ({ ...one, ...ceilings }));
    },
  },
  limits: {
    change: (setup) => {
      setup.accounts = setup.accounts.map((one) => ({ ...one, ...guarded }));
    },
  },
  batched: { batchSize: 100 },
} satisfies Readonly<Record<string, Variant>>;

export type ComparedName = keyof typeof variants;

/** A gateway that stands. */
interface Stand {
  readonly system: SystemUnderLoad;
  readonly port: number;
  readonly postgres: Postgres;
  readonly sink: Sink;
}

/** What came of the turns, in their order. */
interface Turns {
  readonly without: readonly ToldEvents[];
  readonly having: readonly ToldEvents[];
}

interface Pair extends Turns {
  /** At one rate for both. */
  readonly atOneRate?: Turns;
}

const turnSeconds = 3;
/** Of what is accepted at full load without anything: both carry it. */
const shareOfFullLoad = 0.7;

async function runEvents(bench: Workbench): Promise<EventFigures> {
  const pairs = {
    rules: await comparePair(bench, "rules"),
    ceilings: await comparePair(bench, "ceilings"),
    limits: await comparePair(bench, "limits"),
    batched: await comparePair(bench, "batched"),
  };
  const without = together(Object.values(pairs).flatMap((pair) => measurementsOf(pair.without)));
  const having = (name: ComparedName): Measurement => together(measurementsOf(pairs[name].having));
  const callsPerSecond = Math.round(without.carried / 2);
  const single = await withStand(bench, { batchSize: 1 }, (stand) =>
    load(bench, { ...stand, isWarm: false }, { seconds: bench.seconds, callsPerSecond }),
  );
  bench.progress(`half load, single events  ${describeMeasurement(single.measurement)}  ${describeTold(single)}`);
  return {
    without,
    batched: toldTogether(pairs.batched.having),
    single,
    ...{ rules: having("rules"), ceilings: having("ceilings"), limits: having("limits") },
    beside: {
      rules: besideOf(pairs.rules),
      ceilings: besideOf(pairs.ceilings),
      limits: besideOf(pairs.limits),
      batched: besideOf(pairs.batched),
    },
  };
}

/** In turns, for each as long as so many rounds of so many seconds are. */
function comparePair(bench: Workbench, name: ComparedName): Promise<Pair> {
  const turns = Math.ceil((bench.rounds * bench.seconds) / turnSeconds);
  const variant: Variant = variants[name];
  return withStand(bench, {}, (plain) =>
    withStand(bench, variant, async (other) => {
      for (const stand of [plain, other]) await load(bench, { ...stand, isWarm: false }, { seconds: 1 });
      const takeTurns = async (callsPerSecond: number): Promise<Turns> => {
        const taken: { without: ToldEvents[]; having: ToldEvents[] } = { without: [], having: [] };
        for (let turn = 1; turn <= turns; turn += 1) {
          const settings = { seconds: turnSeconds, callsPerSecond };
          taken.without.push(await load(bench, { ...plain, isWarm: true }, settings));
          taken.having.push(await load(bench, { ...other, isWarm: true }, settings));
        }
        return taken;
      };
      const full = await takeTurns(0);
      const rate = Math.round(together(measurementsOf(full.without)).accepted * shareOfFullLoad);
      const pair: Pair = variant.isTimedAtOneRate === true ? { ...full, atOneRate: await takeTurns(rate) } : full;
      const { accepted, carried, gatewayMicroseconds } = besideOf(pair);
      const told = toldTogether(pair.having);
      const events = told.events === 0 ? "" : `  ${describeTold(told)}`;
      bench.progress(`without  ${describeMeasurement(together(measurementsOf(pair.without)))}`);
      bench.progress(`${name.padEnd(8)} ${describeMeasurement(told.measurement)}${events}`);
      bench.progress(
        `${name.padEnd(8)} beside without, median of ${turns} turns: accepted ${accepted.toFixed(3)}, ` +
          `carried ${carried.toFixed(3)}, gateway ${gatewayMicroseconds.toFixed(0)} µs more` +
          (pair.atOneRate === undefined ? "" : ` at ${rate} calls a second`),
      );
      return pair;
    }),
  );
}

const measurementsOf = (turns: readonly ToldEvents[]): readonly Measurement[] =>
  turns.map(({ measurement }) => measurement);

function besideOf({ atOneRate, ...full }: Pair): Beside {
  const median = (figure: (having: Measurement, without: Measurement) => number, turns: Turns = full): number => {
    const figures = turns.having.flatMap(({ measurement }, turn) => {
      const plain = turns.without[turn]?.measurement;
      return plain === undefined ? [] : figure(measurement, plain);
    });
    return spreadOf(figures).p50;
  };
  return {
    accepted: median((one, plain) => one.accepted / plain.accepted),
    carried: median((one, plain) => one.carried / plain.carried),
    gatewayMicroseconds: median((one, plain) => one.processorTime.gateway - plain.processorTime.gateway, atOneRate),
  };
}

function toldTogether(turns: readonly ToldEvents[]): ToldEvents {
  const measurement = together(turns.map((turn) => turn.measurement));
  return {
    measurement,
    events: turns.at(-1)?.events ?? 0,
    perSecond: turns.reduce((sum, { perSecond }) => sum + perSecond, 0) / turns.length,
    behindSeconds: Math.max(...turns.map(({ behindSeconds }) => behindSeconds)),
    octets: turns.at(-1)?.octets ?? 0,
  };
}

function describeTold({ events: count, perSecond, behindSeconds, octets }: ToldEvents): string {
  return `${count} events, ${perSecond.toFixed(0)}/s, ${behindSeconds.toFixed(1)} s behind, ${octets.toFixed(0)} B each`;
}

/** A new gateway and an empty database. */
function withStand<T>(
  bench: Workbench,
  { change, batchSize, hasBlockLists = false }: Variant,
  work: (stand: Stand) => Promise<T>,
): Promise<T> {
  return withSmsc({}, (smsc) =>
    withSink((sink) =>
      withPostgres((postgres) => {
        const setup = JSON.parse(oneLink(smsc.port)) as Parameters<SetupChange>[0];
        change?.(setup);
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
          return work({ system, port, postgres, sink });
        });
      }),
    ),
  );
}

async function load(
  bench: Workbench,
  { system, port, postgres, sink, isWarm }: Stand & { readonly isWarm: boolean },
  { seconds, callsPerSecond = 0 }: { readonly seconds: number; readonly callsPerSecond?: number },
): Promise<ToldEvents> {
  const settings = {
    ...loadSettings(bench, { kind: "single", port, key: apiKey }, callsPerSecond),
    differentCalls,
    seconds,
    ...(isWarm && { warmUpSeconds: 0.5 }),
  };
  const counted = { begin: 0, end: 0 };
  const { measurement } = await measure({ ...system, isWarm }, settings, {
    begin: async () => void (counted.begin = (await sink.count()).events),
    end: async () => void (counted.end = (await sink.count()).events),
  });
  const told = await untilTold(postgres, sink);
  return { measurement, perSecond: (counted.end - counted.begin) / measurement.seconds, ...told };
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
