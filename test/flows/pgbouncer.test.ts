// The real gateway, as two processes, through a real PgBouncer under load: everything is carried
// through once, paid once, and each mode brings what the guide says that it brings.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { run, type RunningProcess } from "../../bench/processes.ts";
import { seedOperators } from "../../src/setup/save-setup.ts";
import { type SimulatedSmsc, startSimulatedSmsc } from "../../src/simulator/simulated-smsc.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/factories.ts";
import { keys, recipientOf } from "../support/gateway.ts";
import { baseSetup, openingCredit, price } from "../support/gateway-setup.ts";
import { lackOfPgBouncer, type PgBouncer, type PoolMode, startPgBouncer } from "../support/pgbouncer.ts";
import { applyDocument } from "../support/apply-document.ts";

let database: TestDatabase;
let smsc: SimulatedSmsc;
let bouncer: PgBouncer | undefined;
const nodes: RunningProcess[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  smsc = await startSimulatedSmsc({ behaviours: [] });
  await seedOperators(database.db);
  const text = JSON.stringify(baseSetup([smsc.port], { responseTimeoutMs: 5000, binds: 2 }));
  await applyDocument(database.db, text);
});

afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop("SIGKILL")));
  await smsc.stop("destroy");
  await bouncer?.stop();
  bouncer = undefined;
  await database.drop();
});

async function row(sql: string): Promise<Record<string, unknown>> {
  return (await database.rows<Record<string, unknown>>(sql))[0] ?? {};
}

/** The statements that docs/operate/several-nodes.md tells to run. */
async function giveRoleItsSettings(): Promise<void> {
  const { role, database: name } = await row("select current_user as role, current_database() as database");
  const settings = ["statement_timeout = '15s'", "idle_in_transaction_session_timeout = '30s'", "jit = off"];
  for (const setting of ["synchronous_commit = on", ...settings])
    await row(`alter role ${String(role)} in database ${String(name)} set ${setting}`);
}

async function startNode(env: Readonly<Record<string, string>>): Promise<string> {
  const settings = { HODHOD_PORT: "0", HODHOD_LOG_LEVEL: "warn", HODHOD_DATABASE_POOL_SIZE: "8", ...env };
  const node = run({ command: process.execPath, args: ["bin/hodhod", "serve"], env: settings });
  nodes.push(node);
  const [, url = ""] = await node.line(/listening on (http\S+)/);
  return url;
}

const callers = 20;
const callsEach = 20;

async function load(urls: readonly string[]): Promise<void> {
  const one = async (caller: number): Promise<void> => {
    for (let call = 0; call < callsEach; call += 1) {
      const response = await fetch(`${urls[caller % urls.length] ?? ""}/messages/send`, {
        method: "POST",
        headers: { "x-api-key": keys.demo, "content-type": "application/json" },
        body: JSON.stringify({
          senderNumber: "10001234",
          recipientNumber: recipientOf(String(1000 + call), 100 + caller),
          content: "سلام",
        }),
      });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => one(caller)));
}

async function carriesAllThrough(poolMode: PoolMode, env: Readonly<Record<string, string>>): Promise<void> {
  const urls = await Promise.all([startNode(env), startNode(env)]);
  await eventually(async () => (await row("select count(*)::int as n from bind_lease where bound"))["n"] === 2);
  await load(urls);
  const total = callers * callsEach;
  await eventually(async () => (await row("select count(*)::int as n from message where status = 2"))["n"] === total);
  expect(smsc.counters.submits).toBe(total);
  expect(await row("select count(*)::int as messages from message")).toEqual({ messages: total });
  const spent = BigInt(total) * price.persian;
  const { balance } = await row(
    "select balance from account_balance join account on id = account_id where name = 'demo'",
  );
  expect(balance).toBe(openingCredit - spent);
  // A session of its own for everything would be 16 and more.
  const { sessions } = await row(
    "select count(*)::int as sessions from pg_stat_activity where datname = current_database() and application_name = 'hodhod'",
  );
  if (poolMode === "transaction") expect(sessions).toBeLessThanOrEqual(10);
  const codes = await Promise.all(
    nodes.splice(0).map(async (node) => {
      await node.stop("SIGTERM");
      return node.exited;
    }),
  );
  expect(codes).toEqual([0, 0]);
}

describe.each(["session", "transaction"] as const)("through PgBouncer in %s mode", (poolMode) => {
  const lack = lackOfPgBouncer(poolMode);
  it("two nodes under load carry every message through once, and are paid once", async ({ skip }) => {
    if (lack !== undefined) skip(lack);
    if (poolMode === "transaction") {
      await giveRoleItsSettings();
      bouncer = await startPgBouncer(database.url, { poolMode, poolSize: 4 });
      await carriesAllThrough(poolMode, { DATABASE_URL: bouncer.url, HODHOD_DATABASE_DIRECT_URL: database.url });
    } else {
      bouncer = await startPgBouncer(database.url, { poolMode, poolSize: 30 });
      await carriesAllThrough(poolMode, { DATABASE_URL: bouncer.url });
    }
  });
});
