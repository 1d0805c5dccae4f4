import { describe, expect, it } from "vitest";
import { logBeginning } from "../../src/store/event-log.ts";
import { EndpointLane } from "../../src/webhooks/endpoint-lane.ts";
import { mostRetries } from "../../src/webhooks/waiting-retries.ts";

const endpoint = {
  ...{ id: "shop", accountId: 1, name: "shop", url: "", mask: 1, batchSize: 1, epoch: 0 },
  ...{ secret: "", oldSecret: null, oldSecretUntil: null },
};
const nowMs = 1_000_000;

function laneWith(retries: number): EndpointLane {
  const nextRetryAt = new Date(nowMs + 60_000);
  return new EndpointLane(endpoint, {
    ...{ endpointId: "shop", epoch: 0, position: logBeginning, health: null },
    ...{ retries, nextRetryAt },
  });
}

describe("what is done next for an endpoint", () => {
  it("is to read what is new, unless as many requests wait as may", () => {
    expect(laneWith(mostRetries - 1).nextPreparation(nowMs)).toBe("readLog");
    const full = laneWith(mostRetries);
    expect(full.nextPreparation(nowMs)).toBeUndefined();
    expect(full.wakeAtMs(nowMs)).toBe(nowMs + 60_000);
    expect(full.nextPreparation(nowMs + 60_000)).toBe("readRetries");
  });
});
