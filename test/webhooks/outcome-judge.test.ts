// What follows from outcomes, on a real database that is written to when the test says so.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { logBeginning, type Position } from "../../src/store/event-log.ts";
import { acquireSlots, webhookSlots } from "../../src/store/webhook-leases.ts";
import { beginProgress } from "../../src/store/webhook-progress.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { healthy } from "../../src/webhooks/endpoint-health.ts";
import { EndpointLane, type LaneRequest } from "../../src/webhooks/endpoint-lane.ts";
import { OutcomeJudge } from "../../src/webhooks/outcome-judge.ts";
import { OutcomeSaver } from "../../src/webhooks/outcome-saver.ts";
import { openWorld, seedNode, type World } from "../support/factories.ts";
import { ManualClock } from "../support/manual-clock.ts";

let world: World;
let nodeId: string;
let saver: OutcomeSaver;
let clock: ManualClock;
let lane: EndpointLane;
let judge: OutcomeJudge;
/** What `random` says next; 0.5 where nothing is left. */
let chances: number[];

beforeAll(async () => {
  world = await openWorld();
});

afterAll(() => world.close());

beforeEach(async () => {
  await world.rows("truncate node, webhook_lease, webhook_endpoint cascade");
  nodeId = await seedNode(world, 60);
  await world.rows("update node set sends_webhooks = true where id = $1", [nodeId]);
  await world.db.transaction((tx) => acquireSlots(tx, { nodeId, wanted: webhookSlots }));
  const id = uuidv7();
  const accountId = world.account().id;
  await world.rows(
    "insert into webhook_endpoint (id, account_id, name, url, events, secret) values ($1, $2, 'shop', 'https://shop.example', '{*}', 'whsec_')",
    [id, accountId],
  );
  const [start] = await beginProgress(world.db, [{ endpointId: id, epoch: 0 }]);
  if (start === undefined) throw new Error("the endpoint has no place");
  const keys = { id, accountId, name: "shop", url: "", mask: 1, batchSize: 1, epoch: 0 };
  lane = new EndpointLane({ ...keys, secret: "", oldSecret: null, oldSecretUntil: null }, start);
  saver = new OutcomeSaver(world.db);
  clock = new ManualClock();
  chances = [];
  const { db } = world;
  judge = new OutcomeJudge({
    ...{
      db,
      saver,
      clock,
      telemetry: new Telemetry(),
      random: () => chances.shift() ?? 0.5,
      accountName: () => "demo",
    },
    onMore: () => undefined,
    onDisabled: () => undefined,
  });
});

const end: Position = { ...logBeginning, transaction: 2n ** 60n };

function requestOfLog(): LaneRequest {
  const id = uuidv7();
  const timestamp = new Date(clock.now()).toISOString();
  const event = {
    id,
    position: end,
    accountId: world.account().id,
    type: "credit.low",
    timestamp,
    data: "{}",
  } as const;
  return { ...{ id, requestId: id, body: Buffer.from("{}"), events: [event] }, from: "log", tries: 0, end };
}

const save = () => saver.save(nodeId, { progress: [], replays: [] }, new Date(clock.now()));
const dueTimes = async (): Promise<readonly number[]> =>
  (await world.rows<{ dueAt: Date }>(`select due_at as "dueAt" from webhook_retry`)).map(({ dueAt }) =>
    dueAt.getTime(),
  );
const answered = () => ({ startedAt: new Date(clock.now()), durationMs: 1 });

/** A request of the log that an endpoint answers with 500. */
function fail(): void {
  judge.end(lane, judge.begin(lane, requestOfLog()), { ...answered(), failure: "status", httpStatus: 500 });
}

describe("a request that fails", () => {
  it("settles its place when it is stored, and not before", async () => {
    const { settled } = lane.untried.places;
    fail();
    expect(lane.untried.places.settled).toEqual(settled);
    await save();
    expect(lane.untried.places.settled).toEqual(end);
    expect(await dueTimes()).toEqual([clock.now() + 5000]);
  });
});

describe("requests that a defect of the gateway leaves without an outcome", () => {
  it("come again each at a time of its own, and count no try", async () => {
    chances = [0, 1];
    for (const request of [requestOfLog(), requestOfLog()]) judge.end(lane, judge.begin(lane, request), undefined);
    await save();
    const times = await dueTimes();
    expect(new Set(times)).toEqual(new Set([clock.now() + 30_000, clock.now() + 90_000]));
    expect(await world.rows("select distinct tries from webhook_retry")).toEqual([{ tries: 0 }]);
  });
});

describe("an attempt that fails", () => {
  const nextTimes = async (): Promise<readonly (number | undefined)[]> =>
    (await world.rows<{ next: Date | null }>(`select next_attempt_at as next from webhook_attempt order by next`)).map(
      ({ next }) => next?.getTime(),
    );

  it("names the end of the rest where its events are due before", async () => {
    fail();
    const busy = { failure: "status", httpStatus: 503 } as const;
    judge.end(lane, judge.begin(lane, requestOfLog()), { ...answered(), ...busy, retryAfterMs: 300_000 });
    await save();
    expect(await nextTimes()).toEqual([clock.now() + 5000, clock.now() + 300_000]);
  });
});

describe("the first success after a rest", () => {
  it("makes all that waits due, there and here", async () => {
    fail();
    await save();
    lane.health = { ...lane.health, isProbing: true };
    clock.advance(1000);
    judge.end(lane, judge.begin(lane, requestOfLog()), { ...answered(), httpStatus: 200 });
    await save();
    expect(await dueTimes()).toEqual([clock.now()]);
    expect(lane.retries.nextDueMs).toBe(clock.now());
  });
});

describe("a request that was under way as the URL was changed", () => {
  const moved = () => {
    lane.endpoint = { ...lane.endpoint, url: "https://old.example" };
    const open = judge.begin(lane, requestOfLog());
    lane.endpoint = { ...lane.endpoint, url: "https://new.example" };
    return open;
  };

  it("disables nothing by 410 and rests nothing by Retry-After: its events are tried again", async () => {
    const answers = [
      { httpStatus: 410 },
      { httpStatus: 503, retryAfterMs: 86_400_000 },
      ...Array.from({ length: 12 }, () => ({ httpStatus: 500 })),
    ];
    for (const answer of answers) judge.end(lane, moved(), { ...answered(), failure: "status", ...answer });
    expect([lane.health, lane.isBeingDisabled]).toEqual([healthy, false]);
    await save();
    expect(await dueTimes()).toEqual(answers.map(() => clock.now() + 5000));
    expect(await world.rows("select from webhook_endpoint where enabled")).toHaveLength(1);
  });

  it("ends no rest of the new one by its success", () => {
    lane.health = { ...healthy, isProbing: true, failuresInRow: 10 };
    const { health } = lane;
    judge.end(lane, moved(), { ...answered(), httpStatus: 200 });
    expect(lane.health).toBe(health);
    expect(lane.untried.places.settled).toEqual(end);
  });
});
