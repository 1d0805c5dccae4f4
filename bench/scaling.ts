// npm run bench:scaling [-- --seconds N] [-- --rounds N] [-- --write]: what one node carries, what
// several do, and what a message costs PostgreSQL, on one machine. With --write the tables between
// the marks of docs/scaling.md are made anew.
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { NodeRole } from "../src/platform/config.ts";
import { readOptions, wholeNumberOf } from "./command-line.ts";
import type { LoadOptions, LoadResult } from "./http-load.ts";
import { describeMachine, machineTimes, mainThreadTime, peakMemoryMiB, processorTimes } from "./machine.ts";
import { root, run, runScript, type RunningProcess } from "./processes.ts";
import { describeScaling, type ScalingFigures } from "./scaling-document.ts";
import type { Postgres, Smsc } from "./systems.ts";

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130));

const values = readOptions("npm run bench:scaling [-- --seconds N] [--rounds N] [--write]", {
  seconds: { type: "string", default: "10" },
  rounds: { type: "string", default: "2" },
  write: { type: "boolean", default: false },
});
const seconds = wholeNumberOf("--seconds", values.seconds, 1);
const rounds = wholeNumberOf("--rounds", values.rounds, 1);
// Loaded when it is known what is wanted: they load most of the product.
const { apiKey, oneLink, prepareDatabase, withPostgres, withSmsc } = await import("./systems.ts");

type Roles = NodeRole | "both";

/** What runs, by what each node does. */
const shapes: Readonly<Record<string, readonly Roles[]>> = {
  "one node for both": ["both"],
  "two nodes for both": ["both", "both"],
  "one for calls, one for links": ["http", "dispatch"],
  "two for calls, one for links": ["http", "http", "dispatch"],
  "two for calls, two for links": ["http", "http", "dispatch", "dispatch"],
};

const connections = 64;
const warmUpSeconds = 3;
const warmUpCalls = 15_000;
/** The loads begin and end one by one: the readings are taken well within. */
const overlapMs = 1500;
const binds = 2;

interface RunningNode {
  readonly roles: Roles;
  readonly process: RunningProcess;
  /** Of its HTTP service, if it has one. */
  readonly port: number | undefined;
}

async function startNode(roles: Roles, url: string): Promise<RunningNode> {
  const env = { DATABASE_URL: url, HODHOD_PORT: "0", HODHOD_LOG_LEVEL: "error" };
  const only = roles === "both" ? [] : ["--only", roles];
  const started = run({ command: process.execPath, args: ["bin/hodhod", "serve", ...only], env });
  const [, port] = await started.line(/listening on http:\/\/127\.0\.0\.1:(\d+)|dispatching/);
  return { roles, process: started, port: port === undefined ? undefined : Number(port) };
}

interface ServerCounters {
  readonly commits: number;
  readonly fsyncs: number;
  readonly fsyncMs: number;
  readonly connections: number;
}

async function readServer(postgres: Postgres): Promise<ServerCounters> {
  const [row] = await postgres.query<Record<keyof ServerCounters, string>>(
    `select (select sum(xact_commit) from pg_stat_database) as commits,
            (select sum(fsyncs) from pg_stat_io where object = 'wal') as fsyncs,
            (select sum(fsync_time) from pg_stat_io where object = 'wal') as "fsyncMs",
            (select count(*) from pg_stat_activity where application_name = 'hodhod') as connections`,
  );
  const { commits = 0, fsyncs = 0, fsyncMs = 0, connections: sessions = 0 } = row ?? {};
  return {
    commits: Number(commits),
    fsyncs: Number(fsyncs),
    fsyncMs: Number(fsyncMs),
    connections: Number(sessions),
  };
}

interface Reading {
  readonly at: number;
  readonly carried: number;
  readonly server: ServerCounters;
  readonly walOctets: number;
  /** Microseconds: all of this benchmark, PostgreSQL, then the nodes. */
  readonly processes: readonly number[];
  readonly mainThreads: readonly number[];
  readonly idle: number;
  readonly all: number;
}

async function read(nodes: readonly RunningNode[], postgres: Postgres, smsc: Smsc): Promise<Reading> {
  const { idle, total } = machineTimes();
  const pids = nodes.map((node) => node.process.pid);
  const processes = processorTimes([process.pid, postgres.pid, ...pids]);
  const mainThreads = pids.map(mainThreadTime);
  const [count, walOctets, server] = await Promise.all([smsc.count(), postgres.walOctets(), readServer(postgres)]);
  const { receiptsAcknowledged: carried, at } = count;
  return { at, carried, server, walOctets, processes, mainThreads, idle, all: total };
}

async function load(port: number, share: number, seconds: number): Promise<RunningProcess> {
  const options: LoadOptions = {
    port,
    connections: share,
    warmUpSeconds,
    warmUpCalls: Math.floor((warmUpCalls * share) / connections),
    seconds: seconds + (2 * overlapMs) / 1000,
    callsPerSecond: 0,
    kind: "single",
    key: apiKey,
    trace: false,
  };
  return runScript("http-load.ts", [JSON.stringify(options)]);
}

async function measureShape(name: string, roles: readonly Roles[], seconds: number): Promise<ScalingFigures> {
  return withSmsc({}, (smsc) =>
    withPostgres(
      async (postgres) => {
        const setup = JSON.parse(oneLink(smsc.port)) as { connectors: { binds?: number }[] };
        for (const connector of setup.connectors) connector.binds = binds;
        await prepareDatabase(postgres.url, JSON.stringify(setup));
        const nodes = await Promise.all(roles.map((each) => startNode(each, postgres.url)));
        try {
          return await measureNodes(name, { nodes, postgres, smsc, seconds });
        } finally {
          await Promise.all(nodes.map((node) => node.process.stop()));
        }
      },
      { max_connections: "200", track_wal_io_timing: "on" },
    ),
  );
}

interface Running {
  readonly nodes: readonly RunningNode[];
  readonly postgres: Postgres;
  readonly smsc: Smsc;
  readonly seconds: number;
}

async function measureNodes(name: string, { nodes, postgres, smsc, seconds }: Running): Promise<ScalingFigures> {
  await untilBound(postgres);
  const ports = nodes.flatMap(({ port }) => port ?? []);
  const loads = await Promise.all(ports.map((port) => load(port, connections / ports.length, seconds)));
  try {
    await Promise.all(loads.map((each) => each.line(/^measuring$/)));
    await delay(overlapMs);
    const before = await read(nodes, postgres, smsc);
    await delay(seconds * 1000);
    const after = await read(nodes, postgres, smsc);
    const results = await Promise.all(
      loads.map(async (each) => JSON.parse((await each.line(/^\{.*\}$/))[0]) as LoadResult),
    );
    const refusal = results.find(({ refused }) => refused > 0)?.refusal;
    if (refusal !== undefined) throw new Error(`${name}: a call was refused: ${refusal}`);
    const memoryMiB = nodes.map((node) => peakMemoryMiB(node.process.pid));
    const storedOctets = await storage(postgres, results);
    return { ...summarize(nodes, results, before, after), name, memoryMiB: Math.max(...memoryMiB), storedOctets };
  } finally {
    await Promise.all(loads.map((each) => each.stop("SIGKILL")));
  }
}

type Summary = Omit<ScalingFigures, "name" | "memoryMiB" | "storedOctets">;

function summarize(
  nodes: readonly RunningNode[],
  results: readonly LoadResult[],
  before: Reading,
  after: Reading,
): Summary {
  const seconds = (after.at - before.at) / 1000;
  const accepted = results.reduce((sum, { answered, seconds: counted }) => sum + answered / counted, 0);
  const carried = (after.carried - before.carried) / seconds;
  const messages = ((accepted + carried) / 2) * seconds;
  const [ours = 0, postgres = 0, ...each] = after.processes.map((time, index) => time - (before.processes[index] ?? 0));
  const threads = after.mainThreads.map((time, index) => time - (before.mainThreads[index] ?? 0));
  const perMessage = (roles: Roles): number =>
    nodes.reduce((sum, node, index) => sum + (node.roles === roles ? (each[index] ?? 0) : 0), 0) / messages;
  const fsyncs = after.server.fsyncs - before.server.fsyncs;
  const machine = after.all - before.all;
  return {
    accepted,
    carried,
    p99Ms: Math.max(...results.map(({ latencyMs }) => latencyMs.p99)),
    nodeMicroseconds: { both: perMessage("both"), http: perMessage("http"), dispatch: perMessage("dispatch") },
    busiestThread: Math.max(...threads) / 1e6 / seconds,
    postgresMicroseconds: postgres / messages,
    carriedAlone: (availableParallelism() * 1e6 * messages) / ours,
    walOctets: (after.walOctets - before.walOctets) / messages,
    commits: (after.server.commits - before.server.commits) / seconds,
    fsyncs: fsyncs / seconds,
    fsyncMs: (after.server.fsyncMs - before.server.fsyncMs) / Math.max(1, fsyncs),
    connections: after.server.connections,
    idle: (after.idle - before.idle) / machine,
    others: Math.max(0, 1 - (after.idle - before.idle + ours) / machine),
  };
}

async function untilBound(postgres: Postgres): Promise<void> {
  for (;;) {
    const [row] = await postgres.query<{ bound: number }>("select count(*)::int as bound from bind_lease where bound");
    if (row?.bound === binds) return;
    await delay(100);
  }
}

/**
 * Octets on disk for each message whose receipt is recorded, with all its rows and indexes; what
 * waits is let go first.
 */
async function storage(postgres: Postgres, results: readonly LoadResult[]): Promise<number> {
  const sent = results.reduce((sum, { answeredInAll }) => sum + answeredInAll, 0);
  for (;;) {
    const [row] = await postgres.query<{ delivered: number }>(
      "select count(*)::int as delivered from message where status = 2",
    );
    if ((row?.delivered ?? 0) >= sent) break;
    await delay(200);
  }
  const [row] = await postgres.query<{ octets: string }>(
    `select sum(pg_total_relation_size(c.oid)) as octets from pg_class c join pg_inherits i on i.inhrelid = c.oid
      where c.relkind = 'r' and c.relispartition`,
  );
  return Number(row?.octets) / sent;
}

const best = new Map<string, ScalingFigures>();
for (let round = 1; round <= rounds; round += 1) {
  for (const [name, roles] of Object.entries(shapes)) {
    const figures = await measureShape(name, roles, seconds);
    // The machine may be busy with other things in one round or another.
    if ((best.get(name)?.carried ?? 0) < figures.carried) best.set(name, figures);
    const { accepted, carried, p99Ms, postgresMicroseconds, walOctets, fsyncs } = figures;
    console.log(
      `round ${round}  ${name.padEnd(28)} accepted ${accepted.toFixed(0)}/s  carried ${carried.toFixed(0)}/s  p99 ${p99Ms.toFixed(1)} ms  ` +
        `PostgreSQL ${postgresMicroseconds.toFixed(0)} µs and ${walOctets.toFixed(0)} octets of WAL a message, ${fsyncs.toFixed(0)} fsync/s`,
    );
  }
}
const description = describeScaling([...best.values()], describeMachine());
console.log(`\n${description}`);
if (values.write) {
  const file = path.join(root, "docs/scaling.md");
  const marks = /(<!-- begin of what was measured[^\n]*-->\n)[\s\S]*?(\n<!-- end of what was measured -->)/;
  const text = readFileSync(file, "utf8");
  if (!marks.test(text)) throw new Error("the document has no place for what was measured");
  writeFileSync(
    file,
    text.replace(marks, (_, begin: string, end: string) => `${begin}\n${description}\n${end}`),
  );
  console.log("docs/scaling.md is written");
}
