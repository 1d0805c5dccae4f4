import { beforeEach, describe, expect, it } from "vitest";
import { everyEvent, maskOf } from "../../../src/sms/event-types.ts";
import { currentPosition } from "../../../src/store/event-log.ts";
import { listEndpointsOf } from "../../../src/store/webhook-endpoints.ts";
import { uuidv7 } from "../../../src/platform/uuid.ts";
import { type Answer, keys, useTestApi, refusal } from "../../support/test-api.ts";

const api = useTestApi();
beforeEach(async () => {
  await api.rows("truncate webhook_endpoint, wanted_events cascade");
  await api.rows("update configuration set version = version + 1");
  await api.directory.refresh();
});

interface Told {
  readonly endpointId: string;
  readonly secret: string;
  readonly enabled: boolean;
}
type Method = "GET" | "POST" | "PATCH" | "DELETE";

const call = (method: Method, path = "", payload?: unknown, key: string = keys.demo): Promise<Answer> =>
  api.call(method, `/webhooks/endpoints${path}`, { key, ...(payload !== undefined && { payload }) });

const shop = { name: "shop", url: "https://shop.example/hook", events: ["message.*"] };

async function create(given: object = {}): Promise<Told> {
  const { status, text, body } = await call("POST", "", { ...shop, ...given });
  expect([status, text]).toEqual([200, expect.anything()]);
  return body as unknown as Told;
}

const query = (text: string, ...values: unknown[]) => api.rows(text, values);
const wanted = () => api.directory.current.wantedEventsOf(api.accountId("demo"));
const endpoints = () => listEndpointsOf(api.db, [api.accountId("demo")]);

const invalid = (field: string) => [400, 1001, field];
const unknown = [400, 1106];

describe("POST webhooks/endpoints", () => {
  it("answers the endpoint with its secret last, and all nodes want its events", async () => {
    const before = await currentPosition(api.db);
    const { text } = await call("POST", "", shop);
    expect(text).toMatch(
      /^\{"endpointId":"[0-9a-f-]{36}","name":"shop","url":"https:\/\/shop\.example\/hook","events":\["message\.\*"\],"batchSize":1,"enabled":true,"createdTimestamp":\d{10},"secret":"whsec_[A-Za-z0-9+/]{43}="\}$/,
    );
    expect(wanted()).toBe(maskOf(["message.*"]));
    expect(await endpoints()).toMatchObject([{ name: "shop", enabled: true, oldSecret: null }]);
    const [progress] = await query("select position from webhook_progress");
    expect((progress as { position: bigint }).position >= before.transaction).toBe(true);
  });

  it("takes all keys, and a secret of the caller's", async () => {
    const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
    const told = await create({ batchSize: 100, enabled: false, secret, events: ["*", "webhook.test"] });
    expect(told).toMatchObject({ batchSize: 100, enabled: false, secret, events: ["*", "webhook.test"] });
    // What happens meanwhile can be replayed later.
    expect(wanted()).toBe(everyEvent);
    expect(await query("select from webhook_progress")).toEqual([]);
  });

  it.each([
    ["name", { name: "" }],
    ["name", { name: "x".repeat(101) }],
    ["name", { name: " shop" }],
    ["name", { name: "sh\u0000op" }],
    ["name", { name: 7 }],
    ["url", { url: undefined }],
    ["url", { url: "https://127.0.0.1/" }],
    ["url", { url: ["https://shop.example/"] }],
    ["events", { events: [] }],
    ["events", { events: "message.*" }],
    ["events", { events: ["message"] }],
    ["events", { events: ["message.*", 7] }],
    ["batchSize", { batchSize: 0 }],
    ["batchSize", { batchSize: 101 }],
    ["batchSize", { batchSize: 1.5 }],
    ["enabled", { enabled: "yes" }],
    ["secret", { secret: "whsec_c2hvcnQ=" }],
    ["secret", { secret: Buffer.alloc(32).toString("base64") }],
  ])("is 1001 on %s: %j", async (field, given) => {
    expect(refusal(await call("POST", "", { ...shop, ...given }))).toEqual(invalid(field));
    expect(await query("select from webhook_endpoint")).toEqual([]);
    expect(wanted()).toBe(0);
  });

  it("takes a name once in an account, also in another one", async () => {
    await create();
    expect(refusal(await call("POST", "", shop))).toEqual(invalid("name"));
    expect((await call("POST", "", shop, keys.foreign)).status).toBe(200);
  });

  it("takes 20 endpoints, however many come at once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) => call("POST", "", { ...shop, name: `shop ${index}` })),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(4);
    for (const answer of refused) expect(refusal(answer)).toEqual(invalid("endpoints"));
    expect(await query("select from webhook_endpoint")).toHaveLength(20);
  });
});

describe("an endpoint that is not there", () => {
  const calls: [Method, string, object | undefined][] = [
    ["GET", "/ID", undefined],
    ["PATCH", "/ID", {}],
    ["DELETE", "/ID", undefined],
    ["POST", "/ID/secret", {}],
    ["POST", "/ID/test", undefined],
    ["GET", "/ID/attempts", undefined],
    ["POST", "/ID/replay", { eventIds: [uuidv7()] }],
  ];

  it.each(calls)(
    "%s %s is 1106 for an unknown or foreign id, and 1001 for what is none",
    async (method, path, payload) => {
      const { endpointId } = await create();
      for (const [id, key] of [
        [uuidv7(), keys.demo],
        [endpointId, keys.foreign],
      ] as const)
        expect(refusal(await call(method, path.replace("ID", id), payload, key))).toEqual(unknown);
      expect(refusal(await call(method, path.replace("ID", "shop"), payload))).toEqual(invalid("endpointId"));
      expect(await endpoints()).toHaveLength(1);
    },
  );
});

describe("PATCH webhooks/endpoints", () => {
  it("changes what is given, at once on this node", async () => {
    const { endpointId } = await create();
    const { text, status } = await call("PATCH", `/${endpointId.toUpperCase()}`, {
      name: "till",
      url: "https://till.example/",
      events: ["credit.low"],
      batchSize: "10",
    });
    expect(status).toBe(200);
    expect(text).not.toContain("secret");
    expect(await endpoints()).toMatchObject([{ id: endpointId, name: "till", batchSize: 10 }]);
    expect(wanted()).toBe(maskOf(["credit.low"]));
    await call("PATCH", `/${endpointId}`, { batchSize: 1 });
    expect(await endpoints()).toMatchObject([{ name: "till", url: "https://till.example/", batchSize: 1 }]);
  });

  it("refuses a name that another endpoint has, and a secret", async () => {
    const { endpointId } = await create();
    await create({ name: "till" });
    expect(refusal(await call("PATCH", `/${endpointId}`, { name: "till" }))).toEqual(invalid("name"));
    const refused = await call("PATCH", `/${endpointId}`, { secret: "whsec_x" });
    expect(refusal(refused)).toEqual(invalid("secret"));
    expect(refused.text).toContain(`secret is replaced by POST webhooks/endpoints/${endpointId}/secret.`);
    expect((await call("PATCH", `/${endpointId}`, { name: "shop" })).status).toBe(200);
  });

  it("drops what waits when it disables, and begins anew when it enables", async () => {
    const { endpointId } = await create();
    await fillQueues(endpointId);
    expect((await call("PATCH", `/${endpointId}`, { enabled: false })).body).toMatchObject({ enabled: false });
    expect([await query("select from webhook_retry"), await query("select from webhook_replay")]).toEqual([[], []]);
    expect(await query("select disabled_at is not null as at from webhook_endpoint")).toEqual([{ at: true }]);
    expect(wanted()).toBe(maskOf(shop.events));
    await query("update webhook_endpoint set disabled_reason = 'gone'");
    await query(`update webhook_progress set position = 1, health = '{"failuresInRow": 3}'`);
    expect((await call("GET", `/${endpointId}`)).body).toMatchObject({ disabledReason: "gone", enabled: false });
    const position = await currentPosition(api.db);
    const { body } = await call("PATCH", `/${endpointId}`, { enabled: true });
    expect(body).not.toHaveProperty("disabledReason");
    expect(await endpoints()).toMatchObject([{ enabled: true }]);
    const [progress] = await query("select position, health from webhook_progress");
    expect(progress).toMatchObject({ health: null });
    expect((progress as { position: bigint }).position >= position.transaction).toBe(true);
    // What is so already stays as it is.
    await query("update webhook_progress set position = 1");
    await call("PATCH", `/${endpointId}`, { enabled: true });
    expect(await query("select position from webhook_progress")).toEqual([{ position: 1n }]);
  });
});

async function fillQueues(endpointId: string): Promise<void> {
  await query(
    "insert into webhook_retry (endpoint_id, request_id, event_ids, happened_at, tries, due_at) values ($1, $1, '{}', to_timestamp(1795203395), 1, now())",
    endpointId,
  );
  await query(
    `insert into webhook_replay (endpoint_id, position, event_id, until_position, until_event_id) values ($1, 0, $1, 9, $1)`,
    endpointId,
  );
}

describe("DELETE webhooks/endpoints", () => {
  it("deletes it with all that waits, and nobody wants its events", async () => {
    const { endpointId } = await create();
    await fillQueues(endpointId);
    const { text } = await call("DELETE", `/${endpointId}`);
    expect(text).toBe(`{"endpointId":"${endpointId}","deleted":true}`);
    expect(await query("select from webhook_retry")).toEqual([]);
    expect([await endpoints(), wanted()]).toEqual([[], 0]);
    expect(refusal(await call("DELETE", `/${endpointId}`))).toEqual(unknown);
  });
});

describe("POST webhooks/endpoints/{endpointId}/secret", () => {
  it("makes one or takes one, and the one before lives for 24 hours", async () => {
    const { endpointId, secret: first } = await create();
    const { text, body } = await call("POST", `/${endpointId}/secret`);
    expect(text).toMatch(/^\{"secret":"whsec_[^"]{44}"\}$/);
    const second = (body as unknown as Told).secret;
    expect(await endpoints()).toMatchObject([{ secret: second, oldSecret: first }]);
    const hours = (((await endpoints())[0]?.oldSecretUntil?.getTime() ?? 0) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThan(24.1);
    const third = `whsec_${Buffer.alloc(64, 3).toString("base64")}`;
    expect((await call("POST", `/${endpointId}/secret`, { secret: third })).body).toEqual({ secret: third });
    // Two live at most; the same again takes none away.
    await call("POST", `/${endpointId}/secret`, { secret: third });
    expect(await endpoints()).toMatchObject([{ secret: third, oldSecret: second }]);
    expect(refusal(await call("POST", `/${endpointId}/secret`, { secret: "whsec_" }))).toEqual(invalid("secret"));
  });
});

describe("the audit of endpoints", () => {
  it("names who changed what, without secrets", async () => {
    await query("truncate audit_entry");
    const { endpointId, secret } = await create();
    await call("PATCH", `/${endpointId}`, { batchSize: 5, name: "shop" });
    await call("PATCH", `/${endpointId}`, { batchSize: 5 });
    await call("POST", `/${endpointId}/secret`);
    await call("DELETE", `/${endpointId}`);
    const entries = await query("select who, action, kind, name, account, before, after from audit_entry order by id");
    const same = { who: "key:demo/main", kind: "webhookEndpoint", name: "shop", account: "demo" };
    const whole = { ...shop, batchSize: 1, enabled: true };
    expect(entries).toEqual([
      { ...same, action: "create", before: null, after: whole },
      { ...same, action: "change", before: { batchSize: 1 }, after: { batchSize: 5 } },
      { ...same, action: "change", before: {}, after: { secret: "changed" } },
      { ...same, action: "remove", before: { ...whole, batchSize: 5 }, after: null },
    ]);
    expect(JSON.stringify(entries)).not.toContain(secret);
  });
});

describe("GET webhooks/endpoints", () => {
  it("lists all in the order of their making, without secrets, with what there is to tell", async () => {
    const { endpointId, secret } = await create({ events: ["credit.low"] });
    await create({ name: "till" });
    await fillQueues(endpointId);
    await query(
      "update webhook_progress set last_success_at = to_timestamp(1795203400.9), last_failure_at = to_timestamp(1795203390) where endpoint_id = $1",
      endpointId,
    );
    const { text, body } = await call("GET");
    expect(text).not.toContain(secret);
    const told = (body as unknown as { endpoints: readonly object[] }).endpoints;
    expect(told).toMatchObject([{ name: "shop" }, { name: "till" }]);
    expect(JSON.stringify(told[0])).toMatch(
      /"createdTimestamp":\d{10},"lastSuccessTimestamp":1795203400,"lastFailureTimestamp":1795203390,"oldestWaitingTimestamp":1795203395\}$/,
    );
    expect(Object.keys(told[1] ?? {}).at(-1)).toBe("createdTimestamp");
    expect((await call("GET", "", undefined, keys.foreign)).text).toBe('{"endpoints":[]}');
  });
});

describe("GET webhooks/endpoints/{endpointId}/attempts", () => {
  it("tells the newest first, page by page, and says why one failed", async () => {
    const { endpointId } = await create();
    const events = [uuidv7()];
    const ids = [1, 2, 3].map((ms) => uuidv7(Date.now() - 10_000 + ms));
    const insert = (id: string | undefined, failure: string | null, status: number | null, next: number | null) =>
      query(
        `insert into webhook_attempt (id, endpoint_id, event_ids, started_at, duration_ms, http_status, failure, next_attempt_at)
         values ($1, $2, $3, now(), 41, $4, $5, to_timestamp($6))`,
        ...[id, endpointId, events, status, failure, next],
      );
    await insert(ids[0], null, 204, null);
    await insert(ids[1], "status", 500, 1795203405);
    await insert(ids[2], "timeout", null, 1795203406);
    const { body } = await call("GET", `/${endpointId}/attempts?count=2`);
    const page = body as unknown as { attempts: readonly object[]; nextCursor: string };
    const same = { eventIds: events, startedTimestamp: expect.any(Number) as unknown, durationMs: 41 };
    expect(page.attempts).toEqual([
      {
        attemptId: ids[2],
        ...same,
        nextAttemptTimestamp: 1795203406,
        errorMessage: "The endpoint did not respond within 15 seconds.",
      },
      {
        attemptId: ids[1],
        ...same,
        httpStatus: 500,
        nextAttemptTimestamp: 1795203405,
        errorMessage: "The endpoint returned 500.",
      },
    ]);
    const rest = await call("GET", `/${endpointId}/attempts?after=${page.nextCursor}`);
    expect(rest.body).toMatchObject({ attempts: [{ attemptId: ids[0], httpStatus: 204 }], nextCursor: ids[0] });
    const empty = await call("GET", `/${endpointId}/attempts?after=${ids[0]}`);
    expect(empty.body).toMatchObject({ attempts: [], nextCursor: ids[0] });
    for (const [field, value] of Object.entries({ after: "x", count: "101" }))
      expect(refusal(await call("GET", `/${endpointId}/attempts?${field}=${value}`))).toEqual(invalid(field));
  });

  it("tells the newest 1,000 at most, also before older ones are deleted", async () => {
    const { endpointId } = await create();
    await query(
      `insert into webhook_attempt (id, endpoint_id, event_ids, started_at, duration_ms, http_status)
       select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, '{}', now(), 41, 204 from generate_series(1, 1005) n`,
      endpointId,
    );
    const told: string[] = [];
    for (let after = ""; ;) {
      const { body } = await call("GET", `/${endpointId}/attempts${after}`);
      const page = body as unknown as { attempts: readonly { attemptId: string }[]; nextCursor: string };
      if (page.attempts.length === 0) break;
      told.push(...page.attempts.map(({ attemptId }) => attemptId));
      after = `?after=${page.nextCursor}`;
    }
    expect([told.length, told.at(-1)]).toEqual([1000, "00000000-0000-7000-8000-000000000006"]);
  });
});
