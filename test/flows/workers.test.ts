// `serve --workers`: real processes on one port and one database, told to stop, killed one by one,
// and left by their parent. A start takes three processes, so what a test leaves running, the next
// one uses.
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { findRunningPostgres } from "../../src/postgres/embedded-postgres.ts";
import { isRunning } from "../../src/postgres/owner-lock.ts";
import { readServerState } from "../../src/postgres/server.ts";
import { type SimulatedSmsc, startSimulatedSmsc } from "../../src/simulator/simulated-smsc.ts";
import { Database } from "../../src/store/database.ts";
import { hodhod, type Running, startHodhod, temporaryFolder } from "../cli/run-hodhod.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { type AnswerBody, keys, recipientOf } from "../support/gateway.ts";
import { baseSetup } from "../support/gateway-setup.ts";
import { applyDocument } from "../support/apply-document.ts";

/** Other processes are asked now and then. */
const patiently = { timeout: 60_000, interval: 100 };

interface LogLine {
  readonly event?: string;
  readonly worker?: number;
  readonly pid?: number;
  readonly held?: boolean;
  readonly status?: number;
}

const listening = /listening on (http\S+) with 2 workers/;

class Service {
  readonly dataDir: string;
  readonly #folder = temporaryFolder();
  readonly #env: Readonly<Record<string, string>>;
  #running: Running | undefined;

  constructor(env: Readonly<Record<string, string>> = {}) {
    this.dataDir = path.join(this.#folder.path, "data");
    this.#env = { HODHOD_PORT: "0", HODHOD_WORKERS: "2", HODHOD_DATA_DIR: this.dataDir, ...env };
  }

  /** Until it says so. */
  async start(said = listening): Promise<Running> {
    this.#running = await startHodhod(["serve"], said, { env: this.#env });
    return this.#running;
  }

  async startUnlessItRuns(): Promise<void> {
    if (this.#running === undefined || !isRunning(this.#running.pid)) await this.start();
  }

  async end(): Promise<void> {
    await this.stop();
    this.#folder.remove();
  }

  async stop(): Promise<number | null> {
    const running = this.#running;
    this.#running = undefined;
    return running === undefined ? null : running.stop();
  }

  get running(): Running {
    if (this.#running === undefined) throw new Error("it does not run");
    return this.#running;
  }

  get lines(): readonly LogLine[] {
    const lines = this.running.output().split("\n");
    return lines.flatMap((line) => (/^\{.*\}$/.test(line) ? [JSON.parse(line) as LogLine] : []));
  }

  /** The newest process of each worker. */
  get pids(): readonly [number, number] {
    const pidOf = (worker: number) =>
      this.lines.findLast((line) => line.event === "worker.started" && line.worker === worker)?.pid ?? 0;
    return [pidOf(1), pidOf(2)];
  }

  get databasePid(): number {
    return readServerState(path.join(this.dataDir, "postgres"))?.pid ?? 0;
  }

  fetch(where: string, init: RequestInit = {}): Promise<Response> {
    // Each call comes over a connection of its own, so that the workers take turns.
    const headers = { connection: "close", "x-api-key": keys.demo, "content-type": "application/json" };
    const [, address = ""] = listening.exec(this.running.output()) ?? [];
    return fetch(`${address}${where}`, { headers, ...init });
  }

  async isReady(): Promise<boolean> {
    const answer = await this.fetch("/health/ready").catch(() => undefined);
    await answer?.arrayBuffer();
    return answer?.status === 200;
  }

  /** Another worker is in the place of this first one, and all are ready. */
  async untilFollowed(pid: number): Promise<void> {
    // To ask all processes takes much more than to read what they wrote.
    const isFollowed = ({ event, worker, pid: ready }: LogLine) =>
      event === "worker.ready" && worker === 1 && ready !== pid;
    await vi.waitFor(() => expect(this.lines.some(isFollowed)).toBe(true), patiently);
    await vi.waitFor(async () => expect(await this.isReady()).toBe(true), patiently);
  }

  async #samples(): Promise<ReadonlyMap<string, number>> {
    const text = await (await this.fetch("/metrics")).text();
    const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    return new Map(lines.map((line) => [line.replace(/ \S+$/, ""), Number(line.replace(/^.* /, ""))]));
  }

  async metric(key: string): Promise<number | undefined> {
    return (await this.#samples()).get(key);
  }

  send(recipientNumber: string): Promise<AnswerBody> {
    const body = JSON.stringify({ senderNumber: "10001234", recipientNumber, content: "سلام" });
    return this.fetch("/messages/send", { method: "POST", body }).then(
      (answer) => answer.json() as Promise<AnswerBody>,
    );
  }

  async statuses(ids: readonly string[]): Promise<readonly (number | undefined)[]> {
    const answer = await this.fetch("/messages/status", {
      method: "POST",
      body: JSON.stringify({ sentMessageIds: ids }),
    });
    const { messages = [] } = (await answer.json()) as AnswerBody;
    return messages.map(({ messageStatus }) => messageStatus);
  }

  /** With two binds, so that each worker has one. */
  async connect(smsc: SimulatedSmsc): Promise<void> {
    const url = this.#env["DATABASE_URL"] ?? (await findRunningPostgres(this.dataDir))?.url ?? "";
    const db = Database.open({ url, poolSize: 2 });
    try {
      const text = JSON.stringify(baseSetup([smsc.port], { binds: 2, window: 10 }));
      await applyDocument(db, text);
    } finally {
      await db.close();
    }
    await vi.waitFor(async () => {
      expect(await this.bindsUp()).toEqual([1, 1]);
      expect((await this.fetch("/account/balance")).status).toBe(200);
    }, patiently);
  }

  /** Of the first and the second bind. */
  async bindsUp(): Promise<readonly (number | undefined)[]> {
    const samples = await this.#samples();
    return [1, 2].map((bind) => samples.get(`hodhod_bind_up{connector="smsc-1",bind="${bind}"}`));
  }
}

/** Of one test. */
function ownService(env: Readonly<Record<string, string>> = {}): Service {
  const service = new Service(env);
  onTestFinished(() => service.end());
  return service;
}

const operator = (): Promise<SimulatedSmsc> => startSimulatedSmsc({ receiptDelayMs: 20, retryDelayMs: 50 });

async function ownOperator(): Promise<SimulatedSmsc> {
  const smsc = await operator();
  onTestFinished(() => smsc.stop("destroy"));
  return smsc;
}

async function ownDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  return database;
}

const recipients = (count: number): string[] => Array.from({ length: count }, (_, index) => recipientOf("5001", index));

/** Sends to each, and answers the ids. */
async function sendAll(service: Service, count: number): Promise<readonly string[]> {
  const answers = await Promise.all(recipients(count).map((recipient) => service.send(recipient)));
  return answers.map(({ message }) => message?.sentMessageId ?? "");
}

describe("two workers", () => {
  it("share the port, the links and the database; metrics speak for both; Ctrl-C reaches all of them, and npm repeats it: that is one signal, and they end in order", async () => {
    const smsc = await ownOperator();
    const service = ownService();
    await service.start();
    await service.connect(smsc);
    const ids = await sendAll(service, 40);
    await vi.waitFor(async () => expect(await service.statuses(ids)).toEqual(ids.map(() => 2)), patiently);
    // Whoever is asked, the answer is the sum.
    const sums = [1, 2, 3, 4].map(() => service.metric("hodhod_batches_accepted_total"));
    expect(await Promise.all(sums)).toEqual([40, 40, 40, 40]);
    expect(await service.metric("hodhod_workers_ready")).toBe(2);
    expect(await service.metric("hodhod_node_lease_held")).toBe(1);
    expect(await service.isReady()).toBe(true);
    const { lines } = service;
    const holders = lines.filter(({ event, held }) => event === "node.lease" && held === true);
    expect(new Set(holders.map(({ worker }) => worker))).toEqual(new Set([1, 2]));
    // The migrations ran once, in the parent.
    expect(service.running.output().match(/created the tables/g)).toHaveLength(1);
    const { pids, databasePid, running } = service;
    for (const pid of [...pids, running.pid, running.pid]) process.kill(pid, "SIGINT");
    expect(await running.ended).toBe(0);
    expect(running.output()).toMatch(/^stopped$/m);
    expect([...pids, databasePid].filter(isRunning)).toEqual([]);
    expect(readdirSync(service.dataDir).filter((name) => /hodhod\.lock/.test(name))).toEqual([]);
  });
});

describe("two workers that are killed", () => {
  let service: Service;
  let smsc: SimulatedSmsc;
  beforeAll(async () => {
    smsc = await operator();
    // Half of it is for answers that are outstanding: more than a start takes.
    service = new Service({ HODHOD_SHUTDOWN_SECONDS: "120" });
  });
  beforeEach(() => service.startUnlessItRuns());
  afterEach(async ({ task }) => {
    smsc.resumeAnswers();
    // Nobody knows what it left.
    if (task.result?.state === "fail") await service.stop();
  });
  afterAll(async () => {
    await service.end();
    await smsc.stop("destroy");
  });

  it("one of them killed: another follows, and no counter falls", async () => {
    await service.connect(smsc);
    const before = (await service.metric("hodhod_batches_accepted_total")) ?? 0;
    await sendAll(service, 20);
    expect(await service.metric("hodhod_batches_accepted_total")).toBe(before + 20);
    const [first, second] = service.pids;
    process.kill(first, "SIGKILL");
    await vi.waitFor(async () => expect(await service.metric("hodhod_workers_ready")).toBe(1), patiently);
    expect(await service.metric("hodhod_batches_accepted_total")).toBe(before + 20);
    await service.untilFollowed(first);
    expect(service.lines.find(({ event }) => event === "worker.ended")).toMatchObject({
      level: "error",
      worker: 1,
      pid: first,
      signal: "SIGKILL",
      restartAfterMs: 1000,
    });
    expect(service.pids[0]).not.toBe(first);
    expect(service.pids[1]).toBe(second);
    const ids = await sendAll(service, 20);
    await vi.waitFor(async () => expect(await service.statuses(ids)).toEqual(ids.map(() => 2)), patiently);
    expect(await service.metric("hodhod_batches_accepted_total")).toBe(before + 40);
    expect(await service.metric("hodhod_worker_restarts_total")).toBe(1);
  });
});

describe("two workers on a database of a server of its own", () => {
  it("one of them told to stop with SIGTERM finishes, its counters stay, and another follows; the parent told so ends all in order, and leaves the database running", async () => {
    const database = await ownDatabase();
    const service = ownService({ DATABASE_URL: database.url });
    const { output } = await service.start();
    expect(existsSync(service.dataDir)).toBe(false);
    const [first] = service.pids;
    for (let calls = 0; calls < 20; calls += 1) {
      const answer = await service.fetch("/health/live", { headers: { connection: "close" } });
      await answer.arrayBuffer();
    }
    const counted = () => service.metric(requests("/health/live"));
    await vi.waitFor(async () => expect(await counted()).toBe(20), patiently);
    process.kill(first, "SIGTERM");
    await vi.waitFor(() => expect(service.lines.some(({ event }) => event === "worker.ended")).toBe(true), patiently);
    expect(await counted()).toBe(20);
    await service.untilFollowed(first);
    expect(await counted()).toBe(20);
    const { pids } = service;
    expect(await service.stop()).toBe(0);
    expect(output()).toMatch(/^stopped$/m);
    expect(pids.filter(isRunning)).toEqual([]);
    await database.db.ping();
  });

  it("keep together to the calls that an account may make a second; a second signal ends them all at once", async () => {
    const smsc = await ownOperator();
    const { url } = await ownDatabase();
    const service = ownService({ DATABASE_URL: url, HODHOD_LOG_LEVEL: "debug", HODHOD_SHUTDOWN_SECONDS: "600" });
    await service.start();
    await service.connect(smsc);
    const headers = { connection: "close", "x-api-key": keys.slow };
    const begunAt = performance.now();
    const statuses: number[] = [];
    const rounds = 20;
    const betweenCallsMs = 100;
    const call = async (): Promise<void> => {
      const answer = await service.fetch("/account/balance", { headers });
      await answer.arrayBuffer();
      statuses.push(answer.status);
    };
    const callers = Array.from({ length: 4 }, async () => {
      for (let round = 0; round < rounds || performance.now() - begunAt < 4_000; round += 1) {
        await call();
        // Still many times as many as are allowed, and not all that both cores can.
        await delay(betweenCallsMs);
      }
    });
    await Promise.all(callers);
    const seconds = (performance.now() - begunAt) / 1000;
    expect(new Set(service.lines.filter(({ status }) => status === 429).map(({ worker }) => worker)).size).toBe(2);
    // One a second, one at once at each worker, and what both granted before they knew of each other.
    const allowed = statuses.filter((status) => status === 200).length;
    expect(allowed).toBeGreaterThan(0);
    expect(allowed).toBeLessThanOrEqual(seconds + 5);
    smsc.pauseAnswers();
    await sendAll(service, 4);
    await vi.waitFor(() => expect(smsc.counters.submits).toBe(4), patiently);
    const { pids, running } = service;
    running.signal("SIGTERM");
    await vi.waitFor(() => expect(running.output()).toContain("send it again to stop at once"), patiently);
    running.signal("SIGTERM");
    expect(await running.ended).toBe(1);
    await vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]), patiently);
  });
});

describe("workers that cannot be", () => {
  it("more than the database takes connections are refused before any is started", async () => {
    const { url } = await ownDatabase();
    const env = { DATABASE_URL: url, HODHOD_PORT: "0", HODHOD_DATABASE_POOL_SIZE: "200" };
    const { code, stdout, stderr } = await hodhod(["serve", "--workers", "30"], { env });
    expect(code).toBe(1);
    expect(stderr).toMatch(/30 workers open up to 350 connections, and the database takes \d+\nhint: raise its max_/);
    expect(stdout).not.toContain("worker.started");
  });
});

function requests(route: string): string {
  return `hodhod_http_requests_total{method="GET",route="${route}",status="200"}`;
}
