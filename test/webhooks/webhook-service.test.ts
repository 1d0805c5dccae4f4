// Nodes that send, on a real database, to receivers on loopback.
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  changeEndpoint,
  type EndpointChanges,
  removeEndpoint,
  renewSecret,
  replayEvents,
} from "../../src/setup/change-endpoints.ts";
import { writeEvents } from "../../src/store/event-log.ts";
import { eventually, type World } from "../support/factories.ts";
import { namesOf, SendingWorld } from "../support/sending-node.ts";
import { receiverSecret, type WebhookReceiver } from "../support/webhook-receiver.ts";

let sending: SendingWorld;
let world: World;

beforeEach(async () => {
  sending = await SendingWorld.open();
  ({ world } = sending);
});

afterEach(async () => {
  await sending.close();
});

const owner = (id: string) => ({ accountId: sending.accountId, account: "demo", by: { who: "test" }, id });
const change = (id: string, changes: EndpointChanges) => changeEndpoint(world.db, owner(id), changes);

const idsOf = ({ events }: WebhookReceiver): string[] => events.map(({ id }) => id).sort();

const stored = (count: number): Promise<void> =>
  eventually(async () => (await sending.stored("webhook_retry")) === count && (await sending.isQuiet()));

const reasons = () => world.rows(`select name, disabled_reason as reason from webhook_endpoint where not enabled`);

/** From now on the database refuses these writes, until the returned function is called. */
async function refuse(writes: string): Promise<() => Promise<void>> {
  await world.rows(`create or replace function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'refused by the test'; end $$`);
  await world.rows(`create trigger refused before ${writes} for each statement execute function refuse()`);
  const [, table = ""] = / on (\w+)/.exec(writes) ?? [];
  return async () => {
    await world.rows(`drop trigger refused on ${table}`);
  };
}

describe("a node that sends", () => {
  it("sends an endpoint each event that happens, once, signed, under its id", async () => {
    const receiver = await sending.receive();
    await sending.endpoint(receiver);
    await sending.node();
    const names = await sending.happen(1300);
    const events = await receiver.received(1300);
    expect(namesOf(events).sort()).toEqual([...names].sort());
    expect(new Set(idsOf(receiver)).size).toBe(1300);
    expect(receiver.mostAtOnce).toBeLessThanOrEqual(8);
    const [request] = receiver.requests;
    expect(request?.headers).toMatchObject({ "content-type": "application/json", "user-agent": "Hodhod/1" });
  });

  it("makes batches, which wait a moment to fill", async () => {
    const receiver = await sending.receive();
    await sending.endpoint(receiver, { batchSize: 50 });
    await sending.node();
    const names = [...(await sending.happen(60)), ...(await sending.happen(60))];
    const events = await receiver.received(120);
    expect(namesOf(events).sort()).toEqual([...names].sort());
    expect(receiver.requests.map((request) => request.events.length)).toEqual([50, 50, 20]);
    expect(receiver.requests.every(({ body }) => body.startsWith('{"type":"batch","timestamp":"'))).toBe(true);
  });

  it("goes on where it was after a restart, and misses nothing that happened meanwhile", async () => {
    const receiver = await sending.receive();
    await sending.endpoint(receiver, { batchSize: 10 });
    const first = await sending.node();
    const before = await sending.happen(30);
    await receiver.received(30);
    await first.stop();
    const meanwhile = await sending.happen(2500);
    await sending.node();
    const after = await sending.happen(20);
    const events = await receiver.received(2550);
    expect(namesOf(events).sort()).toEqual([...before, ...meanwhile, ...after].sort());
  });

  it("stores a request that fails, and sends it again with the same id and events", async () => {
    const receiver = await sending.receive();
    await sending.endpoint(receiver, { batchSize: 3 });
    receiver.answer = () => 500;
    await sending.node();
    await sending.happen(3);
    await stored(1);
    const [retry] = await world.rows<{ tries: number; ms: number }>(
      "select tries, (extract(epoch from due_at - now()) * 1000)::float8 as ms from webhook_retry",
    );
    expect(retry?.tries).toBe(1);
    expect(retry?.ms).toBeLessThanOrEqual(5500);
    expect(retry?.ms).toBeGreaterThan(1000);
    receiver.answer = () => undefined;
    await sending.pass(6000);
    await receiver.received(3);
    const [first, second] = receiver.requests;
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    expect(second?.events).toEqual(first?.events);
    await stored(0);
    const attempts = await world.rows(
      "select http_status as status, failure, next_attempt_at as next from webhook_attempt order by id",
    );
    expect(attempts).toEqual([
      { status: 500, failure: "status", next: expect.any(Date) as Date },
      { status: 204, failure: null, next: null },
    ]);
  });

  it("keeps every failure, and of successes the first in each 10 s", async () => {
    const receiver = await sending.receive();
    await sending.endpoint(receiver);
    let asked = 0;
    receiver.answer = () => ((asked += 1) % 10 === 0 ? 500 : undefined);
    await sending.node();
    await sending.happen(20);
    await stored(2);
    const kept = await world.rows("select failure, count(*)::int from webhook_attempt group by failure order by 1");
    expect(kept).toEqual([
      { failure: "status", count: 2 },
      { failure: null, count: 1 },
    ]);
  });

  it("is not held up by endpoints that hang or fail", async () => {
    const [fast, hanging, failing] = [await sending.receive(), await sending.receive(), await sending.receive()];
    for (const receiver of [fast, hanging, failing]) await sending.endpoint(receiver);
    hanging.answer = () => new Promise(() => undefined);
    failing.answer = () => 500;
    await sending.node({ timeoutMs: 60_000 });
    const names = await sending.happen(400);
    const begun = Date.now();
    const events = await fast.received(400);
    expect(Date.now() - begun).toBeLessThan(10_000);
    expect(namesOf(events).sort()).toEqual([...names].sort());
    expect(hanging.mostAtOnce).toBe(8);
    // Ten in a row, and what was under way.
    expect(failing.requests.length).toBeLessThan(20);
  });

  it("sends to an endpoint that answers, however many hang", async () => {
    const [hung, good] = [await sending.receive(), await sending.receive()];
    for (let count = 0; count < 150; count += 1) await sending.endpoint(hung);
    await sending.endpoint(good);
    hung.answer = () => new Promise(() => undefined);
    await sending.node({ timeoutMs: 60_000 });
    await sending.happen(20);
    await good.received(20);
    await eventually(() => hung.requests.length === 150 * 8);
    const begun = Date.now();
    await sending.happen(20);
    await good.received(40);
    expect(Date.now() - begun).toBeLessThan(5_000);
  }, 60_000);

  it("goes on with an endpoint of which one request hangs", async () => {
    const receiver = await sending.receive();
    await sending.endpoint(receiver);
    let release: () => void = () => undefined;
    let asked = 0;
    receiver.answer = () =>
      (asked += 1) === 5 ? new Promise((resolve) => (release = () => resolve(undefined))) : undefined;
    await sending.node({ timeoutMs: 60_000 });
    await sending.happen(50);
    await receiver.received(49);
    await sending.happen(50);
    await receiver.received(99);
    // It waits, for the case that the node ends.
    expect(await sending.stored("webhook_retry")).toBe(1);
    release();
    await receiver.received(100);
    await stored(0);
    expect(receiver.requests).toHaveLength(100);
  });

  it("tries a request again when it is due, although another one of the endpoint hangs", async () => {
    const receiver = await sending.receive();
    await sending.endpoint(receiver);
    let asked = 0;
    receiver.answer = () => {
      asked += 1;
      if (asked === 1) return new Promise(() => undefined);
      return asked === 2 ? 500 : undefined;
    };
    await sending.node({ timeoutMs: 60_000 });
    await sending.happen(2);
    await eventually(async () => (await sending.stored("webhook_retry")) === 2);
    const begun = Date.now();
    await sending.pass(6_000);
    await receiver.received(1);
    expect(Date.now() - begun).toBeLessThan(5_000);
  });

  it("keeps what came of a request when the database cannot be read after it", async () => {
    const receiver = await sending.receive();
    await sending.endpoint(receiver);
    let release: () => void = () => undefined;
    receiver.answer = () => new Promise((resolve) => (release = () => resolve(undefined)));
    const { telemetry } = await sending.node({ timeoutMs: 60_000 });
    let hasFailed = false;
    telemetry.on("service.failed", ({ service }) => (hasFailed ||= service === "webhooks"));
    await sending.happen(1);
    await eventually(async () => (await sending.stored("webhook_retry")) === 1);
    // The round that settles the request also reads what is next.
    await world.rows("alter table event rename to hidden");
    release();
    await receiver.received(1);
    await eventually(() => hasFailed);
    await world.rows("alter table hidden rename to event");
    await stored(0);
    expect(receiver.requests).toHaveLength(1);
  });

  it("disables an endpoint that is gone, drops what waits, and tells the others", async () => {
    const [gone, other] = [await sending.receive(), await sending.receive()];
    const id = await sending.endpoint(gone, { name: "gone" });
    await sending.endpoint(other, { events: ["endpoint.disabled"] });
    gone.answer = () => 410;
    await sending.node();
    await sending.happen(5);
    const [event] = await other.received(1);
    const data = { endpointId: id, name: "gone", disabledReason: "gone" };
    expect(event).toMatchObject({ type: "endpoint.disabled", data });
    expect(await reasons()).toEqual([{ name: "gone", reason: "gone" }]);
    await stored(0);
  });
});

describe("an endpoint that fails for long", () => {
  it("is disabled after 5 days without a success, and not before", async () => {
    const receiver = await sending.receive();
    await sending.endpoint(receiver);
    receiver.answer = () => 503;
    await sending.node();
    await sending.happen(1);
    for (let day = 0; day < 5; day += 1) {
      await eventually(() => receiver.requests.length > day);
      await stored(1);
      expect(await reasons()).toEqual([]);
      await sending.pass(86_400_000);
    }
    await eventually(async () => (await reasons()).length === 1);
    expect(await reasons()).toMatchObject([{ reason: "failing" }]);
    await stored(0);
  });

  it("keeps the pause that it asked for over a restart", async () => {
    const [receiver, other] = [await sending.receive(), await sending.receive()];
    await sending.endpoint(receiver);
    receiver.answer = (_request, response) => {
      response.writeHead(503, { "retry-after": "3600" }).end();
      return 503;
    };
    const first = await sending.node();
    await sending.happen(1);
    await stored(1);
    await first.stop();
    await sending.endpoint(other);
    await sending.node();
    await sending.happen(1);
    await other.received(1);
    expect(receiver.requests).toHaveLength(1);
  });

  it("loses nothing when the database does not let it be disabled, which the next failure does", async () => {
    const receiver = await sending.receive();
    await sending.endpoint(receiver);
    receiver.answer = () => 410;
    const node = await sending.node();
    const allow = await refuse("update on webhook_endpoint");
    await sending.happen(3);
    await node.telemetry.next("service.failed", () => true);
    expect(await sending.stored("webhook_retry")).toBe(3);
    await allow();
    await sending.pass(60_000);
    await eventually(async () => (await reasons()).length === 1);
    await stored(0);
  });

  it("gets what is new as soon as it does not want the events any more of which too many wait", async () => {
    const receiver = await sending.receive();
    const id = await sending.endpoint(receiver);
    await world.rows(
      `insert into webhook_retry (endpoint_id, request_id, event_ids, happened_at, tries, due_at)
       select $1, r, array[r], now(), 4, now() + interval '10 hours'
         from (select ('9' || substr(gen_random_uuid()::text, 2))::uuid as r from generate_series(1, 1000)) requests`,
      [id],
    );
    const other = await sending.receive();
    await sending.endpoint(other);
    await sending.node();
    const template = { accountId: sending.accountId, type: "template.decided", detail: { name: "t" } } as const;
    await writeEvents(world.db, [template]);
    await other.received(1);
    expect(receiver.requests).toEqual([]);
    await change(id, { events: ["template.*"] });
    expect(namesOf(await receiver.received(1))).toEqual(["t"]);
    expect(await sending.stored("webhook_retry")).toBe(0);
  });
});

describe("what the database does not take", () => {
  it("is saved when it does: what is delivered is not sent again", async () => {
    const receiver = await sending.receive();
    await sending.endpoint(receiver);
    const node = await sending.node();
    await sending.happen(1);
    await receiver.received(1);
    await eventually(() => sending.isQuiet());
    const allow = await refuse("insert on webhook_attempt");
    receiver.answer = () => 500;
    await sending.happen(3);
    await node.telemetry.next("service.failed", () => true);
    await allow();
    await stored(3);
    expect(receiver.requests).toHaveLength(4);
  });
});

describe("what staff and customers change", () => {
  it("counts from the next try on: another URL, which ends a pause, and smaller batches", async () => {
    const [receiver, moved] = [await sending.receive(), await sending.receive()];
    const id = await sending.endpoint(receiver, { batchSize: 5 });
    receiver.answer = () => 503;
    await sending.node();
    await sending.happen(5);
    await stored(1);
    await change(id, { url: moved.url, batchSize: 2 });
    await sending.pass(6000);
    await moved.received(5);
    expect(moved.requests.map((request) => request.events.length).sort()).toEqual([1, 2, 2]);
    expect(idsOf(moved)).toEqual(receiver.requests[0]?.events.map((event) => event.id).sort());
    await stored(0);
    expect(receiver.requests).toHaveLength(1);
  });

  it("passes over what is no longer wanted", async () => {
    const receiver = await sending.receive();
    const id = await sending.endpoint(receiver);
    receiver.answer = () => 500;
    await sending.node();
    await sending.happen(1);
    await stored(1);
    await world.rows("update webhook_endpoint set events = '{message.*}' where id = $1", [id]);
    await sending.pass(6000);
    await stored(0);
    expect(receiver.requests).toHaveLength(1);
  });

  it("ends what waits: disabled gets only what happens once it is enabled, deleted gets nothing", async () => {
    const [paused, gone, other] = [await sending.receive(), await sending.receive(), await sending.receive()];
    const [pausedId, goneId] = [await sending.endpoint(paused), await sending.endpoint(gone)];
    await sending.endpoint(other);
    for (const receiver of [paused, gone]) receiver.answer = () => 500;
    await sending.node();
    await sending.happen(3);
    await other.received(3);
    await stored(6);
    await change(pausedId, { enabled: false });
    await removeEndpoint(world.db, owner(goneId));
    expect(await sending.stored("webhook_retry")).toBe(0);
    for (const receiver of [paused, gone]) receiver.answer = () => undefined;
    await sending.happen(1);
    await other.received(4);
    await change(pausedId, { enabled: true });
    await sending.pass(60_000);
    const names = await sending.happen(2);
    await other.received(6);
    expect([...namesOf(await paused.received(2))].sort()).toEqual([...names].sort());
    expect([paused.events.length, gone.requests.length]).toEqual([2, 3]);
  });

  it("ends a round to a former URL: what that one answers changes nothing", async () => {
    const [former, moved] = [await sending.receive(), await sending.receive()];
    const id = await sending.endpoint(former);
    let release: () => void = () => undefined;
    former.answer = () => new Promise((resolve) => (release = () => resolve(410)));
    await sending.node({ timeoutMs: 60_000 });
    await sending.happen(1);
    await former.asked(1);
    await change(id, { url: moved.url });
    release();
    await moved.received(1);
    await eventually(() => sending.isQuiet());
    expect(await reasons()).toEqual([]);
    expect(await sending.stored("webhook_retry")).toBe(0);
  });

  it("signs with both secrets while two live, the new one first", async () => {
    const receiver = await sending.receive();
    const id = await sending.endpoint(receiver);
    const secret = `whsec_${Buffer.alloc(24, 1).toString("base64")}`;
    await renewSecret(world.db, owner(id), secret);
    await sending.node();
    await sending.happen(1);
    await receiver.received(1);
    const [request] = receiver.requests;
    const headers = request?.headers as Record<string, string>;
    const [first = "", second = ""] = headers["webhook-signature"]?.split(" ") ?? [];
    const verify = (key: string, signature: string) =>
      new Webhook(key).verify(request?.body ?? "", { ...headers, "webhook-signature": signature });
    verify(secret, first);
    verify(receiverSecret, second);
    expect(() => verify(secret, second)).toThrow();
  });
});

describe("a replay", () => {
  const replay = async (id: string, wanted: Parameters<typeof replayEvents>[1]["wanted"]): Promise<number> => {
    const endpoint = { id, accountId: sending.accountId, events: ["*"], enabled: true };
    return replayEvents({ db: world.db }, { endpoint, wanted, eventDays: 30 });
  };
  const isOver = async () => (await sending.stored("webhook_replay")) === 0;

  it("sends the events of a time again, under their ids, behind what is new, and ends", async () => {
    const receiver = await sending.receive();
    const id = await sending.endpoint(receiver, { batchSize: 20 });
    await sending.node();
    await sending.happen(1100);
    await receiver.received(1100);
    const before = idsOf(receiver);
    receiver.events.length = 0;
    expect(await replay(id, { from: new Date(0), to: new Date("2100-01-01") })).toBe(1100);
    await receiver.received(1100);
    expect(idsOf(receiver)).toEqual(before);
    await eventually(isOver);
  });

  it("sends the events that are named, and is over soon after", async () => {
    const receiver = await sending.receive();
    const id = await sending.endpoint(receiver);
    await sending.node();
    await sending.happen(5);
    const [, second, , fourth] = await receiver.received(5);
    const named = [second?.id ?? "", fourth?.id ?? ""];
    for (let times = 1; times <= 3; times += 1) {
      receiver.events.length = 0;
      expect(await replay(id, { eventIds: named })).toBe(2);
      await receiver.received(2);
      expect(idsOf(receiver)).toEqual(named.toSorted());
      await eventually(isOver);
    }
  });
});

describe("several nodes", () => {
  it("send each event once, and at most eight requests at a time", async () => {
    const receiver = await sending.receive();
    await sending.endpoint(receiver);
    for (let count = 0; count < 3; count += 1) await sending.node();
    for (let count = 0; count < 10; count += 1) await sending.happen(50);
    await receiver.received(500);
    await eventually(() => sending.isQuiet());
    expect(receiver.events).toHaveLength(500);
    expect(receiver.mostAtOnce).toBeLessThanOrEqual(8);
  });

  it("take over from one that died in a round: its events come again, under their ids", async () => {
    const receiver = await sending.receive();
    await sending.endpoint(receiver);
    // It has claimed the endpoint and stored nothing since.
    await world.rows(
      "update webhook_progress set claimed_by = gen_random_uuid(), claimed_until = now() + interval '30 seconds', next_at = 'infinity'",
    );
    const other = await sending.receive();
    await sending.endpoint(other);
    await sending.node();
    await sending.happen(3);
    await other.received(3);
    expect(receiver.requests).toEqual([]);
    await world.rows("update webhook_progress set claimed_until = now() where claimed_by is not null");
    await receiver.received(3);
    expect(idsOf(receiver)).toEqual(idsOf(other));
  });
});
