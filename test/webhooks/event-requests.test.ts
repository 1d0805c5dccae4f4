import { describe, expect, it } from "vitest";
import type { CustomerEvent } from "../../src/events/event-json.ts";
import { eventIdOf } from "../../src/sms/event-types.ts";
import { isUuid, uuidv7 } from "../../src/platform/uuid.ts";
import { batchId, composeBatch, composeRequests } from "../../src/webhooks/event-requests.ts";

const now = new Date("2026-11-21T08:30:00.323Z");

function event(data = "{}"): CustomerEvent {
  const id = eventIdOf("message.sent", uuidv7());
  const position = { transaction: 1n, eventId: id };
  return { id, position, type: "message.sent", timestamp: "2026-11-21T08:30:00.123Z", data };
}

describe("requests", () => {
  it("case 43: of an endpoint that gets single events have the event's id", () => {
    const events = [event(), event('{"a":1}')];
    expect(composeRequests(events, { batchSize: 1, now })).toEqual([
      {
        id: events[0]?.id,
        body: '{"type":"message.sent","timestamp":"2026-11-21T08:30:00.123Z","data":{}}',
        events: events.slice(0, 1),
      },
      {
        id: events[1]?.id,
        body: '{"type":"message.sent","timestamp":"2026-11-21T08:30:00.123Z","data":{"a":1}}',
        events: events.slice(1),
      },
    ]);
  });

  it("are batches otherwise, also of one event, with an id made of those within", () => {
    const events = [event(), event(), event()];
    const requests = composeRequests(events, { batchSize: 2, now });
    expect(requests.map((request) => request.events.length)).toEqual([2, 1]);
    expect(requests[0]?.id).toBe(batchId(events.slice(0, 2).map(({ id }) => id)));
    expect(JSON.parse(requests[1]?.body ?? "")).toEqual({
      type: "batch",
      timestamp: "2026-11-21T08:30:00.323Z",
      data: { events: [{ id: events[2]?.id, type: "message.sent", timestamp: "2026-11-21T08:30:00.123Z", data: {} }] },
    });
  });

  it("are at most 256 KiB, counted in octets, and stay whole when they are tried again", () => {
    // 2 octets a letter.
    const events = Array.from({ length: 30 }, () => event(`{"content":"${"ب".repeat(10_000)}"}`));
    const requests = composeRequests(events, { batchSize: 100, now });
    expect(requests.length).toBe(3);
    for (const { body } of requests) expect(Buffer.byteLength(body)).toBeLessThanOrEqual(256 << 10);
    expect(requests.flatMap((request) => request.events)).toEqual(events);
    expect(composeBatch(events, now).events).toEqual(events);
  });
});

describe("webhook-id of a batch", () => {
  it("follows from the ids and their order alone", () => {
    const ids = Array.from({ length: 100 }, () => uuidv7());
    const made = batchId(ids);
    expect(isUuid(made)).toBe(true);
    expect(made).toMatch(/^.{14}8.{4}[89ab]/);
    expect(batchId([...ids])).toBe(made);
    expect(batchId([...ids].reverse())).not.toBe(made);
    expect(batchId(ids.slice(1))).not.toBe(made);
    expect(batchId(ids.slice(0, 1))).not.toBe(ids[0]);
  });
});
