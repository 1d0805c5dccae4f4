// Scenario: endpoints beside others that do not answer, ten thousand of them, and one that comes
// back to a log that is full. What waits in the log is written by SQL while no gateway runs.
import { setTimeout as delay } from "node:timers/promises";
import { type SinkCount, sinkPaths } from "./event-sink.ts";
import { describeMeasurement, measure } from "./measure.ts";
import type { Spread } from "./percentiles.ts";
import type { Scenario, Workbench } from "./scenario.ts";
import { loadSettings } from "./single-calls.ts";
import { type Sink, withSink } from "./sink-process.ts";
import {
  apiKey,
  deadPort,
  oneLink,
  type Postgres,
  prepareDatabase,
  type Smsc,
  withGateway,
  withPostgres,
  withSmsc,
} from "./systems.ts";
import { addAccounts } from "./waiting-accounts.ts";

export interface EndpointFigures {
  /** One fast endpoint: alone; beside one that is slow, one silent, one dead, one that refuses. */
  readonly alone: FastEndpoint;
  readonly beside: FastEndpoint;
  /** As many accounts with an endpoint each. */
  readonly many: Drained;
  /** One endpoint, batches of 100. */
  readonly returning: Drained;
}

export interface FastEndpoint {
  /** From an event until it came, at a rate of calls that the gateway carries easily. */
  readonly delayMs: Spread;
  /** What waits for it, delivered a second, one event a request. */
  readonly perSecond: number;
}

export interface Drained {
  readonly endpoints: number;
  readonly events: number;
  readonly perSecond: number;
  readonly mostAtOnce: number;
  /** Of the gateway, in MiB. */
  readonly memory: number;
}

export const endpoints: Scenario<EndpointFigures> = {
  name: "endpoints",
  title: "endpoints beside dead ones, many endpoints, and one that comes back",
  run: runEndpoints,
};

const calls = 200;
const eventsOfPair = 20_000;
const eventsOfMany = 100_000;
const manyEndpoints = 10_000;

async function runEndpoints(bench: Workbench): Promise<EndpointFigures> {
  const pairs: { alone: FastEndpoint; beside: FastEndpoint }[] = [];
  for (let round = 1; round <= bench.rounds; round += 1) {
    const alone = await fastEndpoint(bench, webhooksAlone);
    bench.progress(`round ${round}  alone   ${describeFast(alone)}`);
    const beside = await fastEndpoint(bench, webhooksBeside);
    bench.progress(`round ${round}  beside  ${describeFast(beside)}`);
    pairs.push({ alone, beside });
  }
  const many = await drained(bench, { endpoints: manyEndpoints, events: eventsOfMany, batchSize: 1 });
  bench.progress(`many       ${describeDrained(many)}`);
  const events = bench.full ? 1_000_000 : 100_000;
  const returning = await drained(bench, { endpoints: 1, events, batchSize: 100 });
  bench.progress(`returning  ${describeDrained(returning)}`);
  const middle = pairs.toSorted((one, other) => shareOf(one) - shareOf(other))[(pairs.length - 1) >> 1];
  if (middle === undefined) throw new Error("no round");
  return { ...middle, many, returning };
}

function shareOf({ alone, beside }: { alone: FastEndpoint; beside: FastEndpoint }): number {
  return beside.perSecond / alone.perSecond;
}

function describeFast({ delayMs: { p50, p99 }, perSecond }: FastEndpoint): string {
  return `${p50.toFixed(0)} ms on their way, p99 ${p99.toFixed(0)} ms; what waits: ${perSecond.toFixed(0)}/s`;
}

function describeDrained({ endpoints: number, events, perSecond, mostAtOnce, memory }: Drained): string {
  return `${events} events for ${number} endpoints: ${perSecond.toFixed(0)}/s, at most ${mostAtOnce} requests at once, ${memory.toFixed(0)} MiB`;
}

type Webhook = Readonly<{ name: string; url: string; events: readonly string[]; batchSize: number }>;

const webhookTo = (name: string, url: string, batchSize = 1): Webhook => ({ name, url, events: ["*"], batchSize });
const at = (port: number, path: string): string => `http://127.0.0.1:${port}${path}`;

function webhooksAlone(port: number): readonly Webhook[] {
  return [webhookTo("fast", at(port, sinkPaths.takes))];
}

function webhooksBeside(port: number): readonly Webhook[] {
  const { slow, silent, refuses } = sinkPaths;
  const others = Object.entries({ slow, silent, refuses }).map(([name, path]) => webhookTo(name, at(port, path)));
  return [...webhooksAlone(port), ...others, webhookTo("dead", at(deadPort, "/"))];
}

interface World {
  readonly smsc: Smsc;
  readonly sink: Sink;
  readonly postgres: Postgres;
}

function withWorld<T>(work: (world: World) => Promise<T>): Promise<T> {
  return withSmsc({}, (smsc) => withSink((sink) => withPostgres((postgres) => work({ smsc, sink, postgres }))));
}

function setupWith(smsc: Smsc, webhooks: readonly Webhook[]): string {
  const setup = JSON.parse(oneLink(smsc.port)) as { accounts: object[] };
  setup.accounts = setup.accounts.map((account) => ({ ...account, webhooks }));
  return JSON.stringify(setup);
}

function gatewayOf({ postgres }: World, setup: string, onMemory: (mebibytes: number) => void) {
  return { url: postgres.url, setup, env: { HODHOD_WEBHOOK_ALLOW: "127.0.0.0/8" }, onMemory };
}

function fastEndpoint(bench: Workbench, webhooks: (port: number) => readonly Webhook[]): Promise<FastEndpoint> {
  return withWorld(async (world) => {
    const { smsc, sink, postgres } = world;
    const setup = setupWith(smsc, webhooks(sink.port));
    await prepareDatabase(postgres.url, setup);
    await fillLog(postgres, eventsOfPair);
    const options = gatewayOf(world, setup, (mebibytes) => bench.noteMemory(mebibytes));
    return withGateway(options, async ({ pid, port }) => {
      const perSecond = await untilDelivered(sink, eventsOfPair);
      const system = { gatewayPids: [pid], smsc, postgres, messagesPerCall: 1 };
      let delayMs: Spread | undefined;
      const { measurement } = await measure(system, loadSettings(bench, { kind: "single", port, key: apiKey }, calls), {
        begin: async () => {
          await sink.count();
        },
        end: async () => {
          ({ delayMs } = await sink.count());
        },
      });
      if (delayMs === undefined) throw new Error(`nothing was counted: ${describeMeasurement(measurement)}`);
      return { delayMs, perSecond };
    });
  });
}

interface DrainPlan {
  readonly endpoints: number;
  readonly events: number;
  readonly batchSize: number;
}

function drained(bench: Workbench, { endpoints: number, events, batchSize }: DrainPlan): Promise<Drained> {
  return withWorld(async (world) => {
    const { smsc, sink, postgres } = world;
    const url = at(sink.port, sinkPaths.takes);
    const setup = setupWith(smsc, [webhookTo("sink", url, batchSize)]);
    await prepareDatabase(postgres.url, setup);
    await addAccounts(postgres, number);
    await postgres.query(moreEndpoints);
    await fillLog(postgres, events);
    let memory = 0;
    const onMemory = (mebibytes: number): void => {
      memory = mebibytes;
      bench.noteMemory(mebibytes);
    };
    let mostAtOnce = 0;
    const perSecond = await withGateway(gatewayOf(world, setup, onMemory), async () => {
      const rate = await untilDelivered(sink, events);
      ({ mostAtOnce } = await sink.count());
      return rate;
    });
    return { endpoints: number, events, perSecond, mostAtOnce, memory };
  });
}

/** The start of the gateway, and what is delivered while it starts, are not counted. */
const [firstCounted, lastCounted] = [0.1, 0.9];
const longestMs = 900_000;

/** Until all were; delivered a second, without the first and the last tenth. */
async function untilDelivered(sink: Sink, events: number): Promise<number> {
  const begun = performance.now();
  const until = async (share: number): Promise<{ events: number; at: number }> => {
    for (;;) {
      const seen: SinkCount = await sink.count();
      const now = performance.now();
      if (seen.events >= share * events) return { events: seen.events, at: now };
      if (now - begun > longestMs) throw new Error(`only ${seen.events} of ${events} events were delivered`);
      await delay(50);
    }
  };
  const first = await until(firstCounted);
  const last = await until(lastCounted);
  await until(1);
  return ((last.events - first.events) / (last.at - first.at)) * 1000;
}

// Every account that has none gets one like the first one's.
const moreEndpoints = `
insert into webhook_endpoint (id, account_id, name, url, events, batch_size, secret)
select gen_random_uuid(), a.id, w.name, w.url, w.events, w.batch_size, w.secret
  from account a cross join (select * from webhook_endpoint limit 1) w
 where not exists (select from webhook_endpoint had where had.account_id = a.id)`;

// All endpoints go on from the beginning of the log.
const fromBeginning = `
insert into webhook_progress (endpoint_id, epoch, position, event_id)
select id, epoch, 0, '00000000-0000-0000-0000-000000000000' from webhook_endpoint
    on conflict (endpoint_id) do update set position = 0, event_id = excluded.event_id`;

const eventsOfTransaction = 500;

// Messages that have just been delivered, of the accounts in turns, and their events: many
// transactions, as many calls would have made them.
const fillText = (events: number): string => `
do $$
begin
  set local synchronous_commit = off;
  for start_at in 0..${events - 1} by ${eventsOfTransaction} loop
    with owner as (select row_number() over (order by id) - 1 as place, id from account),
    call as (
      select o.id as account_id, lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') as ms, md5(n::text) as random, n
        from generate_series(start_at, least(start_at + ${eventsOfTransaction}, ${events}) - 1) n
        join owner o on o.place = n % (select count(*) from account)
    ),
    stored as (
      insert into message (account_id, id, batch_id, sender, recipient, content, language, operator, encoding, parts, cost, status, route_id, priority,
                           valid_until, parts_taken, parts_delivered, sent_at, final_at)
      select account_id, (ms || '70008' || substr(random, 1, 15))::uuid, (ms || '70009' || substr(random, 1, 15))::uuid, '10001234',
             '98914' || lpad(n::text, 7, '0'), 'سلام، کد ورود شما ۱۲۳۴۵۶ است.', 'fa', 'MCI', 'ucs2', 1, 0, 2, (select min(id) from route), 2,
             now() + interval '1 day', 1, 1, now(), now()
        from call order by n
      returning account_id, id
    )
    insert into event (at, position, subject_id, account_id, type)
    select clock_timestamp(), pg_current_xact_id()::text::bigint + shift, id, account_id, 2 from stored, event_log;
    commit;
  end loop;
end $$`;

async function fillLog(postgres: Postgres, events: number): Promise<void> {
  await postgres.query(fromBeginning);
  await postgres.query(fillText(events));
  for (const table of ["message", "event", "account", "webhook_endpoint", "webhook_progress"])
    await postgres.query(`vacuum (analyze) ${table}`);
}
