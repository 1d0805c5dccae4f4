// What the benchmarks run: a simulated SMSC, a PostgreSQL server and a gateway, each as processes
// of their own, as they would be in service. Each `with…` starts one, lends it, and ends it
// whatever happens.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { demoSetup, demoSystemId } from "../src/app/demo-setup.ts";
import { prepareDatabase as prepareAsAtStart } from "../src/app/prepare-database.ts";
import { readConfig } from "../src/platform/config.ts";
import { startEmbeddedPostgres } from "../src/postgres/embedded-postgres.ts";
import { applySetup } from "../src/setup/change-setup.ts";
import { Database } from "../src/store/database.ts";
import { memoryMiB } from "./machine.ts";
import { run, root, withScript } from "./processes.ts";
import type { SmscOptions } from "./smsc-process.ts";

export const apiKey = "benchmark-key-benchmark-key";

export interface Smsc {
  readonly pid: number;
  readonly port: number;
  count(): Promise<SmscCount>;
  /**
   * When the recipients that it was told to note were submitted, first time each; in ms of the
   * machine's monotonic clock.
   */
  submitTimes(): Promise<ReadonlyMap<string, number>>;
}

export interface SmscCount {
  /** Milliseconds of the machine's monotonic clock. */
  readonly at: number;
  readonly submits: number;
  readonly receiptsAcknowledged: number;
}

export function withSmsc<T>(options: SmscOptions, work: (smsc: Smsc) => Promise<T>): Promise<T> {
  return withScript("smsc-process.ts", [JSON.stringify(options)], {}, (smsc, port) =>
    work({
      pid: smsc.pid,
      port,
      count: async () => JSON.parse(await smsc.ask("count")) as SmscCount,
      submitTimes: async () => new Map(JSON.parse(await smsc.ask("times")) as [string, number][]),
    }),
  );
}

export interface Postgres {
  readonly pid: number;
  readonly url: string;
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** The embedded server with the settings it has in service, in a new folder. */
export async function withPostgres<T>(
  work: (postgres: Postgres) => Promise<T>,
  settings: Readonly<Record<string, string>> = {},
): Promise<T> {
  const dataDir = mkdtempSync(path.join(tmpdir(), "hodhod-bench-"));
  const server = await startEmbeddedPostgres({ dataDir, settings });
  // As superuser in the gateway's database: what is measured is nobody else's to see.
  const client = new pg.Client({ connectionString: server.adminUrl.replace("/postgres?", "/hodhod?") });
  try {
    await client.connect();
    return await work({
      pid: server.pid,
      url: server.url,
      query: async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) =>
        (await client.query<Row>(text, [...values])).rows,
    });
  } finally {
    await client.end().catch(() => undefined);
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

export interface Gateway {
  readonly pid: number;
  readonly port: number;
}

/** What the gateway is set up with; by default one link to the SMSC that takes everything. */
export interface GatewayOptions {
  readonly url: string;
  /** The setup file. */
  readonly setup: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Told of the most memory that it had, in MiB, when it is about to end. */
  readonly onMemory: (mebibytes: number) => void;
}

export async function withGateway<T>(
  { url, setup, env: given = {}, onMemory }: GatewayOptions,
  work: (gateway: Gateway) => Promise<T>,
): Promise<T> {
  await prepareDatabase(url, setup);
  const env = { DATABASE_URL: url, HODHOD_PORT: "0", HODHOD_LOG_LEVEL: "error", ...given };
  const gateway = run({ command: process.execPath, args: ["bin/hodhod", "serve"], env, cwd: root });
  try {
    const { 1: port } = await gateway.line(/listening on http:\/\/127\.0\.0\.1:(\d+)/);
    const result = await work({ pid: gateway.pid, port: Number(port) });
    onMemory(memoryMiB(gateway.pid));
    return result;
  } finally {
    await gateway.stop();
  }
}

/** Makes what the first start of a gateway makes, and what the setup file describes. */
export async function prepareDatabase(url: string, setup = "{}"): Promise<void> {
  const db = Database.open({ url, poolSize: 2 });
  try {
    await prepareAsAtStart({ config: readConfig({}), db });
    await applySetup(db, { text: setup, folder: root, prune: false, dryRun: false });
  } finally {
    await db.close();
  }
}

export interface ConnectorSetup {
  readonly name: string;
  readonly port: number;
  readonly partsPerSecond?: number;
  readonly window?: number;
}

interface SetupDocument {
  connectors: readonly unknown[];
  routes: readonly unknown[];
  accounts: { credit: number }[];
}

/** An SMSC port that nothing listens on: the link stays down. */
export const deadPort = 9;

const plentyOfRials = 1_000_000_000_000;

/**
 * The demo's setup file with credit for every benchmark. `routes`: operator → connector, in order;
 * default: the first connector for all.
 */
export function setupFile(
  connectors: readonly ConnectorSetup[],
  routes: readonly { readonly operator: string; readonly connector: string }[] = [
    { operator: "*", connector: connectors[0]?.name ?? "" },
  ],
): string {
  const secrets = { apiKey, password: "benchmark-password", smscPassword: "bench" };
  const setup = JSON.parse(demoSetup(secrets, deadPort)) as SetupDocument;
  setup.connectors = connectors.map((connector) => ({
    type: "smpp",
    host: "127.0.0.1",
    systemId: demoSystemId,
    password: secrets.smscPassword,
    ...connector,
  }));
  setup.routes = routes.map(({ operator, connector }) => ({ operator, line: "*", connectors: [connector] }));
  for (const account of setup.accounts) account.credit = plentyOfRials;
  return JSON.stringify(setup);
}

export function oneLink(smscPort: number): string {
  return setupFile([{ name: "operator", port: smscPort }]);
}
