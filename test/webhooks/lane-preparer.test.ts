// What is read for an endpoint, from a real log.
import { afterEach, beforeEach, expect, it } from "vitest";
import { everyEvent } from "../../src/sms/event-types.ts";
import { logBeginning } from "../../src/store/event-log.ts";
import { systemClock } from "../../src/webhooks/clock.ts";
import { EndpointLane } from "../../src/webhooks/endpoint-lane.ts";
import { LanePreparer } from "../../src/webhooks/lane-preparer.ts";
import { eventually } from "../support/factories.ts";
import { SendingWorld } from "../support/sending-node.ts";

let sending: SendingWorld;
beforeEach(async () => {
  sending = await SendingWorld.open();
});
afterEach(() => sending.close());

it("what was dropped while it was read is void, and is read again", async () => {
  const { accountId, world } = sending;
  const endpoint = {
    ...{ id: "shop", accountId, name: "shop", url: "", mask: everyEvent, batchSize: 1, epoch: 0 },
    ...{ secret: "", oldSecret: null, oldSecretUntil: null },
  };
  const start = { endpointId: "shop", epoch: 0, position: logBeginning, health: null, retries: 0, nextRetryAt: null };
  const lane = new EndpointLane(endpoint, start);
  const preparer = new LanePreparer({
    db: world.db,
    clock: systemClock,
    head: () => undefined,
    isWaitedFor: () => false,
    deleteRetry: () => undefined,
  });
  await sending.happen(3);
  const reading = preparer.prepare(lane, "readLog");
  lane.drop(systemClock.now());
  await reading;
  expect([lane.untried.length, lane.untried.readTo]).toEqual([0, logBeginning]);
  // A page ends before the oldest transaction of the cluster, which is another test's perhaps.
  await eventually(async () => {
    await preparer.prepare(lane, "readLog");
    return lane.untried.length === 3;
  });
});
