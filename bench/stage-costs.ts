// Scenario: what a message costs in each stage. One load with a processor profile of the gateway's
// main thread, the machine's own books of each thread and process; then one with PostgreSQL's log
// of the processor time of each statement and pg_stat_statements, apart because writing the log
// costs.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type CpuProfile, timeByStage } from "./cpu-profile.ts";
import { withoutJoinedFiles } from "./joined-module.ts";
import { familyTimes, mainThreadTime } from "./machine.ts";
import { describeMeasurement, type Hooks, measure, type Measurement } from "./measure.ts";
import type { Scenario, Workbench } from "./scenario.ts";
import { loadSettings } from "./single-calls.ts";
import { statementLogSettings, sumStatementTimes } from "./statement-log.ts";
import { apiKey, oneLink, type Postgres, type Smsc, withGateway, withPostgres, withSmsc } from "./systems.ts";

/** Microseconds of processor time for each message. */
export interface Cost {
  readonly name: string;
  readonly microseconds: number;
}

export interface StatementCost extends Cost {
  /** For each thousand messages. */
  readonly executions: number;
  readonly microsecondsAnExecution: number;
  /** Octets of write-ahead log for each message. */
  readonly walOctets: number;
}

export interface StageFigures {
  readonly gateway: readonly Cost[];
  readonly postgresProcesses: readonly Cost[];
  readonly statements: readonly StatementCost[];
  readonly measurement: Measurement;
}

export const stageCosts: Scenario<StageFigures> = {
  name: "stage-costs",
  title: "processor time of each stage and each statement, calls of one message",
  run: runStageCosts,
};

async function runStageCosts(bench: Workbench): Promise<StageFigures> {
  const profiled = await profile(bench);
  bench.progress(`profiled  ${describeMeasurement(profiled.measurement)}`);
  const statements = await logStatements(bench);
  const costs = [...profiled.gateway, ...splitSessions(profiled.postgresProcesses, statements)];
  for (const { name, microseconds } of costs) {
    bench.progress(`${microseconds.toFixed(1).padStart(8)} µs a message  ${name}`);
  }
  for (const { name, microseconds, microsecondsAnExecution, executions, walOctets } of statements) {
    bench.progress(
      `${microseconds.toFixed(1).padStart(8)} µs a message  ${name}: ${executions.toFixed(1)} a thousand messages, ` +
        `${microsecondsAnExecution.toFixed(0)} µs each, WAL ${walOctets.toFixed(0)} B a message`,
    );
  }
  const { gateway, measurement } = profiled;
  return { gateway, postgresProcesses: splitSessions(profiled.postgresProcesses, statements), statements, measurement };
}

interface Profiled {
  readonly gateway: readonly Cost[];
  readonly postgresProcesses: readonly Cost[];
  readonly measurement: Measurement;
}

async function profile(bench: Workbench): Promise<Profiled> {
  const folder = mkdtempSync(path.join(tmpdir(), "hodhod-bench-profile-"));
  try {
    const loaded = await withSmsc({}, (smsc) =>
      withPostgres((postgres) => loadProfiled(bench, { smsc, postgres, folder })),
    );
    const { before, after, measurement } = loaded;
    const messages = measurement.messages;
    const [file = ""] = readdirSync(folder);
    const cpuProfile = JSON.parse(readFileSync(path.join(folder, file), "utf8")) as CpuProfile;
    const times = timeByStage(withoutJoinedFiles(cpuProfile), before.at, after.at);
    const sampled = [...times.values()].reduce((sum, microseconds) => sum + microseconds, 0);
    const mainThread = (after.mainThread - before.mainThread) / messages;
    const gateway: Cost[] = [...times]
      .map(([name, microseconds]) => ({ name, microseconds: (microseconds / sampled) * mainThread }))
      .sort((one, other) => other.microseconds - one.microseconds);
    gateway.push({
      name: "other threads (garbage collection, compiling)",
      microseconds: measurement.processorTime.gateway - mainThread,
    });
    const postgresProcesses = [...after.postgres]
      .map(([name, time]) => ({ name, microseconds: (time - (before.postgres.get(name) ?? 0)) / messages }))
      .sort((one, other) => other.microseconds - one.microseconds);
    return { gateway, postgresProcesses, measurement };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Books {
  /** Milliseconds of the machine's monotonic clock. */
  readonly at: number;
  readonly mainThread: number;
  readonly postgres: ReadonlyMap<string, number>;
}

function readBooks(gatewayPid: number, postgres: Postgres): Books {
  return {
    at: Number(process.hrtime.bigint()) / 1e6,
    mainThread: mainThreadTime(gatewayPid),
    postgres: familyTimes(postgres.pid, kindOfServerProcess),
  };
}

/**
 * "postgres: walwriter", "postgres: hodhod hodhod [local] SELECT", "postgres: io worker 1", or the
 * command that started the server.
 */
export function kindOfServerProcess(commandLine: string): string {
  const [, title] = /^postgres: (.*)$/.exec(commandLine) ?? [];
  if (title === undefined) return "PostgreSQL: postmaster, ended workers";
  const kinds = ["walwriter", "checkpointer", "background writer", "io worker", "autovacuum", "logical replication"];
  const kind = kinds.find((name) => title.startsWith(name));
  return kind === undefined ? sessions : `PostgreSQL: ${kind}`;
}

interface Stand {
  readonly smsc: Smsc;
  readonly postgres: Postgres;
  /** For the processor profile. */
  readonly folder: string;
}

type Loaded = Omit<Profiled, "gateway" | "postgresProcesses"> & { readonly before: Books; readonly after: Books };

async function loadProfiled(bench: Workbench, { smsc, postgres, folder }: Stand): Promise<Loaded> {
  const nodeArguments = ["--cpu-prof", `--cpu-prof-dir=${folder}`];
  const options = { url: postgres.url, setup: oneLink(smsc.port), nodeArguments, onMemory: () => undefined };
  return withGateway(options, async ({ pid, port }) => {
    let before: Books | undefined;
    let after: Books | undefined;
    const hooks = {
      begin: () => void (before = readBooks(pid, postgres)),
      end: () => void (after = readBooks(pid, postgres)),
    };
    const measurement = await loadGateway(bench, { pid, port, smsc, postgres }, hooks);
    if (!before || !after) throw new Error("the load told of no counted time");
    return { before, after, measurement };
  });
}

async function loadGateway(
  bench: Workbench,
  { pid, port, smsc, postgres }: { pid: number; port: number; smsc: Smsc; postgres: Postgres },
  hooks: Hooks,
): Promise<Measurement> {
  const system = { gatewayPids: [pid], smsc, postgres, messagesPerCall: 1 };
  const settings = loadSettings(bench, { kind: "single", port, key: apiKey });
  return (await measure(system, settings, hooks)).measurement;
}

function logStatements(bench: Workbench): Promise<StatementCost[]> {
  const settings = { ...statementLogSettings, shared_preload_libraries: "pg_stat_statements" };
  return withSmsc({}, (smsc) => withPostgres((postgres) => loadLogged(bench, smsc, postgres), settings));
}

async function loadLogged(bench: Workbench, smsc: Smsc, postgres: Postgres): Promise<StatementCost[]> {
  await postgres.query("create extension pg_stat_statements");
  let [from, until] = [0, 0];
  let walOctets = new Map<string, number>();
  const hooks = {
    begin: async () => {
      await postgres.query("select pg_stat_statements_reset()");
      from = statSync(postgres.logFile).size;
    },
    end: async () => {
      until = statSync(postgres.logFile).size;
      walOctets = await walOfStatements(postgres);
    },
  };
  const options = { url: postgres.url, setup: oneLink(smsc.port), onMemory: () => undefined };
  const { messages } = await withGateway(options, ({ pid, port }) =>
    loadGateway(bench, { pid, port, smsc, postgres }, hooks),
  );
  const times = sumStatementTimes(await readPart(postgres.logFile, from, until));
  return times.map(({ name, executions, microseconds, queryIds }) => ({
    name,
    microseconds: microseconds / messages,
    executions: (executions * 1000) / messages,
    microsecondsAnExecution: executions === 0 ? 0 : microseconds / executions,
    walOctets: queryIds.reduce((sum, id) => sum + (walOctets.get(id) ?? 0), 0) / messages,
  }));
}

async function walOfStatements(postgres: Postgres): Promise<Map<string, number>> {
  const rows = await postgres.query<{ id: string; octets: string }>(
    "select queryid::text as id, sum(wal_bytes)::text as octets from pg_stat_statements group by queryid",
  );
  return new Map(rows.map(({ id, octets }) => [id, Number(octets)]));
}

const sessions = "PostgreSQL: sessions";

/**
 * The processes that used something; of the sessions what their statements do not account for:
 * commits, the protocol, waking and waiting.
 */
function splitSessions(processes: readonly Cost[], statements: readonly StatementCost[]): Cost[] {
  const inStatements = statements.reduce((sum, { microseconds }) => sum + microseconds, 0);
  return processes
    .flatMap((cost) => {
      if (cost.name !== sessions) return [cost];
      return [
        { name: `${sessions}, in statements`, microseconds: inStatements },
        { name: `${sessions}, commits and protocol`, microseconds: cost.microseconds - inStatements },
      ];
    })
    .filter(({ microseconds }) => microseconds >= 0.05);
}

async function readPart(file: string, from: number, until: number): Promise<string> {
  const handle = await open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(until - from), 0, until - from, from);
    return buffer.toString("utf8");
  } finally {
    await handle.close();
  }
}
