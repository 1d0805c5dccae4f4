// How many messages a second are accepted and carried through to recorded receipts, on one machine shared by load, SMSC, PostgreSQL and program; beside
// the bare pipeline and Kannel in the same run, so that the ratios hold whatever else the machine does.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { demoSetup } from "../src/demo/demo-setup.ts";
import { startEmbeddedPostgres } from "../src/postgres/embedded-postgres.ts";
import { applySetup } from "../src/setup/apply-setup.ts";
import { seedOperators } from "../src/setup/seed-operators.ts";
import { Database } from "../src/store/database.ts";
import { migrate } from "../src/store/migrate.ts";
import { ensurePartitions } from "../src/store/partitions.ts";
import type { LoadResult } from "./http-load.ts";
import { hasKannel, startKannel } from "./kannel.ts";
import { run, runScript, type RunningProcess, root } from "./processes.ts";

const seconds = Number(process.argv[2] ?? 10);
const rounds = Number(process.argv[3] ?? 2);
const apiKey = "benchmark-key-benchmark-key";

interface Figure {
  readonly accepted: number;
  readonly carried: number;
  readonly p99Ms: number;
}

async function load(kind: string, port: number, key: string): Promise<LoadResult> {
  const options = { kind, key, port, connections: 64, seconds, callsPerSecond: 0 };
  const { 0: line } = await runScript("http-load.ts", [JSON.stringify(options)]).line(/^\{.*\}$/);
  return JSON.parse(line) as LoadResult;
}

/** Loads one candidate, and reads what it has carried at the moment the load ends. */
async function measure(kind: string, port: number, key: string, carriedSoFar: () => Promise<number>): Promise<Figure> {
  await delay(500);
  const before = await carriedSoFar();
  const result = await load(kind, port, key);
  const carried = (await carriedSoFar()) - before;
  if (result.refused > 0) throw new Error(`${kind}: ${result.refused} calls were refused`);
  return { accepted: result.answered / result.seconds, carried: carried / result.seconds, p99Ms: result.p99Ms };
}

async function count(child: RunningProcess, field: string): Promise<number> {
  child.send("count");
  const { 1: json } = await child.line(/^count (.*)$/);
  return (JSON.parse(json ?? "{}") as Record<string, number>)[field] ?? 0;
}

async function withSmsc<T>(work: (port: number, smsc: RunningProcess) => Promise<T>): Promise<T> {
  const smsc = runScript("smsc-process.ts");
  try {
    const { 1: port } = await smsc.line(/^port (\d+)$/);
    return await work(Number(port), smsc);
  } finally {
    await smsc.stop();
  }
}

async function withPostgres<T>(work: (url: string) => Promise<T>): Promise<T> {
  const dataDir = mkdtempSync(path.join(tmpdir(), "hodhod-bench-"));
  const postgres = await startEmbeddedPostgres({ dataDir });
  try {
    return await work(postgres.url);
  } finally {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function hodhod(): Promise<Figure> {
  return withSmsc((smscPort) =>
    withPostgres(async (url) => {
      const db = Database.open({ url, poolSize: 2 });
      await migrate(db);
      await ensurePartitions(db, new Date());
      await seedOperators(db);
      await applySetup(db, { text: benchSetup(smscPort), folder: root, prune: false, dryRun: false });
      const env = { DATABASE_URL: url, HODHOD_PORT: "0", HODHOD_LOG_LEVEL: "error" };
      const gateway = run({ command: process.execPath, args: ["bin/hodhod", "serve"], env });
      const { 1: port } = await gateway.line(/listening on http:\/\/127\.0\.0\.1:(\d+)/);
      const figure = await measure("single", Number(port), apiKey, () => delivered(db));
      await gateway.stop();
      await db.close();
      return figure;
    }),
  );
}

async function delivered(db: Database): Promise<number> {
  const rows = await db.query<{ delivered: number }>({
    name: "countDelivered",
    text: "select count(*)::int as delivered from message where status = 2",
    values: [],
  });
  return rows[0]?.delivered ?? 0;
}

function benchSetup(smscPort: number): string {
  const setup = JSON.parse(demoSetup({ apiKey, password: "benchmark-password", smscPassword: "bench" }, smscPort)) as {
    accounts: { credit: number | string }[];
  };
  for (const account of setup.accounts) account.credit = 1_000_000_000_000;
  return JSON.stringify(setup);
}

function bare(): Promise<Figure> {
  return withSmsc((smscPort) =>
    withPostgres(async (url) => {
      const pipeline = runScript("bare-pipeline.ts", [], { DATABASE_URL: url, SMSC_PORT: String(smscPort) });
      const { 1: port } = await pipeline.line(/^port (\d+)$/);
      const figure = await measure("bare", Number(port), "", () => count(pipeline, "carried"));
      await pipeline.stop();
      return figure;
    }),
  );
}

function kannel(): Promise<Figure> {
  return withSmsc(async (smscPort, smsc) => {
    const running = await startKannel(smscPort);
    const figure = await measure("kannel", running.port, running.password, () => count(smsc, "receiptsAcknowledged"));
    await running.stop();
    return figure;
  });
}

const candidates: Record<string, () => Promise<Figure>> = { hodhod, bare, ...(hasKannel() ? { kannel } : {}) };
if (!hasKannel()) console.log("Kannel is not installed: measured without it");
const best: Record<string, Figure> = {};
for (let round = 1; round <= rounds; round += 1) {
  for (const [name, candidate] of Object.entries(candidates)) {
    const figure = await candidate();
    console.log(
      `round ${round}  ${name.padEnd(7)} accepted ${figure.accepted.toFixed(0).padStart(6)}/s  carried ${figure.carried.toFixed(0).padStart(6)}/s  p99 ${figure.p99Ms.toFixed(1)} ms`,
    );
    if ((best[name]?.carried ?? 0) < figure.carried) best[name] = figure;
  }
}
for (const other of ["bare", "kannel"]) {
  const [ours, theirs] = [best["hodhod"], best[other]];
  if (!ours || !theirs) continue;
  console.log(
    `hodhod / ${other.padEnd(7)} accepted ${(ours.accepted / theirs.accepted).toFixed(2)}  carried ${(ours.carried / theirs.carried).toFixed(2)}`,
  );
}
const output = process.env["BENCH_OUTPUT"];
if (output !== undefined) writeFileSync(output, `${JSON.stringify(best, null, 2)}\n`);
