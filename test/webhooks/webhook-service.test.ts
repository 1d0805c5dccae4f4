// A node that sends, on a real database, to receivers on loopback.
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { changeEndpoint, removeEndpoint } from "../../src/setup/change-endpoints.ts";
import { writeEvents } from "../../src/store/event-log.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { eventually, type World } from "../support/factories.ts";
import { namesOf, ready, type SendingNode, SendingWorld } from "../support/sending-node.ts";
import { receiverSecret } from "../support/webhook-receiver.ts";

let sending: SendingWorld;
let world: World;

beforeEach(async () => {
  sending = await SendingWorld.open();
  ({ world } = sending);
});

afterEach(async () => {
  await sending.close();
});

describe("a node that sends", () => {
  it("tells an endpoint each event that happens, once, signed, under its id", async () => {
    const receiver = await sending.receive();
    await sending.endpoint(receiver);
    const sender = await sending.node();
    await ready(sender, 1);
    const names = await sending.happen(300);
    const events = await receiver.received(300);
    expect(namesOf(events).sort()).toEqual([...names].sort());
    expect(new Set(events.map(({ id }) => id)).size).toBe(300);
    expect(receiver.mostAtOnce).toBeLessThanOrEqual(8);
    const [request] = receiver.requests;
    expect(request?.headers).toMatchObject({ "content-type": "application/json", "user-agent": "Hodhod/1" });
  });

  it("makes batches, which wait a moment to fill", async () => {
    const receiver = await sending.receive();
    await sending.endpoint(receiver, { batchSize: 50 });
    const sender = await sending.node();
    await ready(sender, 1);
    const names = await sending.happen(120);
    const events = await receiver.received(120);
    expect(namesOf(events).sort()).toEqual([...names].sort());
    expect(receiver.requests.map((request) => request.events.length)).toEqual([50, 50, 20]);
    expect(receiver.requests.every(({ body }) => body.startsWith('{"type":"batch","timestamp":"'))).toBe(true);
  });

  it("goes on where it was after a restart, and misses nothing that happened meanwhile", async () => {
    const receiver = await sending.receive();
    await sending.endpoint(receiver, { batchSize: 10 });
    const first = await sending.node();
    await ready(first, 1);
    const before = await sending.happen(30);
    await receiver.received(30);
    await first.stop();
    const meanwhile = await sending.happen(2500);
    const second = await sending.node();
    await ready(second, 1);
    const after = await sending.happen(20);
    const events = await receiver.received(2550);
    expect(namesOf(events).sort()).toEqual([...before, ...meanwhile, ...after].sort());
  });

  it("stores a request that fails, and sends it again with the same id and events", async () => {
    const receiver = await sending.receive();
    await sending.endpoint(receiver, { batchSize: 3 });
    let failures = 1;
    receiver.answer = () => (failures-- > 0 ? 500 : undefined);
    const sender = await sending.node();
    await ready(sender, 1);
    await sending.happen(3);
    await receiver.asked(1);
    await eventually(async () => (await world.rows("select from webhook_retry")).length === 1);
    await receiver.received(3);
    const [first, second] = receiver.requests;
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    expect(second?.events).toEqual(first?.events);
    await eventually(async () => (await world.rows("select from webhook_retry")).length === 0);
    const attempts = await world.rows<{ status: number; failure: string | null; next: Date | null }>(
      "select http_status as status, failure, next_attempt_at as next from webhook_attempt order by id",
    );
    expect(attempts).toEqual([
      { status: 500, failure: "status", next: expect.any(Date) as Date },
      { status: 204, failure: null, next: null },
    ]);
  });

  it("keeps the newest 1,000 attempts of the endpoints that it sends to", async () => {
    const id = await sending.endpoint(await sending.receive());
    const sender = await sending.node();
    await ready(sender, 1);
    await world.rows(
      `insert into webhook_attempt (id, endpoint_id, event_ids, started_at, duration_ms)
       select gen_random_uuid(), $1, '{}', now(), 1 from generate_series(1, 1020)`,
      [id],
    );
    await sender.service.sender.trimAttempts();
    expect(await sending.stored("webhook_attempt")).toBe(1000);
  });

  it("tells each second to how many endpoints it sends", async () => {
    for (let count = 0; count < 3; count += 1) await sending.endpoint(await sending.receive());
    const sender = await sending.node();
    await ready(sender, 3);
    const { count } = await sender.telemetry.next("webhook.endpoints", ({ count: told }) => told > 0);
    expect(count).toBe(3);
  });

  it("is not held up by endpoints that hang or fail", async () => {
    const [fast, hanging, failing] = [await sending.receive(), await sending.receive(), await sending.receive()];
    for (const receiver of [fast, hanging, failing]) await sending.endpoint(receiver);
    hanging.answer = () => new Promise(() => undefined);
    failing.answer = () => 500;
    const sender = await sending.node();
    await ready(sender, 3);
    const names = await sending.happen(400);
    const begun = Date.now();
    const events = await fast.received(400);
    // Behind the one that hangs it would wait for 15 s.
    expect(Date.now() - begun).toBeLessThan(10_000);
    expect(namesOf(events).sort()).toEqual([...names].sort());
    expect(hanging.mostAtOnce).toBe(8);
    // Ten in a row, and what was under way.
    expect(failing.requests.length).toBeLessThan(20);
  });

  it("disables an endpoint that is gone, drops what waits, and tells the others", async () => {
    const [gone, other] = [await sending.receive(), await sending.receive()];
    const id = await sending.endpoint(gone, { name: "gone" });
    await sending.endpoint(other, { events: ["endpoint.disabled"] });
    gone.answer = () => 410;
    const sender = await sending.node();
    await ready(sender, 2);
    await sending.happen(5);
    const [event] = await other.received(1);
    expect(event).toMatchObject({
      type: "endpoint.disabled",
      data: { endpointId: id, name: "gone", disabledReason: "gone" },
    });
    expect(await world.rows("select disabled_reason as reason from webhook_endpoint where not enabled")).toEqual([
      { reason: "gone" },
    ]);
    expect(sender.service.sender.endpoints).toBe(1);
  });
});

describe("an endpoint that fails for long", () => {
  it("is asked rarely in an hour of 500, and then gets everything", async () => {
    const clock = new ManualClock();
    const receiver = await sending.receive();
    await sending.endpoint(receiver);
    receiver.answer = () => 500;
    const sender = await sending.node(clock);
    await ready(sender, 1);
    const begunMs = clock.now();
    let answered = 0;
    sender.telemetry.on("webhook.answered", () => (answered += 1));
    const names = await sending.happen(60);
    await eventually(() => answered >= 10 && answered === receiver.requests.length && clock.timers === 1);
    const atFirst = receiver.requests.length;
    expect(atFirst).toBeLessThan(20);
    while (clock.now() - begunMs < 3_600_000) {
      const asked = answered;
      clock.next();
      await eventually(() => answered > asked && clock.timers === 1);
    }
    // Rests of 5, 10, 20, 40, 80, 160 s and of 5 minutes: one request after each.
    expect(receiver.requests.length - atFirst).toBeLessThan(20);
    receiver.answer = () => undefined;
    clock.next();
    const events = await receiver.received(60);
    expect(namesOf(events).sort()).toEqual([...names].sort());
    await eventually(async () => (await world.rows("select from webhook_retry")).length === 0);
  }, 120_000);

  it("is disabled after 5 days without a success, and not before", async () => {
    const clock = new ManualClock();
    const receiver = await sending.receive();
    await sending.endpoint(receiver);
    receiver.answer = () => 503;
    const sender = await sending.node(clock);
    await ready(sender, 1);
    await sending.happen(1);
    for (let day = 0; day < 5; day += 1) {
      await eventually(() => receiver.requests.length > day && clock.timers > 0);
      expect(await world.rows("select from webhook_endpoint where enabled")).toHaveLength(1);
      await eventually(async () => (await world.rows("select from webhook_retry")).length === 1);
      clock.advance(86_400_000);
    }
    await eventually(async () => (await world.rows("select from webhook_endpoint where enabled")).length === 0);
    expect(await world.rows("select disabled_reason as reason from webhook_endpoint")).toEqual([{ reason: "failing" }]);
    expect(await world.rows("select from webhook_retry")).toEqual([]);
  }, 60_000);

  it("keeps its rest over a restart", async () => {
    const receiver = await sending.receive();
    await sending.endpoint(receiver);
    receiver.answer = (_request, response) => {
      response.writeHead(503, { "retry-after": "3600" }).end();
      return 503;
    };
    const first = await sending.node();
    await ready(first, 1);
    await sending.happen(1);
    await receiver.asked(1);
    await eventually(async () => (await world.rows("select from webhook_retry")).length === 1);
    await first.stop();
    const second = await sending.node();
    await ready(second, 1);
    await sending.happen(1);
    const other = await sending.receive();
    await sending.endpoint(other);
    await ready(second, 2);
    await sending.happen(1);
    await other.received(1);
    expect(receiver.requests).toHaveLength(1);
  });
});

describe("what staff and customers change", () => {
  it("counts from the next try on, also for what waits", async () => {
    const [receiver, moved] = [await sending.receive(), await sending.receive()];
    const id = await sending.endpoint(receiver, { batchSize: 2 });
    receiver.answer = () => 500;
    const clock = new ManualClock();
    const sender = await sending.node(clock);
    await ready(sender, 1);
    await sending.happen(2);
    await eventually(async () => (await world.rows("select from webhook_retry")).length === 1);
    await world.reconfigure("update webhook_endpoint set url = $2, batch_size = 1 where id = $1", [id, moved.url]);
    await eventually(() => clock.timers === 1);
    clock.next();
    const events = await moved.received(2);
    expect(events).toHaveLength(2);
    expect(moved.requests.map((request) => request.events.length)).toEqual([1, 1]);
  });

  it("divides the batches that wait, where they are made smaller", async () => {
    const receiver = await sending.receive();
    const id = await sending.endpoint(receiver, { batchSize: 5 });
    receiver.answer = () => 500;
    const clock = new ManualClock();
    const sender = await sending.node(clock);
    await ready(sender, 1);
    await sending.happen(5);
    await eventually(async () => (await world.rows("select from webhook_retry")).length === 1);
    await world.reconfigure("update webhook_endpoint set batch_size = 2 where id = $1", [id]);
    await eventually(() => clock.timers === 1);
    receiver.answer = () => 204;
    clock.next();
    await receiver.asked(4);
    const [whole, ...parts] = receiver.requests.map(({ events }) => events.map((event) => event.id));
    expect(parts.map((ids) => ids.length).sort()).toEqual([1, 2, 2]);
    expect(parts.flat().sort()).toEqual(whole?.toSorted());
    await eventually(async () => (await world.rows("select from webhook_retry")).length === 0);
    expect(receiver.requests).toHaveLength(4);
  });

  it("passes over what is no longer wanted", async () => {
    const receiver = await sending.receive();
    const id = await sending.endpoint(receiver);
    receiver.answer = () => 500;
    const clock = new ManualClock();
    const sender = await sending.node(clock);
    await ready(sender, 1);
    await sending.happen(1);
    await eventually(async () => (await world.rows("select from webhook_retry")).length === 1);
    await world.reconfigure("update webhook_endpoint set events = '{message.*}' where id = $1", [id]);
    await eventually(() => clock.timers === 1);
    clock.next();
    await eventually(async () => (await world.rows("select from webhook_retry")).length === 0);
    expect(receiver.requests).toHaveLength(1);
  });

  it("ends what waits: disabled gets only what happens once it is enabled, deleted gets nothing", async () => {
    const [paused, gone, other] = [await sending.receive(), await sending.receive(), await sending.receive()];
    const owner = { accountId: sending.accountId, account: world.account().name, by: { who: "test" } };
    const [pausedId, goneId] = [await sending.endpoint(paused), await sending.endpoint(gone)];
    await sending.endpoint(other);
    for (const receiver of [paused, gone]) receiver.answer = () => 500;
    const clock = new ManualClock();
    const sender = await sending.node(clock);
    await ready(sender, 3);
    await sending.happen(3);
    await other.received(3);
    await eventually(async () => (await sending.stored("webhook_retry")) === 6);
    await changeEndpoint(world.db, { ...owner, id: pausedId }, { enabled: false });
    await removeEndpoint(world.db, { ...owner, id: goneId });
    await world.directory.refresh();
    await ready(sender, 1);
    expect(await sending.stored("webhook_retry")).toBe(0);
    for (const receiver of [paused, gone]) receiver.answer = () => undefined;
    await sending.happen(1);
    await other.received(4);
    await changeEndpoint(world.db, { ...owner, id: pausedId }, { enabled: true });
    await world.directory.refresh();
    await ready(sender, 2);
    clock.advance(60_000);
    const names = await sending.happen(2);
    await other.received(6);
    expect(namesOf(await paused.received(2))).toEqual(expect.arrayContaining([...names]));
    expect([paused.events.length, gone.requests.length]).toEqual([2, 3]);
  });

  it("signs with both secrets while two live, the new one first", async () => {
    const receiver = await sending.receive();
    const id = await sending.endpoint(receiver);
    const secret = `whsec_${Buffer.alloc(24, 1).toString("base64")}`;
    await world.reconfigure(
      "update webhook_endpoint set secret = $2, old_secret = secret, old_secret_until = now() + interval '1 day' where id = $1",
      [id, secret],
    );
    const sender = await sending.node();
    await ready(sender, 1);
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
  async function replay(id: string, columns: string, values: readonly unknown[]): Promise<void> {
    await world.rows(
      `insert into webhook_replay (endpoint_id, position, event_id, until_position, until_event_id, ${columns})
       select $1, 0, '00000000-0000-0000-0000-000000000000', pg_snapshot_xmin(pg_current_snapshot())::text::bigint + shift - 1,
              'ffffffff-ffff-ffff-ffff-ffffffffffff', ${values.map((_, index) => `$${index + 2}`).join()} from event_log`,
      [id, ...values],
    );
  }

  it("sends the events of a time again, under their ids, and ends", async () => {
    const receiver = await sending.receive();
    const id = await sending.endpoint(receiver, { batchSize: 20 });
    const sender = await sending.node();
    await ready(sender, 1);
    await sending.happen(1100);
    const before = [...(await receiver.received(1100))];
    await replay(id, "from_at, to_at", [new Date(0), new Date("2100-01-01")]);
    const events = await receiver.received(2200);
    expect(
      events
        .slice(1100)
        .map((event) => event.id)
        .sort(),
    ).toEqual(before.map((event) => event.id).sort());
    await eventually(async () => (await world.rows("select from webhook_replay")).length === 0);
  });

  it("sends the events that are named", async () => {
    const receiver = await sending.receive();
    const id = await sending.endpoint(receiver);
    const sender = await sending.node();
    await ready(sender, 1);
    await sending.happen(5);
    const [, second, , fourth] = await receiver.received(5);
    const named = [second?.id, fourth?.id];
    await replay(id, "event_ids", [named]);
    const events = await receiver.received(7);
    expect(
      events
        .slice(5)
        .map((event) => event.id)
        .sort(),
    ).toEqual([...named].sort());
    await eventually(async () => (await world.rows("select from webhook_replay")).length === 0);
  });

  it("is over when its last event is delivered, and not a round later", async () => {
    const receiver = await sending.receive();
    const id = await sending.endpoint(receiver);
    const sender = await sending.node();
    await ready(sender, 1);
    await sending.happen(1);
    const [event] = await receiver.received(1);
    const waitedMs: number[] = [];
    for (let times = 1; times <= 3; times += 1) {
      await replay(id, "event_ids", [[event?.id]]);
      await receiver.received(1 + times);
      const deliveredAt = performance.now();
      await eventually(async () => (await sending.stored("webhook_replay")) === 0);
      waitedMs.push(performance.now() - deliveredAt);
    }
    // The rounds are a second apart.
    expect(Math.min(...waitedMs)).toBeLessThan(500);
  });
});

describe("nodes", () => {
  const slotsOf = async ({ membership }: SendingNode): Promise<number> =>
    (await world.rows("select from webhook_lease where node_id = $1", [membership.nodeId])).length;

  it("share the slots evenly, and take over those of a dead one, from where it was", async () => {
    const receiver = await sending.receive();
    await sending.endpoint(receiver);
    const [first, second] = [await sending.node(), await sending.node()];
    await eventually(async () => (await slotsOf(first)) === 32 && (await slotsOf(second)) === 32);
    const holder = first.service.sender.endpoints === 1 ? first : second;
    const before = await sending.happen(20);
    await receiver.received(20);
    const { nodeId } = holder.membership;
    await world.rows("update node set lease_until = now() - interval '1 second' where id = $1", [nodeId]);
    // The holder may come back as another node before the other one has taken its slots.
    await eventually(async () => {
      const [held] = await world.rows<{ slots: number }>(
        `select count(*)::int as slots from webhook_lease l join node n on n.id = l.node_id
          where n.lease_until > now() and n.id <> $1`,
        [nodeId],
      );
      return held?.slots === 64;
    });
    const after = await sending.happen(20);
    await eventually(() => new Set(receiver.events.map((event) => event.id)).size === 40);
    expect([...new Set(namesOf(receiver.events))].sort()).toEqual([...before, ...after].sort());
    await eventually(async () => (await slotsOf(first)) === 32 && (await slotsOf(second)) === 32);
  }, 60_000);
});

describe("an endpoint with as many failed requests as may wait", () => {
  it("gets what is new as soon as it does not want those events any more", async () => {
    const receiver = await sending.receive();
    const id = await sending.endpoint(receiver);
    await world.rows(
      `insert into webhook_retry (endpoint_id, request_id, event_ids, happened_at, tries, due_at)
       select $1, r, array[r], now(), 4, now() + interval '10 hours'
         from (select ('9' || substr(gen_random_uuid()::text, 2))::uuid as r from generate_series(1, 1000)) requests`,
      [id],
    );
    const node = await sending.node();
    await ready(node, 1);
    const template = { accountId: sending.accountId, type: "template.decided", detail: { name: "t" } } as const;
    await writeEvents(world.db, [template]);
    await eventually(() => node.service.sender.waiting === 1000);
    expect(receiver.requests).toEqual([]);
    const owner = { accountId: sending.accountId, account: "demo", by: { who: "api:demo" }, id };
    await changeEndpoint(world.db, owner, { events: ["template.*"] });
    await world.directory.refresh();
    expect(namesOf(await receiver.received(1))).toEqual(["t"]);
    expect(await sending.stored("webhook_retry")).toBe(0);
  });
});
