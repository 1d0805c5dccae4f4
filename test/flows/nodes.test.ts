// Nodes as real processes on one database: one for calls and one for links, with and without
// notifications; and one that is frozen for longer than its lease.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { run, type RunningProcess } from "../../bench/processes.ts";
import { lookEveryMs } from "../../src/maintenance/due-work.ts";
import { seedOperators } from "../../src/setup/save-setup.ts";
import { type SimulatedSmsc, startSimulatedSmsc } from "../../src/simulator/simulated-smsc.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { type DatabaseWire, openDatabaseWire } from "../support/database-wire.ts";
import { eventually } from "../support/factories.ts";
import { type AnswerBody, keys, recipientOf } from "../support/gateway.ts";
import { baseSetup } from "../support/gateway-setup.ts";
import { applyDocument } from "../support/apply-document.ts";

let database: TestDatabase;
let smsc: SimulatedSmsc;
const nodes: RunningProcess[] = [];
const wires: DatabaseWire[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  smsc = await startSimulatedSmsc({ behaviours: [], submitDelayMs: 2 });
});

afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop("SIGKILL")));
  await Promise.all(wires.splice(0).map((wire) => wire.close()));
  await smsc.stop("destroy");
  await database.drop();
});

async function configure(connector: object = {}): Promise<void> {
  const text = JSON.stringify(
    baseSetup([smsc.port], { responseTimeoutMs: 5000, enquireLinkSeconds: 30, ...connector }),
  );
  await seedOperators(database.db);
  await applyDocument(database.db, text);
}

/** Makes a node poll the queue only when it is notified. */
const withoutPolls = `const { setTimeout } = globalThis;
globalThis.setTimeout = (work, ms, ...rest) => setTimeout(work, Math.abs(ms - ${lookEveryMs}) < 1 ? 2 ** 31 - 1 : ms, ...rest);`;
const neverPolling = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(withoutPolls)}` };

/** Answers where it listens. */
async function startNode(
  only: "http" | "dispatch",
  url = database.url,
  more: Readonly<Record<string, string>> = {},
): Promise<{ node: RunningProcess; url: string }> {
  const env = { DATABASE_URL: url, HODHOD_PORT: "0", HODHOD_LOG_LEVEL: "warn", ...more };
  const node = run({ command: process.execPath, args: ["bin/hodhod", "serve", "--only", only], env });
  nodes.push(node);
  const [, address = ""] = await node.line(/(?:listening|health and metrics) on (http\S+)/);
  return { node, url: address };
}

async function call(url: string, path: string, body?: object): Promise<AnswerBody> {
  const response = await fetch(`${url}/${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { "x-api-key": keys.demo, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as AnswerBody;
}

const send = (url: string, recipientNumber: string): Promise<AnswerBody> =>
  call(url, "messages/send", { senderNumber: "10001234", recipientNumber, content: "سلام" });

async function untilDelivered(url: string, batchId = ""): Promise<void> {
  await eventually(async () => {
    const { messages = [] } = await call(url, `messages/status?batchId=${batchId}`);
    return messages.length > 0 && messages.every(({ messageStatus }) => messageStatus === 2);
  });
}

/** From the answer to the call until its submit_sm, milliseconds, in ascending order. */
async function handOver(url: string, times: number): Promise<number[]> {
  const latencies: number[] = [];
  for (let index = 0; index < times; index += 1) {
    const submitted = smsc.next("submit").then(() => performance.now());
    const { batchId } = await send(url, recipientOf(String(1000 + index)));
    const answeredAt = performance.now();
    latencies.push((await submitted) - answeredAt);
    await untilDelivered(url, batchId);
  }
  return latencies.sort((one, other) => one - other);
}

async function bound(): Promise<number> {
  const [row] = await database.rows<{ n: number }>("select count(*)::int as n from bind_lease where bound");
  return row?.n ?? 0;
}

describe("a node that takes calls and a node that sends", () => {
  it("carry each message through to its delivery, the second one woken by the first one's notification", async () => {
    await configure();
    const [api, sender] = await Promise.all([startNode("http"), startNode("dispatch", database.url, neverPolling)]);
    await eventually(async () => (await bound()) === 1);
    expect(smsc.sessions).toHaveLength(1);
    const heard: string[] = [];
    const stop = await database.db.listen("hodhod_due", (payload) => heard.push(payload));
    await handOver(api.url, 9);
    await eventually(() => heard.length >= 9);
    await stop();
    // Both are among the living; only the one that sends counts where binds are shared out.
    expect(await count("node")).toBe(2);
    expect(await count("node where dispatches")).toBe(1);
    // They answer for their health and figures, the second one nothing else.
    for (const { url } of [api, sender]) {
      for (const path of ["health/live", "health/ready"]) expect((await fetch(`${url}/${path}`)).status).toBe(200);
    }
    const figures = async (url: string): Promise<string> => (await fetch(`${url}/metrics`)).text();
    expect(await figures(api.url)).toMatch(/^hodhod_messages_accepted_total 9$/m);
    expect(await figures(sender.url)).toMatch(/^hodhod_submissions_total\{.*outcome="accepted".*\} 9$/m);
    const refusal = await fetch(`${sender.url}/messages/send`, { method: "POST", headers: { "x-api-key": keys.demo } });
    expect([refusal.status, ((await refusal.json()) as { errorCode: number }).errorCode]).toEqual([404, 404]);
    expect((await fetch(`${sender.url}/docs`)).status).toBe(404);
    expect((await fetch(`${sender.url}/metrics`, { method: "DELETE" })).status).toBe(405);
  });

  it("do so without notifications, too: a pooler may swallow them", async () => {
    await configure();
    const wire = await openDatabaseWire(database.url);
    wires.push(wire);
    wire.deafen();
    const [api] = await Promise.all([startNode("http"), startNode("dispatch", wire.url)]);
    await eventually(async () => (await bound()) === 1);
    const latencies = await handOver(api.url, 5);
    // That of the middle: one of them the machine may delay.
    expect(latencies[2]).toBeLessThan(1000);
    // As a change of the configuration is: the links follow it all the same.
    const unbound = smsc.next("unbind");
    await configure({ enabled: false });
    await unbound;
  });
});

async function count(table: string): Promise<number> {
  const [row] = await database.rows<{ n: number }>(`select count(*)::int as n from ${table}`);
  return row?.n ?? 0;
}

/** When the lease of this process ends, as `performance.now()` counts; not later than it does. */
async function leaseEnd(pid: number): Promise<number> {
  const askedAt = performance.now();
  const [row] = await database.rows<{ left: number }>(
    `select (extract(epoch from lease_until - clock_timestamp()) * 1000)::float8 as left from node where pid = $1`,
    [pid],
  );
  if (row === undefined) throw new Error("its lease has ended already");
  return askedAt + row.left;
}

describe("case 15: a node that is frozen for longer than its lease", () => {
  it("writes no submit_sm when it goes on: its bind and its messages are another one's by then, and none was sent twice", async () => {
    await configure({ window: 50, uncertain: "hold" });
    const [api, { node: frozen }] = await Promise.all([startNode("http"), startNode("dispatch")]);
    await eventually(async () => (await bound()) === 1);
    const [session] = smsc.sessions;
    const submitted: string[] = [];
    let byFrozen = 0;
    let stopped: Promise<number> | undefined;
    smsc.on("submit", ({ recipient, text }, by) => {
      if (by === session) byFrozen += 1;
      if (submitted.push(`${recipient.address} ${text}`) !== 300) return;
      process.kill(frozen.pid, "SIGSTOP");
      stopped = leaseEnd(frozen.pid);
    });
    const recipients = Array.from({ length: 100 }, (_, index) => recipientOf(String(1000 + index)));
    const bulk = { senderNumbers: ["10001234"], recipientNumbers: recipients };
    for (let index = 0; index < 10; index += 1)
      await call(api.url, "messages/send/bulk", { ...bulk, contents: [`سلام ${index}`] });
    await eventually(() => stopped !== undefined);
    const leaseEndsAt = await stopped;
    const taken = smsc.next("bind").then(() => performance.now());
    await startNode("dispatch");
    // The other one takes the bind when the lease has ended, and sends all that was not claimed.
    expect(await taken).toBeGreaterThan(leaseEndsAt ?? Infinity);
    await eventually(async () => (await count("message_queue")) === 0 && (await count("claim")) === 0);
    expect(session?.state).toBe("bound_trx");
    const before = byFrozen;
    expect(before).toBeGreaterThanOrEqual(300);
    process.kill(frozen.pid, "SIGCONT");
    await session?.closed;
    // The other one may have sent by now what this one gave back.
    expect(byFrozen).toBe(before);
    const { batchId } = await send(api.url, recipientOf("2000"));
    await untilDelivered(api.url, batchId);
    // What it had not written and now gives back is sent by the other one.
    expect(new Set(submitted).size).toBe(submitted.length);
    expect(smsc.sessions.length).toBeLessThanOrEqual(1);
  });
});
