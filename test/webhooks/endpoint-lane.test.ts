import { describe, expect, it } from "vitest";
import { logBeginning, type LogRow } from "../../src/store/event-log.ts";
import { afterSuccess } from "../../src/webhooks/endpoint-health.ts";
import { batchFillMs, EndpointLane } from "../../src/webhooks/endpoint-lane.ts";
import { mostRetries } from "../../src/webhooks/waiting-retries.ts";
import { heapKept } from "../support/heap.ts";

const endpoint = {
  ...{ id: "shop", accountId: 1, name: "shop", url: "", mask: 1, batchSize: 1, epoch: 0 },
  ...{ secret: "", oldSecret: null, oldSecretUntil: null },
};
const nowMs = 1_000_000;
const body = new Uint8Array(0);

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

describe("events that make no full batch", () => {
  const row: LogRow = {
    ...{ id: "", position: logBeginning, accountId: 1, type: "message.sent", subjectId: "", at: new Date() },
    ...{ reason: null, detail: null },
  };
  const start = { endpointId: "shop", epoch: 0, position: logBeginning, health: null, retries: 0, nextRetryAt: null };

  function laneOfBatches(): EndpointLane {
    const lane = new EndpointLane({ ...endpoint, batchSize: 10 }, start);
    lane.untried.join(logBeginning);
    lane.untried.add({ rows: [row], position: logBeginning }, nowMs);
    return lane;
  }

  it("wait a moment for more", () => {
    const lane = laneOfBatches();
    expect(lane.nextPreparation(nowMs)).toBeUndefined();
    expect(lane.wakeAtMs(nowMs)).toBe(nowMs + batchFillMs);
    expect(lane.nextPreparation(nowMs + batchFillMs)).toBe("tellLog");
  });

  it("do not wait for a clock that was set back until it is where it was", () => {
    const lane = laneOfBatches();
    const minutesBefore = nowMs - 600_000;
    expect(lane.nextPreparation(minutesBefore)).toBe("tellLog");
  });
});

describe("requests that are prepared at a time", () => {
  it("are what may begin until an endpoint has answered soon, then many, and fewer while others wait", () => {
    const lane = laneWith(0);
    expect([lane.ahead(nowMs), lane.ahead(nowMs, true)]).toEqual([8, 8]);
    lane.end(lane.begin(nowMs, false), nowMs + 5);
    expect([lane.ahead(nowMs), lane.ahead(nowMs, true)]).toEqual([128, 32]);
    lane.begin(nowMs, true);
    const hanging = nowMs + 60_000;
    expect([lane.ahead(hanging), lane.ahead(hanging, true)]).toEqual([7, 7]);
  });
});

describe("an endpoint that is well", () => {
  it("takes little memory once its events are delivered, for a node may have thousands", () => {
    const start = { endpointId: "shop", epoch: 0, position: logBeginning, health: null, retries: 0, nextRetryAt: null };
    const row: LogRow = {
      ...{ id: "", position: logBeginning, accountId: 1, type: "message.sent", subjectId: "", at: new Date() },
      ...{ reason: null, detail: null },
    };
    const number = 5000;
    const lanes: EndpointLane[] = [];
    const before = heapKept();
    for (let count = 0; count < number; count += 1) {
      const lane = new EndpointLane(endpoint, start);
      lane.untried.add({ rows: [row], position: logBeginning }, nowMs);
      lane.untried.take(1);
      lane.addReady([{ id: "", body, events: [], requestId: "", from: "log", tries: 0, end: logBeginning }]);
      lane.takeReady();
      const [place, begun] = [lane.untried.places.begin(logBeginning), lane.begin(nowMs, true)];
      lane.end(begun, nowMs);
      lane.untried.places.settle(place);
      lane.health = afterSuccess(lane.health, nowMs).health;
      lanes.push(lane);
    }
    // Two sets for each took it to 988 octets.
    expect((heapKept() - before) / lanes.length).toBeLessThan(750);
  });
});
