// Scenario: what one message costs, counted and not timed: functions of `src` that run for it, their
// calls, statements, and what these write to the log of the database. A count is the same on any
// machine, so layers.json keeps it, and test/bench/layers.test.ts fails when one grows.
// `node --import tsx bench/layers.ts` prints the counts of now in the form of that file.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { startGateway } from "../src/app/gateway.ts";
import { readConfig } from "../src/platform/config.ts";
import { createMetrics } from "../src/platform/metrics.ts";
import { Telemetry } from "../src/platform/telemetry.ts";
import { Database } from "../src/store/database.ts";
import { spreadOf } from "./percentiles.ts";
import { root } from "./processes.ts";
import { line, recipientsOfBulk } from "./requests.ts";
import type { Result, Scenario } from "./scenario.ts";
import { apiKey, oneLink, prepareDatabase, withPostgres, withSmsc, type Postgres } from "./systems.ts";

export const layers: Scenario = {
  name: "layers",
  title: "what a call, a message of a bulk call and a receipt cost, counted",
  run: countLayers,
};

/** A count may grow by less than this without a change of layers.json. */
const tolerance = 1.02;

export async function countLayers(): Promise<readonly Result[]> {
  const kept = JSON.parse(readFileSync(path.join(import.meta.dirname, "layers.json"), "utf8")) as Partial<Counts>;
  return Object.entries(await countInOwnProcess()).map(([title, figure]) => ({
    title,
    figure,
    unit: "",
    below: (kept[title] ?? 0) * tolerance,
  }));
}

type Counts = Record<string, number>;

/** So that no function runs but those of the gateway. */
async function countInOwnProcess(): Promise<Counts> {
  const args = ["--import", "tsx", import.meta.filename];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  return JSON.parse(stdout) as Counts;
}

/** Of calls and of messages at once; the median counts, or what runs each time. */
const repetitions = 7;
const warmUps = 3;
/** Receipts come that much later, so that they are counted apart. A slower call is repeated. */
const receiptDelayMs = 400;
/** Long enough to see each task that runs by itself every ten seconds or more often. */
const idleMs = 12_000;
/** What runs after the last thing that is waited for. */
const settleMs = 40;

interface Sample {
  /** Of functions of src: how often each was called. */
  readonly calls: ReadonlyMap<string, number>;
  /** By the server's id of it. */
  readonly statements: ReadonlyMap<string, StatementCount>;
}

interface StatementCount {
  readonly calls: number;
  readonly records: number;
  readonly octets: number;
}

function count(): Promise<Counts> {
  // Images of whole pages follow the checkpoints, and these the clock.
  const settings = { shared_preload_libraries: "pg_stat_statements", full_page_writes: "off" };
  return withPostgres((postgres) => withSmsc({ receiptDelayMs }, (smsc) => countOn(postgres, smsc.port)), settings);
}

async function countOn(postgres: Postgres, smscPort: number): Promise<Counts> {
  await prepareDatabase(postgres.url, oneLink(smscPort));
  await postgres.query("create extension pg_stat_statements");
  const telemetry = new Telemetry();
  const db = Database.open({ url: postgres.url, telemetry });
  const config = readConfig({ HODHOD_PORT: "0", HODHOD_LOG_LEVEL: "error" });
  const bound = new Promise<void>((resolve) => {
    telemetry.on("bind.changed", ({ state }) => state === "bound" && resolve());
  });
  const gateway = await startGateway({ config, db, telemetry, metrics: createMetrics(telemetry), alone: true });
  try {
    await bound;
    const meter = new Meter(postgres, telemetry, gateway.address);
    await meter.start();
    const idle = await meter.idleSample();
    const single = await meter.samplesOf("/messages/send", 1);
    const bulk = await meter.samplesOf("/messages/send/bulk", recipientsOfBulk);
    const counted = [
      { what: "a single call", samples: single.map(({ call }) => call), messages: 1 },
      { what: "a receipt", samples: single.map(({ receipt }) => receipt), messages: 1 },
      { what: "a message of a bulk call", samples: bulk.map(({ call }) => call), messages: recipientsOfBulk },
    ];
    return Object.assign({}, ...counted.map((each) => countsOf(each, idle))) as Counts;
  } finally {
    await gateway.stop();
    await db.close();
  }
}

interface SampleOfCall {
  readonly call: Sample;
  readonly receipt: Sample;
}

class Meter {
  readonly #postgres: Postgres;
  readonly #address: string;
  readonly #session = new Session();
  #before = new Map<string, StatementCount>();
  #sent = 0;
  #receipts = 0;
  #wake: () => void = () => undefined;

  constructor(postgres: Postgres, telemetry: Telemetry, address: string) {
    this.#postgres = postgres;
    this.#address = address;
    telemetry.on("message.sent", ({ count: some }) => (this.#sent += some));
    telemetry.on("receipt.applied", ({ matched }) => (this.#receipts += matched));
    telemetry.on("commit.group", () => this.#wake());
  }

  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post("Profiler.enable");
    await this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  }

  /** What runs without calls, too: also while the queue, which holds something that no link takes, is polled. */
  async idleSample(): Promise<Sample> {
    await this.#take();
    await this.#postgres.query(
      "insert into message_queue (route_id, priority, account_id, due_at, message_id, valid_until, parts) values (0, 1, 0, now(), gen_random_uuid(), now() + interval '1 hour', 1)",
    );
    await delay(idleMs);
    await this.#postgres.query("delete from message_queue where route_id = 0");
    return this.#take();
  }

  async samplesOf(target: string, messages: number): Promise<readonly SampleOfCall[]> {
    const samples: SampleOfCall[] = [];
    for (let round = 0; samples.length < warmUps + repetitions; round += 1) {
      if (round > 5 * repetitions)
        throw new Error("the machine is too slow: receipts come before their calls are counted");
      const sample = await this.#sampleOf(target, messages);
      if (sample !== undefined) samples.push(sample);
    }
    return samples.slice(warmUps);
  }

  /** Undefined if a receipt came while the call was counted. */
  async #sampleOf(target: string, messages: number): Promise<SampleOfCall | undefined> {
    await this.#take();
    [this.#sent, this.#receipts] = [0, 0];
    await this.#send(target, messages);
    await this.#until(() => this.#sent === messages);
    const isEarly = this.#receipts > 0;
    const call = await this.#take();
    const isApart = !isEarly && this.#receipts === 0;
    await this.#until(() => this.#receipts === messages);
    const receipt = await this.#take();
    return isApart ? { call, receipt } : undefined;
  }

  async #send(target: string, messages: number): Promise<void> {
    const numbers = Array.from({ length: messages }, (_, index) => `0912${String(1_000_000 + index)}`);
    const content = "سلام، کد ورود شما ۱۲۳۴۵۶ است.";
    const body =
      messages === 1
        ? { senderNumber: line, recipientNumber: numbers[0], content }
        : { senderNumbers: [line], recipientNumbers: numbers, contents: [content] };
    const headers = { "content-type": "application/json", "x-api-key": apiKey };
    const answer = await fetch(this.#address + target, { method: "POST", headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`a call was answered ${answer.status}: ${text}`);
  }

  async #until(isDone: () => boolean): Promise<void> {
    while (!isDone()) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  /** What ran since the last time. */
  async #take(): Promise<Sample> {
    await delay(settleMs);
    const { result } = await this.#session.post("Profiler.takePreciseCoverage");
    const calls = new Map<string, number>();
    for (const { url, functions } of result) {
      if (!url.includes("/src/")) continue;
      for (const { functionName, ranges } of functions) {
        const [range] = ranges;
        // What the loader of TypeScript adds names functions.
        if (range && range.count > 0 && functionName !== "__name")
          calls.set(`${url} ${functionName} ${range.startOffset}`, range.count);
      }
    }
    const now = await this.#readStatements();
    const statements = new Map([...now].map(([name, count]) => [name, minus(count, this.#before.get(name))]));
    this.#before = now;
    return { calls, statements };
  }

  async #readStatements(): Promise<Map<string, StatementCount>> {
    const rows = await this.#postgres.query<{ name: string; calls: string; records: string; octets: string }>(
      `select queryid as name, sum(calls) as calls, sum(wal_records) as records, sum(wal_bytes) as octets
         from pg_stat_statements where userid <> (select oid from pg_roles where rolname = current_user) group by queryid`,
    );
    return new Map(
      rows.map(({ name, calls, records, octets }) => [
        name,
        { calls: Number(calls), records: Number(records), octets: Number(octets) },
      ]),
    );
  }
}

const none: StatementCount = { calls: 0, records: 0, octets: 0 };

function minus(one: StatementCount, other = none): StatementCount {
  return {
    calls: one.calls - other.calls,
    records: one.records - other.records,
    octets: one.octets - other.octets,
  };
}

interface Counted {
  readonly what: string;
  readonly samples: readonly Sample[];
  readonly messages: number;
}

/**
 * Of functions that ran for each message each time and do not run in an idle gateway, and of
 * statements that wrote something each time.
 */
function countsOf({ what, samples, messages }: Counted, idle: Sample): Counts {
  const functions = inAll(
    samples.map(({ calls }) => calls),
    (calls) => calls >= messages,
  ).filter((name) => !idle.calls.has(name));
  const statements = inAll(
    samples.map((sample) => sample.statements),
    ({ records }) => records > 0,
  );
  const sumOf = (key: keyof StatementCount): number =>
    statements.reduce(
      (sum, name) => sum + spreadOf(samples.map((sample) => sample.statements.get(name)?.[key] ?? 0)).p50,
      0,
    );
  return {
    [`${what}: functions`]: functions.length,
    [`${what}: files`]: new Set(functions.map((name) => name.split(" ")[0])).size,
    [`${what}: statements that write`]: sumOf("calls") / messages,
    [`${what}: records of the log`]: sumOf("records") / messages,
    [`${what}: octets of the log`]: Math.round(sumOf("octets") / messages),
  };
}

function inAll<Value>(maps: readonly ReadonlyMap<string, Value>[], counts: (value: Value) => boolean): string[] {
  const [first = new Map<string, Value>()] = maps;
  const isInAll = (name: string): boolean =>
    maps.every((map) => {
      const value = map.get(name);
      return value !== undefined && counts(value);
    });
  return [...first.keys()].filter(isInAll);
}

// At the end, when the classes above exist.
if (process.argv[1] === import.meta.filename) {
  const counts = await count();
  process.stdout.write(`${JSON.stringify(counts, null, 2)}\n`);
  process.exit(0);
}
