import { describe, expect, it } from "vitest";
import type { ToldEvent } from "../../src/events/tell-events.ts";
import { eventIdOf } from "../../src/sms/event-types.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { composeRequests, divideEvents } from "../../src/webhooks/endpoint-requests.ts";
import { batchRequestId } from "../../src/webhooks/request-id.ts";

const now = new Date("2026-11-21T08:30:00.323Z");

function told(data = "{}"): ToldEvent {
  const id = eventIdOf("message.sent", uuidv7());
  const position = { transaction: 1n, eventId: id };
  return { id, position, accountId: 1, type: "message.sent", timestamp: "2026-11-21T08:30:00.123Z", data };
}

const sent = ({ id, position, timestamp }: ToldEvent) => ({ id, position, timestamp });
const octets = (text: string) => Buffer.from(text);

describe("requests", () => {
  it("case 43: of an endpoint that gets single events have the event's id", () => {
    const events = [told(), told('{"a":1}')];
    expect(composeRequests(events, { batchSize: 1, now })).toEqual([
      {
        id: events[0]?.id,
        body: octets('{"type":"message.sent","timestamp":"2026-11-21T08:30:00.123Z","data":{}}'),
        events: events.slice(0, 1).map(sent),
      },
      {
        id: events[1]?.id,
        body: octets('{"type":"message.sent","timestamp":"2026-11-21T08:30:00.123Z","data":{"a":1}}'),
        events: events.slice(1).map(sent),
      },
    ]);
  });

  it("are batches otherwise, also of one event, with an id made of those within", () => {
    const events = [told(), told(), told()];
    const requests = composeRequests(events, { batchSize: 2, now });
    expect(requests.map((request) => request.events.length)).toEqual([2, 1]);
    expect(requests[0]?.id).toBe(batchRequestId(events.slice(0, 2).map(({ id }) => id)));
    expect(JSON.parse(Buffer.from(requests[1]?.body ?? []).toString())).toEqual({
      type: "batch",
      timestamp: "2026-11-21T08:30:00.323Z",
      data: { events: [{ id: events[2]?.id, type: "message.sent", timestamp: "2026-11-21T08:30:00.123Z", data: {} }] },
    });
  });

  it("are at most 256 KiB, counted in octets, and stay whole when they are tried again", () => {
    // 2 octets a letter.
    const events = Array.from({ length: 30 }, () => told(`{"content":"${"ب".repeat(10_000)}"}`));
    const requests = composeRequests(events, { batchSize: 100, now });
    expect(requests.length).toBe(3);
    for (const { body } of requests) expect(body.byteLength).toBeLessThanOrEqual(256 << 10);
    expect(requests.flatMap((request) => request.events)).toEqual(events.map(sent));
    expect(composeRequests(events, { batchSize: 10, now, isWhole: true })).toHaveLength(1);
  });

  it("of nothing are none", () => {
    expect(composeRequests([], { batchSize: 1, now })).toEqual([]);
    expect(composeRequests([], { batchSize: 5, now })).toEqual([]);
  });
});

describe("a request that is divided", () => {
  it("has all its events in their order, under the ids that they would have had at first", () => {
    const events = Array.from({ length: 5 }, () => told());
    const ids = events.map(({ id }) => id);
    for (const batchSize of [1, 2, 5]) {
      const divided = divideEvents(ids, batchSize);
      expect(divided).toEqual(
        composeRequests(events, { batchSize, now }).map((request) => ({
          requestId: request.id,
          eventIds: request.events.map(({ id }) => id),
        })),
      );
    }
  });
});
