// What became of requests, stored beside people who change the endpoints.
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { disableFailingEndpoint } from "../../src/store/disable-failing-endpoint.ts";
import { logBeginning } from "../../src/store/event-log.ts";
import { acquireSlots, webhookSlots } from "../../src/store/webhook-leases.ts";
import { beginProgress, type EndpointProgress } from "../../src/store/webhook-progress.ts";
import { divideRetry, type RetryToSave } from "../../src/store/webhook-requests.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { systemClock } from "../../src/webhooks/clock.ts";
import { EndpointLane } from "../../src/webhooks/endpoint-lane.ts";
import { divideEvents } from "../../src/webhooks/endpoint-requests.ts";
import { OutcomeJudge } from "../../src/webhooks/outcome-judge.ts";
import { OutcomeSaver } from "../../src/webhooks/outcome-saver.ts";
import { eventually, openWorld, seedNode, type World } from "../support/factories.ts";

let world: World;
let nodeId: string;
let shop: string;
let bank: string;
let saver: OutcomeSaver;

beforeAll(async () => {
  world = await openWorld();
});

beforeEach(async () => {
  await world.rows("truncate node, webhook_lease, webhook_endpoint cascade");
  nodeId = await seedNode(world, 60);
  await world.rows("update node set sends_webhooks = true where id = $1", [nodeId]);
  await world.db.transaction((tx) => acquireSlots(tx, { nodeId, wanted: webhookSlots }));
  [shop, bank] = [await endpoint("shop"), await endpoint("bank")];
  await beginProgress(world.db, [shop, bank].map(timeOf));
  saver = new OutcomeSaver(world.db);
});

afterAll(async () => {
  await world.close();
});

async function endpoint(name: string): Promise<string> {
  const id = uuidv7();
  await world.rows(
    "insert into webhook_endpoint (id, account_id, name, url, events, secret) values ($1, $2, $3, 'https://shop.example', '{*}', 'whsec_')",
    [id, world.account().id, name],
  );
  return id;
}

const timeOf = (endpointId: string) => ({ endpointId, epoch: 0 });

function retryOf(endpointId: string, eventIds = [uuidv7()]): RetryToSave {
  const at = new Date();
  return { ...timeOf(endpointId), requestId: uuidv7(), eventIds, happenedAt: at, tries: 1, dueAt: at };
}

function progressOf(endpointId: string): EndpointProgress {
  const times = { lastSuccessAt: new Date(), lastFailureAt: undefined };
  return { ...timeOf(endpointId), position: { ...logBeginning, transaction: 77n }, health: {}, ...times };
}

/** A session of somebody who changes an endpoint, and has not committed. */
async function whileChanging(endpointId: string, work: (other: pg.Client) => Promise<void>): Promise<void> {
  const other = new pg.Client({ connectionString: world.url });
  await other.connect();
  try {
    await other.query("begin; set local lock_timeout = '500ms'");
    await other.query("select from webhook_endpoint where id = $1 for update", [endpointId]);
    await work(other);
  } finally {
    await other.end();
  }
}

const waitingRetries = async (): Promise<string[]> =>
  (await world.rows<{ id: string }>("select endpoint_id as id from webhook_retry")).map(({ id }) => id);

const placesSaved = async (): Promise<string[]> =>
  (await world.rows<{ id: string }>("select endpoint_id as id from webhook_progress where position = 77")).map(
    ({ id }) => id,
  );

describe("outcomes of requests", () => {
  it("of an endpoint that is being changed wait, and those of others are stored", async () => {
    const saved: string[] = [];
    for (const id of [shop, bank]) saver.saveRetry(retryOf(id), () => saved.push(id));
    const places = { progress: [progressOf(shop), progressOf(bank)], replays: [] };
    await whileChanging(shop, async (other) => {
      expect(await saver.save(nodeId, places, new Date())).toEqual(new Set([shop]));
      expect([await waitingRetries(), await placesSaved(), saved]).toEqual([[bank], [bank], [bank]]);
      await other.query("commit");
    });
    expect(await saver.save(nodeId, { progress: [progressOf(shop)], replays: [] }, new Date())).toEqual(new Set());
    expect(new Set(await waitingRetries())).toEqual(new Set([shop, bank]));
    expect(new Set(await placesSaved())).toEqual(new Set([shop, bank]));
    expect(saved).toEqual([bank, shop]);
    expect(saver.isIdle).toBe(true);
  });

  it("let who changes it write all that belongs to it, and take no lock of it before", async () => {
    const retry = retryOf(shop);
    saver.saveRetry(retry, () => undefined);
    await saver.save(nodeId, { progress: [], replays: [] }, new Date());
    saver.deleteRetry(shop, retry.requestId, () => undefined);
    saver.noteRecovery(shop, () => undefined);
    await whileChanging(shop, async (other) => {
      await saver.save(nodeId, { progress: [], replays: [] }, new Date());
      await other.query("delete from webhook_endpoint where id = $1", [shop]);
      await other.query("commit");
    });
    expect(await saver.save(nodeId, { progress: [], replays: [] }, new Date())).toEqual(new Set());
    expect(saver.isIdle).toBe(true);
    expect(await waitingRetries()).toEqual([]);
  });

  it("of an endpoint that was disabled meanwhile are not stored, and nobody waits for them", async () => {
    let saved = 0;
    saver.saveRetry(retryOf(shop), () => (saved += 1));
    await world.db.transaction((tx) => disableFailingEndpoint(tx, { ...timeOf(shop), reason: "gone" }));
    expect(await saver.save(nodeId, { progress: [], replays: [] }, new Date())).toEqual(new Set());
    expect([await waitingRetries(), saved]).toEqual([[], 1]);
  });

  it("that wake an endpoint with too many retries do so when they are stored", async () => {
    const [start] = await beginProgress(world.db, [timeOf(shop)]);
    if (start === undefined) throw new Error("the endpoint has no place");
    const keys = { id: shop, accountId: world.account().id, name: "shop", url: "", mask: 1, batchSize: 1, epoch: 0 };
    const lane = new EndpointLane({ ...keys, secret: "", oldSecret: null, oldSecretUntil: null }, start);
    const woken: EndpointLane[] = [];
    const { db } = world;
    const judge = new OutcomeJudge({
      ...{ db, saver, telemetry: new Telemetry(), clock: systemClock, random: () => 0, accountName: () => "" },
      onMore: (one) => woken.push(one),
      onDisabled: () => undefined,
    });
    judge.dropRetry(lane, uuidv7());
    expect(woken).toEqual([]);
    await saver.save(nodeId, { progress: [], replays: [] }, new Date());
    expect(woken).toEqual([lane]);
  });
});

describe("a batch that becomes single requests", () => {
  it("holds nothing that who deletes the endpoint waits for", async () => {
    const retry = retryOf(shop, [uuidv7(), uuidv7()]);
    saver.saveRetry(retry, () => undefined);
    await saver.save(nodeId, { progress: [], replays: [] }, new Date());
    let dividing: Promise<void> | undefined;
    await whileChanging(shop, async (other) => {
      const { requestId, eventIds } = retry;
      dividing = divideRetry(world.db, { endpointId: shop, requestId, part: divideEvents(eventIds, 1) });
      await eventually(async () => {
        const waiting = await world.rows(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%divideRetry%'",
        );
        return waiting.length === 1;
      });
      await other.query("delete from webhook_retry where endpoint_id = $1", [shop]);
      await other.query("commit");
    });
    await dividing;
    expect(await waitingRetries()).toEqual([]);
  });
});
