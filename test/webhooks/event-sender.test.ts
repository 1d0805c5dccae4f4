// What a node that sends does while the database or its lease fails it: nothing is lost, and
// nothing stands still afterwards.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { everyEvent } from "../../src/sms/event-types.ts";
import { logBeginning, readLogOf } from "../../src/store/event-log.ts";
import { slotOfAccount, webhookSlots } from "../../src/store/webhook-leases.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";
import { AddressRules } from "../../src/webhooks/address-rules.ts";
import { systemClock } from "../../src/webhooks/clock.ts";
import { EventSender } from "../../src/webhooks/event-sender.ts";
import { PostingThread } from "../../src/webhooks/posting-thread.ts";
import { RequestPoster } from "../../src/webhooks/request-poster.ts";
import { WebhookService } from "../../src/webhooks/webhook-service.ts";
import { eventually, seedNode, type World } from "../support/factories.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { receiverSecret } from "../support/webhook-receiver.ts";
import { namesOf, ready, SendingWorld } from "../support/sending-node.ts";

let sending: SendingWorld;
let world: World;

beforeEach(async () => {
  sending = await SendingWorld.open();
  ({ world } = sending);
});

afterEach(async () => {
  await sending.close();
});

/** From now on the database refuses these writes, until the returned function is called. */
async function refuse(writes: string): Promise<() => Promise<void>> {
  await world.rows(`create or replace function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'refused by the test'; end $$`);
  await world.rows(`create trigger refused before ${writes} execute function refuse()`);
  const [, table = ""] = / on (\w+)/.exec(writes) ?? [];
  return async () => {
    await world.rows(`drop trigger refused on ${table}`);
  };
}

describe("an endpoint that the database does not let be disabled", () => {
  it("loses nothing: what failed is stored, and sent again", async () => {
    const clock = new ManualClock();
    const receiver = await sending.receive();
    await sending.endpoint(receiver);
    receiver.answer = () => 410;
    const node = await sending.node(clock);
    await ready(node, 1);
    const allow = await refuse("update on webhook_endpoint for each statement");
    const names = await sending.happen(3);
    await eventually(async () => (await sending.stored("webhook_retry")) === 3);
    await allow();
    receiver.answer = () => undefined;
    await eventually(() => clock.timers === 1);
    clock.advance(60_000);
    const events = await receiver.received(3);
    expect(namesOf(events).sort()).toEqual([...names].sort());
    await eventually(async () => (await sending.stored("webhook_retry")) === 0);
  });

  it("is disabled when it fails the next time", async () => {
    const clock = new ManualClock();
    const receiver = await sending.receive();
    await sending.endpoint(receiver);
    receiver.answer = () => 410;
    const node = await sending.node(clock);
    await ready(node, 1);
    const allow = await refuse("update on webhook_endpoint for each statement");
    await sending.happen(1);
    await eventually(async () => (await sending.stored("webhook_retry")) === 1);
    await allow();
    await eventually(() => clock.timers === 1);
    clock.next();
    await eventually(async () => (await world.rows("select from webhook_endpoint where enabled")).length === 0);
    await eventually(async () => (await sending.stored("webhook_retry")) === 0);
    expect(receiver.requests).toHaveLength(2);
  });
});

describe("an endpoint whose requests a defect of the gateway keeps from being sent", () => {
  it("has not failed, is not disabled after days of it, and gets everything afterwards", async () => {
    const clock = new ManualClock();
    const receiver = await sending.receive();
    await sending.endpoint(receiver);
    // The thread cannot begin.
    const allow = ["no address"];
    const latch = { failed: () => undefined, worked: () => undefined };
    const poster = new PostingThread({ allow, version: "1" }, latch, { beginAgainAfterMs: 10 });
    const node = await sending.node(clock, world.directory, poster);
    const resting: unknown[] = [];
    node.telemetry.on("webhook.resting", (event) => resting.push(event));
    await ready(node, 1);
    // More than failures before a rest, and more than an endpoint gets at a time.
    const names = await sending.happen(20);
    const isStored = async () => {
      const rows = await world.rows("select from webhook_retry where due_at > $1", [new Date(clock.now())]);
      return rows.length === names.length;
    };
    await eventually(isStored);
    clock.advance(6 * 86_400_000);
    await eventually(isStored);
    expect(await sending.stored("webhook_attempt")).toBe(0);
    const told = `select last_failure_at as "failedAt", enabled, coalesce((health->>'failuresInRow')::int, 0) as failures
      from webhook_progress p join webhook_endpoint e on e.id = p.endpoint_id`;
    expect(await world.rows(told)).toEqual([{ failedAt: null, enabled: true, failures: 0 }]);
    expect(await world.rows("select distinct tries from webhook_retry")).toEqual([{ tries: 0 }]);
    expect(resting).toEqual([]);

    allow[0] = "127.0.0.0/8";
    clock.advance(2 * 60_000);
    const events = await receiver.received(names.length);
    expect(namesOf(events).sort()).toEqual([...names].sort());
    await eventually(async () => (await sending.stored("webhook_retry")) === 0);
  });
});

describe("endpoints whose places could not be read", () => {
  it("are sent to when the database is there again, without another change", async () => {
    const receiver = await sending.receive();
    await sending.endpoint(receiver);
    const allow = await refuse("insert on webhook_progress for each statement");
    const failures: unknown[] = [];
    const node = await sending.node();
    node.telemetry.on("service.failed", (failure) => failures.push(failure));
    await eventually(() => failures.length > 0 || node.service.sender.isStale);
    expect(node.service.sender.endpoints).toBe(0);
    await allow();
    await ready(node, 1);
    await sending.happen(1);
    await receiver.received(1);
  });
});

const allSlots: ReadonlySet<number> = new Set(Array.from({ length: webhookSlots }, (_, slot) => slot));

/** A sender whose lease and slots the test decides about. */
async function withSender(
  work: (sender: EventSender, lease: { isLeaseHeld: boolean }) => Promise<void>,
  timeoutMs = 10_000,
): Promise<void> {
  const lease = { nodeId: "0190a0a0-0000-7000-8000-000000000000", isLeaseHeld: true };
  const poster = new RequestPoster({ rules: new AddressRules(["127.0.0.0/8"]), version: "1", timeoutMs });
  const { db, directory } = world;
  const sender = new EventSender({
    ...{ db, directory, poster, telemetry: new Telemetry(), clock: systemClock, membership: lease },
  });
  try {
    sender.start();
    await sender.hold(allSlots);
    await work(sender, lease);
  } finally {
    lease.isLeaseHeld = false;
    await sender.stop(0);
    await poster.close();
  }
}

describe("a slot that another node has", () => {
  it("takes its endpoints along: nothing is sent to them", async () => {
    await sending.endpoint(await sending.receive());
    await withSender(async (sender) => {
      expect(sender.endpoints).toBe(1);
      const own = slotOfAccount(sending.accountId);
      await sender.hold(new Set([...allSlots].filter((slot) => slot !== own)));
      expect(sender.endpoints).toBe(0);
    });
  });
});

describe("many endpoints at once", () => {
  it("have few requests prepared while they wait for answers, and all get everything", async () => {
    const [endpoints, events] = [120, 10];
    const receiver = await sending.receive();
    const held: (() => void)[] = [];
    receiver.answer = () =>
      new Promise((resolve) => {
        held.push(() => resolve(undefined));
      });
    await world.reconfigure(
      `insert into webhook_endpoint (id, account_id, name, url, events, secret)
       select gen_random_uuid(), $1, 'e' || n, $2, '{*}', $3 from generate_series(1, ${endpoints}) n`,
      [sending.accountId, receiver.url, receiverSecret],
    );
    await withSender(async (sender) => {
      expect(sender.endpoints).toBe(endpoints);
      await sending.happen(events);
      // As many as may be under way of endpoints that have not shown that they are quick.
      await eventually(() => held.length === 300);
      const seen: number[] = [];
      await eventually(() => {
        seen.push(sender.prepared);
        return sender.prepared > 0 && seen.at(-1) === seen.at(-20);
      });
      // 32 endpoints with 8 requests each. Without turns all would go on to 660.
      expect(sender.prepared).toBeLessThanOrEqual(256);
      receiver.answer = () => undefined;
      for (const answer of held) answer();
      // More, where the machine is so slow that some are not answered in time and come again.
      await eventually(() => receiver.requests.length >= endpoints * events);
      await eventually(() => sender.waiting === 0 && sender.prepared === 0);
    });
  });
});

describe("many endpoints that come back at once", () => {
  it("hold only what those have read whose turn it is", async () => {
    const [endpoints, events] = [200, 10];
    const receiver = await sending.receive();
    const held: (() => void)[] = [];
    receiver.answer = () => new Promise((resolve) => held.push(() => resolve(undefined)));
    await world.reconfigure(
      `insert into webhook_endpoint (id, account_id, name, url, events, secret)
       select gen_random_uuid(), $1, 'e' || n, $2, '{*}', $3 from generate_series(1, ${endpoints}) n`,
      [sending.accountId, receiver.url, receiverSecret],
    );
    await world.rows(
      `insert into webhook_progress (endpoint_id, epoch, position, event_id)
       select id, epoch, 0, '00000000-0000-0000-0000-000000000000' from webhook_endpoint`,
    );
    await sending.happen(events);
    // What ends before the oldest transaction of the cluster, which is another test's perhaps.
    const asked = { accountId: sending.accountId, mask: everyEvent, after: logBeginning, limit: events };
    await eventually(async () => (await world.db.transaction((tx) => readLogOf(tx, asked))).rows.length === events);
    await withSender(async (sender) => {
      await eventually(() => held.length === 300);
      const seen: number[] = [];
      await eventually(() => {
        seen.push(sender.waiting);
        return seen.length > 20 && seen.at(-1) === seen.at(-20);
      });
      // 300 under way and 32 turns with 8 requests; those of them hold no more than what remains.
      expect(sender.waiting).toBeLessThanOrEqual(300 + 256 + 140);
      receiver.answer = () => undefined;
      for (const answer of held) answer();
      await eventually(() => receiver.requests.length === endpoints * events);
    });
  });
});

describe("endpoints that were quick and hang now", () => {
  /** Longer than the test: their requests end only with it. */
  const timeoutMs = 120_000;

  // 60 with 8 requests each would take all 400 places; 70 with a request each and 31 more ready
  // would take all 64 turns to prepare.
  it.each([
    { hanging: 60, limit: 8 },
    { hanging: 70, limit: 1 },
  ])("delay no other one: $hanging with $limit requests at a time", async ({ hanging, limit }) => {
    const [hung, good] = [await sending.receive(), await sending.receive()];
    await world.reconfigure(
      `insert into webhook_endpoint (id, account_id, name, url, events, secret)
       select gen_random_uuid(), $1, 'e' || n, case n when 0 then $2 else $3 end, '{*}', $4 from generate_series(0, ${hanging}) n`,
      [sending.accountId, good.url, hung.url, receiverSecret],
    );
    await world.rows(
      `insert into webhook_progress (endpoint_id, epoch, position, event_id, health)
       select id, epoch, 0, '00000000-0000-0000-0000-000000000000', $1 from webhook_endpoint`,
      [JSON.stringify({ limit })],
    );
    const held: (() => void)[] = [];
    await withSender(async () => {
      await sending.happen(1);
      await eventually(() => hung.requests.length === hanging && good.requests.length === 1);
      hung.answer = () => new Promise((resolve) => held.push(() => resolve(undefined)));
      await sending.happen(200);
      await eventually(() => held.length >= hanging * limit || held.length >= 390);
      await sending.happen(200);
      await eventually(() => good.requests.length === 401, 20_000);
      for (const answer of held) answer();
    }, timeoutMs);
  });
});

describe("an endpoint that was enabled anew", () => {
  it("begins anew: what waited for it before is forgotten", async () => {
    const receiver = await sending.receive();
    const id = await sending.endpoint(receiver);
    receiver.answer = () => 500;
    await withSender(async (sender) => {
      await sending.happen(1);
      await eventually(() => receiver.requests.length === 1 && sender.waiting === 0);
      await sender.save();
      expect(sender.waiting).toBe(1);
      await world.rows("delete from webhook_retry");
      await world.reconfigure("update webhook_endpoint set epoch = epoch + 1 where id = $1", [id]);
      await sender.reconcile();
      expect([sender.endpoints, sender.waiting]).toEqual([1, 0]);
    });
  });
});

describe("a lease that is over for a moment", () => {
  it("ends all sending at once, for another node may begin", async () => {
    await sending.endpoint(await sending.receive());
    const nodeId = await seedNode(world, 60);
    await world.rows("update node set sends_webhooks = true where id = $1", [nodeId]);
    const lost = new Set<() => void>();
    const onLeaseLost = (listener: () => void) => {
      lost.add(listener);
      return () => lost.delete(listener);
    };
    const poster = new RequestPoster({ rules: new AddressRules([]), version: "1" });
    const { db, directory } = world;
    const service = new WebhookService({
      ...{ db, directory, poster, telemetry: new Telemetry(), clock: systemClock, drainMs: 0 },
      membership: { nodeId, isLeaseHeld: true, onLeaseLost },
    });
    try {
      await service.start();
      await eventually(() => service.sender.endpoints === 1);
      for (const listener of lost) listener();
      expect(service.sender.endpoints).toBe(0);
    } finally {
      await service.stop();
    }
  });

  it("stops sending, and what came meanwhile is sent after it", async () => {
    const receiver = await sending.receive();
    await sending.endpoint(receiver);
    await withSender(async (sender, lease) => {
      await sending.happen(1);
      await receiver.received(1);
      expect(sender.isStale).toBe(false);
      lease.isLeaseHeld = false;
      await sending.happen(1);
      await eventually(() => sender.isStale);
      expect(receiver.requests).toHaveLength(1);
      lease.isLeaseHeld = true;
      await sender.reconcile();
      await receiver.received(2);
      expect(sender.isStale).toBe(false);
    });
  });
});
