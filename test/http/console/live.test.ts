// The stream of figures: one look a second for all who look, ended with the session, bounded in
// number and in what waits for a reader.
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { LiveFigures } from "../../../src/figures/live-look.ts";
import { type NodeFigures, noCounts } from "../../../src/figures/tally.ts";
import { liveLimits, type LiveLimits } from "../../../src/http/limits/request-limits.ts";
import { insertMinute, tellFigures } from "../../../src/store/figures.ts";
import { measureQueue } from "../../../src/store/queue-times.ts";
import { uuidv7 } from "../../../src/platform/uuid.ts";
import { callConsole, signInStaff } from "../../support/console.ts";
import { statement } from "../../support/database.ts";
import { openTestApi, type TestApi } from "../../support/test-api.ts";
import { secondFactor } from "../../support/object-sql.ts";

let api: TestApi | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

async function openServer(limits: Partial<LiveLimits> = {}) {
  const opened = await openTestApi({}, { liveLimits: { everyMs: 100, ...limits } });
  api = opened;
  const address = await opened.app.listen({ host: "127.0.0.1", port: 0 });
  return { api: opened, url: `${address}/console/api/live`, port: Number(new URL(address).port) };
}

function figuresOf(change: Partial<NodeFigures> = {}): NodeFigures {
  return {
    pid: 7,
    rates: { ...noCounts, accepted: 10, sent: 9.5 },
    latency: { answers: 10, medianMs: 20, slowMs: 60 },
    binds: [],
    asked: {},
    lease: true,
    ...change,
  };
}

const bind = { connector: "mci-1", bind: 1, bound: true, since: "2026-11-22T10:00:00.000Z", inFlight: 3, window: 10 };

/** What stands between the empty lines of a stream, one after the other; undefined at its end. */
function blocksOf(response: Response): () => Promise<string | undefined> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) throw new Error("no stream");
  let text = "";
  return async () => {
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end < 0) {
        const { value, done } = await reader.read();
        if (done) return undefined;
        text += value;
        continue;
      }
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      return block;
    }
  };
}

/** The events of a stream, one after the other; undefined at its end. */
function eventsOf(response: Response): () => Promise<LiveFigures | undefined> {
  const next = blocksOf(response);
  return async () => {
    for (;;) {
      const block = await next();
      if (block === undefined) return undefined;
      if (block.startsWith("data: ")) return JSON.parse(block.slice(6)) as LiveFigures;
    }
  };
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("it never came true");
}

describe("live", () => {
  it("puts the rows of all nodes together", async () => {
    const { api, url } = await openServer();
    const cookie = await signInStaff(api, "viewer");
    const asked = { "mci-1": { submitted: 100, unanswered: 5 } };
    await tellFigures(api.db, {
      processId: uuidv7(),
      host: "a",
      figures: figuresOf({
        asked,
        binds: [{ ...bind, partsPerSecond: 4 }],
        queue: { waiting: 5, scheduled: 2, oldestCodeAt: null, oldestOtherAt: null },
      }),
    });
    await tellFigures(api.db, {
      processId: uuidv7(),
      host: "b",
      figures: figuresOf({
        asked,
        binds: [{ ...bind, bind: 2, bound: false, lastError: "closed by the peer", partsPerSecond: 0 }],
        latency: { answers: 30, medianMs: 40, slowMs: 90 },
        clockOffSeconds: 90,
      }),
    });
    await tellFigures(api.db, { processId: uuidv7(), host: "gone", figures: figuresOf() });
    await api.rows("update node_figures set at = now() - interval '30 seconds' where host = 'gone'");
    await api.rows(
      "insert into review (account_id, message_id, rule, valid_until) select 1, gen_random_uuid(), 'games', now() from generate_series(1, 3)",
    );
    const response = await fetch(`${url}?events=2`, { headers: { cookie } });
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-store");
    const next = eventsOf(response);
    const first = await next();
    expect(first).toMatchObject({
      rates: { accepted: 20, sent: 19 },
      latency: { medianMs: 35, slowMs: 90 },
      queue: { waiting: 5, scheduled: 2, oldestCodeSeconds: 0, oldestOtherSeconds: 0 },
      connectors: [
        {
          name: "mci-1",
          partsPerSecond: 4,
          submitted: 200,
          unanswered: 10,
          binds: [
            { bind: 1, node: "a", bound: true, inFlight: 3 },
            { bind: 2, node: "b", bound: false, lastError: "closed by the peer", lastErrorKind: "closed" },
          ],
        },
      ],
      nodes: [
        { host: "a", lease: true, binds: 1, boundBinds: 1 },
        { host: "b", binds: 1, boundBinds: 0, clockOffSeconds: 90 },
        { host: "gone" },
      ],
    });
    expect(first?.attention).toMatchObject([
      { kind: "unanswered", name: "mci-1" },
      { kind: "nodeSilent", name: "gone" },
      { kind: "clockOff", name: "b", seconds: 90 },
      { kind: "reviewWaits", count: 3 },
      { kind: "templatesWait", count: 1 },
    ]);
    expect(await next()).toBeDefined();
    expect(await next()).toBeUndefined();
  });

  it("tells how long the oldest code and the oldest other message have been due", async () => {
    const { api, url } = await openServer();
    const cookie = await signInStaff(api, "viewer");
    await api.rows(`insert into message_queue (route_id, priority, account_id, due_at, message_id, valid_until, parts)
        select r, p, 1, now() + make_interval(secs => s), gen_random_uuid(), now() + interval '1 day', 1
          from (values (1, 0, 500), (1, 0, -20), (2, 1, -70), (2, 2, -30), (3, 0, -5), (3, 2, 900)) as q (r, p, s)`);
    const { oldestCodeAt, oldestOtherAt, ...depth } = await measureQueue(api.db);
    const queue = {
      ...depth,
      oldestCodeAt: oldestCodeAt?.toISOString() ?? null,
      oldestOtherAt: oldestOtherAt?.toISOString() ?? null,
    };
    await tellFigures(api.db, { processId: uuidv7(), host: "a", figures: figuresOf({ queue }) });
    const figures = await eventsOf(await fetch(`${url}?events=1`, { headers: { cookie } }))();
    expect(figures?.queue.oldestCodeSeconds).toBeGreaterThanOrEqual(20);
    expect(figures?.queue.oldestCodeSeconds).toBeLessThan(60);
    expect(figures?.queue.oldestOtherSeconds).toBeGreaterThanOrEqual(70);
    expect(figures?.attention.slice(0, 2).map(({ kind }) => kind)).toEqual(["codesWait", "messagesWait"]);
  });

  it("ends when its person signs out, is disabled, or gets another role, and others go on", async () => {
    const { api, url } = await openServer();
    const [one, other, third, stays] = [
      await signInStaff(api, "viewer", "one"),
      await signInStaff(api, "viewer", "other"),
      await signInStaff(api, "viewer", "third"),
      await signInStaff(api, "viewer", "stays"),
    ];
    const open = async (cookie: string) => eventsOf(await fetch(url, { headers: { cookie } }));
    const streams = [await open(one), await open(other), await open(third)];
    const going = await open(stays);
    for (const next of [...streams, going]) expect(await next()).toBeDefined();
    await callConsole(api, "DELETE", "/session", { cookie: one });
    await api.rows("update person set enabled = false where username = 'other'");
    await api.rows(
      "update person set password_version = password_version + 1, role = 'sales' where username = 'third'",
    );
    for (const next of streams) {
      let events = 0;
      while ((await next()) !== undefined) events += 1;
      // A few that were under way; not a stream that goes on.
      expect(events).toBeLessThan(600);
    }
    expect(await going()).toBeDefined();
  });

  it("ends where the service demands a second factor meanwhile, for who has none", async () => {
    const { api, url } = await openServer();
    const cookie = await signInStaff(api, "viewer");
    const next = eventsOf(await fetch(url, { headers: { cookie } }));
    expect(await next()).toBeDefined();
    await api.rows(secondFactor("required"));
    let events = 0;
    while ((await next()) !== undefined && events < 600) events += 1;
    expect(events).toBeLessThan(600);
  });

  it("looks once for all streams", async () => {
    const { api, url } = await openServer();
    const cookie = await signInStaff(api, "viewer");
    const streams = await Promise.all(
      [1, 2, 3, 4, 5].map(async () => eventsOf(await fetch(url, { headers: { cookie } }))),
    );
    const ats = await Promise.all(
      streams.map(async (next) => {
        const seen = [];
        for (let event = 0; event < 5; event += 1) seen.push((await next())?.at);
        return seen;
      }),
    );
    // Were each stream served by a look of its own, there would be 25 different ones.
    expect(new Set(ats.flat()).size).toBeLessThanOrEqual(10);
  });

  it("brings a change to ten open pages with the next look or the one after, at the usual pace", async () => {
    const { api, url } = await openServer({ everyMs: liveLimits.everyMs });
    const cookies = await Promise.all((["viewer", "sales"] as const).map((role) => signInStaff(api, role)));
    const streams = await Promise.all(
      Array.from({ length: 10 }, async (_, index) =>
        eventsOf(await fetch(url, { headers: { cookie: cookies[index % 2] ?? "" } })),
      ),
    );
    await Promise.all(streams.map((next) => next()));
    await tellFigures(api.db, { processId: uuidv7(), host: "new", figures: figuresOf() });
    const seen = await Promise.all(
      streams.map(async (next) => {
        // One may have begun before the change.
        for (let looks = 1; looks <= 2; looks += 1) {
          const figures = await next();
          if (figures?.nodes.some(({ host }) => host === "new") === true) return figures.at;
        }
        return undefined;
      }),
    );
    expect(seen).not.toContain(undefined);
    expect(new Set(seen).size).toBe(1);
  });

  it("is 503 beyond its number, and a reader that vanishes gives its place back", async () => {
    const { api, url, port } = await openServer({ streams: 2 });
    const cookie = await signInStaff(api, "viewer");
    const vanishing = connect(port, "127.0.0.1");
    vanishing.write(`GET /console/api/live HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\n\r\n`);
    await new Promise((resolve) => vanishing.once("data", resolve));
    const next = eventsOf(await fetch(url, { headers: { cookie } }));
    const refused = await fetch(url, { headers: { cookie } });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    vanishing.resetAndDestroy();
    await until(async () => {
      const response = await fetch(`${url}?events=1`, { headers: { cookie } });
      await response.text();
      return response.status === 200;
    });
    expect(await next()).toBeDefined();
  });

  it("keeps no place for a reader that has gone before its answer began", async () => {
    const { api, url, port } = await openServer({ streams: 1 });
    const cookie = await signInStaff(api, "viewer");
    const vanishing = connect(port, "127.0.0.1");
    await api.db.transaction(async (tx) => {
      await tx.query(statement("lock table console_session"));
      vanishing.write(`GET /console/api/live HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\n\r\n`);
      await until(async () => {
        const [row] = await tx.query<{ waits: boolean }>(
          statement("select exists (select from pg_locks where not granted) as waits"),
        );
        return row?.waits === true;
      });
      vanishing.resetAndDestroy();
      await new Promise((resolve) => setTimeout(resolve, 200));
    });
    // Asked when the other one has had its turn.
    const response = await fetch(`${url}?events=1`, { headers: { cookie } });
    expect(response.status).toBe(200);
    await response.text();
  });

  it("leaves room for others where one person opens many: 429", async () => {
    const { api, url } = await openServer({ streams: 4, ofPerson: 2 });
    const [one, other] = [await signInStaff(api, "viewer"), await signInStaff(api, "sales")];
    const streams = await Promise.all([1, 2].map(() => fetch(url, { headers: { cookie: one } })));
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    const refused = await fetch(url, { headers: { cookie: one } });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
    const next = eventsOf(await fetch(url, { headers: { cookie: other } }));
    expect(await next()).toBeDefined();
    const streamsOpen = async () =>
      /^hodhod_console_live_streams (\d+)$/m.exec((await api.call("GET", "/metrics")).text)?.[1];
    expect(await streamsOpen()).toBe("3");
    for (const { body } of streams) await body?.cancel();
    await until(async () => (await streamsOpen()) === "1");
  });

  it("cuts off a reader that takes nothing, and others do not wait for it", async () => {
    const { api, url, port } = await openServer({ streams: 2, timeoutMs: 500 });
    const cookie = await signInStaff(api, "viewer");
    const binds = Array.from({ length: 2000 }, (_, number) => ({
      ...bind,
      bind: number,
      partsPerSecond: 0,
      lastError: "x".repeat(300),
    }));
    await tellFigures(api.db, { processId: uuidv7(), host: "a", figures: figuresOf({ binds }) });
    const slow = connect(port, "127.0.0.1");
    const closed = new Promise((resolve) => slow.once("close", resolve));
    slow.on("error", () => undefined);
    slow.write(`GET /console/api/live HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\n\r\n`);
    await new Promise((resolve) => slow.once("data", resolve));
    slow.pause();
    const next = eventsOf(await fetch(url, { headers: { cookie } }));
    // Its place is free again only when it is cut off.
    await until(async () => {
      const [response] = await Promise.all([fetch(`${url}?events=1`, { headers: { cookie } }), next()]);
      await response.body?.cancel();
      return response.status === 200;
    });
    slow.resume();
    await closed;
    expect(await next()).toBeDefined();
  });

  it.each(["0", "3601", "x"])("is 1001 for events=%s", async (events) => {
    const { api } = await openServer();
    const cookie = await signInStaff(api, "viewer");
    const { status, body } = await callConsole(api, "GET", `/live?events=${events}`, { cookie });
    expect([status, body["errorCode"]]).toEqual([400, 1001]);
  });

  it("has the limits that are promised", () => {
    expect(liveLimits).toMatchObject({ streams: 200, ofPerson: 20 });
    // One a second, with what a look takes.
    expect(liveLimits.everyMs).toBe(900);
  });
});

describe("figures", () => {
  it.each(["1h", "24h", "7d", "30d"])("answers %s", async (range) => {
    const { api } = await openServer();
    const cookie = await signInStaff(api, "viewer");
    const { status, body } = await callConsole(api, "GET", `/figures?range=${range}`, { cookie });
    expect([status, body["points"]]).toEqual([200, []]);
    const lengthMs = Date.parse(String(body["to"])) - Date.parse(String(body["from"]));
    expect(lengthMs / 3_600_000).toBe({ "1h": 1, "24h": 24, "7d": 168, "30d": 720 }[range]);
  });

  it("has no times of answers in a step without one", async () => {
    const { api } = await openServer();
    const cookie = await signInStaff(api, "viewer");
    const minuteMs = 60_000;
    const last = Math.floor(Date.now() / minuteMs) * minuteMs;
    const counts = { accepted: 0, sent: 0, delivered: 0, undelivered: 0, unsent: 0 };
    const parts = { taken: 0, refused: 0, throttled: 0, unanswered: 0 };
    for (const [at, answers, ms] of [
      [last - minuteMs, 3, 20],
      [last, 0, 0],
    ] as const) {
      const times = { answers, medianMs: ms, slowMs: ms };
      await insertMinute(api.db, { at: new Date(at), processId: uuidv7(), ...counts, ...parts, ...times });
    }
    const { body } = await callConsole(api, "GET", "/figures?range=1h", { cookie });
    const point = { ...counts, ...parts };
    expect(body["points"]).toEqual([
      { at: new Date(last - minuteMs).toISOString(), ...point, medianMs: 20, slowMs: 20 },
      { at: new Date(last).toISOString(), ...point },
    ]);
  });

  it("is 1001 for another range", async () => {
    const { api } = await openServer();
    const cookie = await signInStaff(api, "viewer");
    const { status, body } = await callConsole(api, "GET", "/figures?range=2h", { cookie });
    expect([status, body["errorCode"]]).toEqual([400, 1001]);
  });
});
