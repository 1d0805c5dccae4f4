// Scenario: how long the console's reads take while the gateway does all it can and millions are
// stored, and what ten live consoles cost the calls.
import { randomInt } from "node:crypto";
import { demoUser } from "../src/demo/demo-setup.ts";
import { describeMeasurement, measure, type Measurement } from "./measure.ts";
import { percentile } from "./percentiles.ts";
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

export interface ReadTimes {
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
}

export type ReadKind = "page" | "filter" | "search";

export interface ConsoleFigures {
  readonly stored: number;
  /** Milliseconds of each read by its name, under full load. */
  readonly reads: Readonly<Record<string, ReadTimes & { readonly kind: ReadKind }>>;
  /** The read of each kind whose 95th percentile was most. */
  readonly slowest: Readonly<Record<ReadKind, ReadTimes & { readonly name: string }>>;
  /**
   * Calls of one message without and with ten live consoles, in turns: the rounds that carried
   * most.
   */
  readonly without: Measurement;
  readonly live: Measurement;
}

export const consoleReads: Scenario<ConsoleFigures> = {
  name: "console",
  title: "reads of the console under full load while millions are stored, and the cost of ten live consoles",
  run: runConsole,
};

const liveConsoles = 10;
/** The load lasts long enough to measure each read some dozens of times. */
const readSeconds = 45;
const staff = { username: "bench", password: "benchmark-password" };
const customer = { username: demoUser.username, organisation: demoUser.organisation, password: "benchmark-password" };

interface Read {
  readonly name: string;
  readonly kind: ReadKind;
  readonly who: "staff" | "customer";
  /** Below /console/api. */
  readonly path: () => string;
}

async function runConsole(bench: Workbench): Promise<ConsoleFigures> {
  const stored = storedIn(bench);
  return withPostgres(async (postgres) => {
    await prepareDatabase(postgres.url, setup(deadPort));
    await storeMessages(postgres, stored, (line) => bench.progress(line));
    const reads = await measureReads(bench, postgres);
    const [without, live]: [Measurement[], Measurement[]] = [[], []];
    for (let round = 1; round <= bench.rounds; round += 1) {
      for (const [consoles, measurements] of [
        [0, without],
        [liveConsoles, live],
      ] as const) {
        const measurement = await loadBeside(bench, postgres, consoles);
        measurements.push(measurement);
        bench.progress(`round ${round}  ${consoles} live consoles  ${describeMeasurement(measurement)}`);
      }
    }
    return { stored, reads, slowest: slowestOf(reads), without: bestOf(without), live: bestOf(live) };
  });
}

/** The setup file of the other scenarios, and a person of the staff. */
function setup(smscPort: number): string {
  const document = JSON.parse(oneLink(smscPort)) as object;
  return JSON.stringify({ ...document, staff: [{ ...staff, role: "administrator", enabled: true }] });
}

async function measureReads(bench: Workbench, postgres: Postgres): Promise<ConsoleFigures["reads"]> {
  const all = await listReads(postgres);
  const times = new Map<Read, number[]>(all.map((read) => [read, []]));
  const onMemory = (mebibytes: number): void => bench.noteMemory(mebibytes);
  await withSmsc({}, (smsc) =>
    withGateway({ url: postgres.url, setup: setup(smsc.port), onMemory }, async ({ pid, port }) => {
      const cookies = { staff: await signIn(port, staff), customer: await signIn(port, customer) };
      const settings = { ...loadSettings(bench, { kind: "single", port, key: apiKey }), seconds: readSeconds };
      const phase = { isOver: false };
      let reading: Promise<void> | undefined;
      const readOn = async (): Promise<void> => {
        while (!phase.isOver) {
          for (const [read, taken] of times) taken.push(await timeOf(port, cookies[read.who], read.path()));
        }
      };
      const system = { gatewayPids: [pid], smsc, postgres, messagesPerCall: 1 };
      const { measurement } = await measure(system, settings, {
        begin: () => {
          reading = readOn();
          // It is awaited below; a failure meanwhile is not unheard.
          reading.catch(() => undefined);
        },
        end: () => {
          phase.isOver = true;
        },
      });
      await reading;
      bench.progress(`beside the reads  ${describeMeasurement(measurement)}`);
    }),
  );
  const figures = [...times].map(([{ name, kind }, taken]) => {
    const sorted = taken.toSorted((one, other) => one - other);
    const spread = { kind, count: sorted.length, p50: percentile(sorted, 0.5), p95: percentile(sorted, 0.95) };
    bench.progress(
      `${kind.padEnd(7)} ${name.padEnd(38)} p50 ${spread.p50.toFixed(0)}, p95 ${spread.p95.toFixed(0)} ms`,
    );
    return [name, spread] as const;
  });
  return Object.fromEntries(figures);
}

async function listReads(postgres: Postgres): Promise<readonly Read[]> {
  const found = await sampleMessages(postgres);
  const any = (): Sample => {
    const sample = found[randomInt(found.length)];
    if (!sample) throw new Error("nothing is stored");
    return sample;
  };
  const day = new Date(Date.now() - 20 * 24 * 3_600_000).toISOString();
  const next = new Date(Date.now() - 19 * 24 * 3_600_000).toISOString();
  return [
    { name: "overview: nodes", kind: "page", who: "staff", path: () => "/nodes" },
    ...["1h", "24h", "7d", "30d"].map((range): Read => ({
      name: `overview: series of ${range}`,
      kind: "page",
      who: "staff",
      path: () => `/figures?range=${range}`,
    })),
    { name: "messages, the newest", kind: "page", who: "staff", path: () => "/messages" },
    { name: "messages of a customer, the newest", kind: "page", who: "customer", path: () => "/messages" },
    { name: "a message's life", kind: "page", who: "staff", path: () => `/messages/${any().id}` },
    { name: "reports by day", kind: "page", who: "staff", path: () => "/reports?by=day" },
    { name: "reports of a customer by operator", kind: "page", who: "customer", path: () => "/reports?by=operator" },
    { name: "statement", kind: "page", who: "customer", path: () => "/accounts/demo/statement" },
    { name: "received", kind: "page", who: "staff", path: () => "/received" },
    { name: "audit", kind: "page", who: "staff", path: () => "/audit" },
    {
      name: "messages to a number, staff",
      kind: "filter",
      who: "staff",
      path: () => `/messages?recipient=${any().recipient}`,
    },
    {
      name: "messages to a number, customer",
      kind: "filter",
      who: "customer",
      path: () => `/messages?recipient=${any().recipient}`,
    },
    { name: "messages of a day", kind: "filter", who: "staff", path: () => `/messages?from=${day}&to=${next}` },
    { name: "messages undelivered", kind: "filter", who: "staff", path: () => "/messages?status=3" },
    { name: "messages of another operator", kind: "filter", who: "staff", path: () => "/messages?operator=Irancell" },
    {
      name: "messages with a text that none has",
      kind: "filter",
      who: "customer",
      path: () => "/messages?text=absent",
    },
    { name: "messages of a batch", kind: "filter", who: "customer", path: () => `/messages?batch=${any().batch}` },
    { name: "a number", kind: "search", who: "staff", path: () => `/search?q=${any().recipient}` },
    { name: "a message's id", kind: "search", who: "staff", path: () => `/search?q=${any().id}` },
    { name: "a batch's id", kind: "search", who: "customer", path: () => `/search?q=${any().batch}` },
    { name: "an account", kind: "search", who: "staff", path: () => "/search?q=demo" },
  ];
}

interface Sample {
  readonly id: string;
  readonly batch: string;
  readonly recipient: string;
}

/** Of all weeks. */
function sampleMessages(postgres: Postgres): Promise<Sample[]> {
  return postgres.query("select id, batch_id as batch, recipient from message tablesample system (0.05) limit 2000");
}

/** The cookie of a new session. */
async function signIn(port: number, credentials: object): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/console/api/session`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-hodhod-console": "1" },
    body: JSON.stringify(credentials),
  });
  const [cookie] = answer.headers.getSetCookie();
  if (answer.status !== 200 || cookie === undefined)
    throw new Error(`signing in: ${answer.status} ${await answer.text()}`);
  return cookie.split(";")[0] ?? "";
}

/** Milliseconds until the whole answer is here. Throws when it is no 200. */
async function timeOf(port: number, cookie: string, path: string): Promise<number> {
  const begun = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}/console/api${path}`, { headers: { cookie } });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
  return performance.now() - begun;
}

function loadBeside(bench: Workbench, postgres: Postgres, consoles: number): Promise<Measurement> {
  const onMemory = (mebibytes: number): void => bench.noteMemory(mebibytes);
  return withSmsc({}, (smsc) =>
    withGateway({ url: postgres.url, setup: setup(smsc.port), onMemory }, async ({ pid, port }) => {
      const streams = new AbortController();
      try {
        const cookie = consoles === 0 ? "" : await signIn(port, staff);
        const gaps: number[] = [];
        await Promise.all(Array.from({ length: consoles }, () => look(port, cookie, streams.signal, gaps)));
        const settings = loadSettings(bench, { kind: "single", port, key: apiKey });
        const system = { gatewayPids: [pid], smsc, postgres, messagesPerCall: 1 };
        const { measurement } = await measure(system, settings);
        if (gaps.length > 0) bench.progress(describeGaps(gaps));
        return measurement;
      } finally {
        streams.abort();
      }
    }),
  );
}

/**
 * Opens the live stream and reads it until the signal; resolves with its first event. `gaps`:
 * between one event and the next, milliseconds: so old a page's figures are at most.
 */
async function look(port: number, cookie: string, signal: AbortSignal, gaps: number[]): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/console/api/live`, { headers: { cookie }, signal });
  if (answer.status !== 200 || answer.body === null) throw new Error(`live: ${answer.status}`);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  await reader.read();
  let last = performance.now();
  void (async () => {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      if (!value.includes("data: ")) continue;
      gaps.push(performance.now() - last);
      last = performance.now();
    }
  })().catch(() => undefined);
}

function describeGaps(gaps: readonly number[]): string {
  const sorted = gaps.toSorted((one, other) => one - other);
  const [p50, p95, most] = [0.5, 0.95, 1].map((share) => percentile(sorted, share).toFixed(0));
  return `live looks: ${gaps.length}, from one to the next p50 ${p50}, p95 ${p95}, at most ${most} ms`;
}

function slowestOf(reads: ConsoleFigures["reads"]): ConsoleFigures["slowest"] {
  const of = (kind: ReadKind): ReadTimes & { readonly name: string } => {
    const all = Object.entries(reads).filter(([, read]) => read.kind === kind);
    const [slowest] = all.sort(([, one], [, other]) => other.p95 - one.p95);
    if (!slowest) throw new Error(`no ${kind} was read`);
    const [name, { count, p50, p95 }] = slowest;
    return { name, count, p50, p95 };
  };
  return { page: of("page"), filter: of("filter"), search: of("search") };
}
