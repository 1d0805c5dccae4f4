// The figures of now: made once for all who ask. Below: the series.
import { beforeAll, describe, expect, it } from "vitest";
import type { LiveFigures } from "../../../src/figures/live-look.ts";
import { type NodeFigures, noCounts } from "../../../src/figures/tally.ts";
import { insertMinute, tellFigures } from "../../../src/store/figures.ts";
import { measureQueue } from "../../../src/store/queue-times.ts";
import { uuidv7 } from "../../../src/platform/uuid.ts";
import { callConsole, signInStaff } from "../../support/console.ts";
import { type TestApi, useTestApi, ownTestApi } from "../../support/test-api.ts";

async function live(of: TestApi, cookie: string): Promise<LiveFigures> {
  const { status, body } = await callConsole(of, "GET", "/live", { cookie });
  expect(status).toBe(200);
  return body as unknown as LiveFigures;
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

describe("live", () => {
  it("puts the rows of all nodes together", async () => {
    const api = await ownTestApi();
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
    const first = await live(api, cookie);
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
    expect(first.attention).toMatchObject([
      { kind: "unanswered", name: "mci-1" },
      { kind: "nodeSilent", name: "gone" },
      { kind: "clockOff", name: "b", seconds: 90 },
      { kind: "reviewWaits", count: 3 },
      { kind: "templatesWait", count: 1 },
    ]);
  });

  it("tells how long the oldest code and the oldest other message have been due", async () => {
    const api = await ownTestApi();
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
    const figures = await live(api, cookie);
    expect(figures.queue.oldestCodeSeconds).toBeGreaterThanOrEqual(20);
    expect(figures.queue.oldestCodeSeconds).toBeLessThan(60);
    expect(figures.queue.oldestOtherSeconds).toBeGreaterThanOrEqual(70);
    const kinds = figures.attention.map(({ kind }) => kind);
    expect(kinds.slice(0, 3)).toEqual(["connectorNoNode", "codesWait", "messagesWait"]);
  });

  it("is made once for all who ask, and again after a second", async () => {
    const api = await ownTestApi();
    const cookies = [await signInStaff(api, "viewer"), await signInStaff(api, "sales")];
    const looks = await Promise.all(Array.from({ length: 10 }, (_, index) => live(api, cookies[index % 2] ?? "")));
    expect(new Set(looks.map(({ at }) => at)).size).toBe(1);
    await tellFigures(api.db, { processId: uuidv7(), host: "new", figures: figuresOf() });
    await expect
      .poll(async () => (await live(api, cookies[0] ?? "")).nodes.map(({ host }) => host), { timeout: 10_000 })
      .toEqual(["new"]);
  });
});

describe("figures", () => {
  const api = useTestApi();
  let cookie: string;
  beforeAll(async () => {
    cookie = await signInStaff(api, "viewer");
  });

  it.each(["1h", "24h", "7d", "30d"])("answers %s", async (range) => {
    const { status, body } = await callConsole(api, "GET", `/figures?range=${range}`, { cookie });
    expect([status, body["points"]]).toEqual([200, []]);
    const lengthMs = Date.parse(String(body["to"])) - Date.parse(String(body["from"]));
    expect(lengthMs / 3_600_000).toBe({ "1h": 1, "24h": 24, "7d": 168, "30d": 720 }[range]);
  });

  it("has no times of answers in a step without one", async () => {
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
    const { status, body } = await callConsole(api, "GET", "/figures?range=2h", { cookie });
    expect([status, body["errorCode"]]).toEqual([400, 1001]);
  });
});
