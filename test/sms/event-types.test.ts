import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  eventIdOf,
  eventTypeNumber,
  eventTypeOf,
  eventTypes,
  everyEvent,
  isEventPattern,
  maskOf,
  maskOfType,
  matchesType,
  readEventId,
  wants,
} from "../../src/sms/event-types.ts";
import { isUuid, uuidv7 } from "../../src/platform/uuid.ts";

describe("event types", () => {
  it("has a number of one hexadecimal digit for each type, and no number twice", () => {
    const numbers = eventTypes.map(eventTypeNumber);
    expect(new Set(numbers).size).toBe(eventTypes.length);
    for (const number of numbers) expect(number).toBeGreaterThan(0);
    for (const number of numbers) expect(number).toBeLessThan(16);
    expect(numbers.map(eventTypeOf)).toEqual(eventTypes);
    expect(eventTypeOf(15)).toBeUndefined();
  });

  it.each([
    ["*", eventTypes],
    [
      "message.*",
      [
        "message.sent",
        "message.delivered",
        "message.undelivered",
        "message.failed",
        "message.unreported",
        "message.received",
      ],
    ],
    ["recipient.*", ["recipient.optedOut", "recipient.optedIn"]],
    ["message.sent", ["message.sent"]],
    ["message", []],
    ["mess.*", []],
    ["message.s*", []],
    [".*", []],
    ["**", []],
    ["webhook.test", []],
    ["", []],
  ])("chooses by %j", (pattern, chosen) => {
    expect(eventTypes.filter((type) => matchesType(pattern, type))).toEqual(chosen);
    expect(isEventPattern(pattern)).toBe(chosen.length > 0 || pattern === "webhook.test");
    expect(eventTypes.filter((type) => wants(maskOf([pattern]), type))).toEqual(chosen);
  });

  it("makes a mask of several patterns", () => {
    expect(maskOf([])).toBe(0);
    expect(maskOf(["*", "message.sent"])).toBe(everyEvent);
    expect(maskOf(["credit.low", "template.*"])).toBe(maskOfType("credit.low") | maskOfType("template.decided"));
  });
});

describe("an event's id", () => {
  it("is a lower-case UUID of version 8, and says which type of which subject it is", () => {
    const instant = fc.integer({ min: 0, max: Date.UTC(2500, 0) });
    fc.assert(
      fc.property(instant, fc.constantFrom(...eventTypes), (ms, type) => {
        const subjectId = uuidv7(ms);
        const id = eventIdOf(type, subjectId);
        expect(isUuid(id)).toBe(true);
        expect(id).toBe(id.toLowerCase());
        expect(id[14]).toBe("8");
        expect(readEventId(id)).toEqual({ type, subjectId });
      }),
    );
  });

  it("is not read from other UUIDs", () => {
    expect(readEventId(uuidv7())).toBeUndefined();
    expect(readEventId("f1a1fa75-6310-8000-bbee-9570117c4f6c")).toBeUndefined();
    expect(readEventId("11a1fa75-6310-4000-bbee-9570117c4f6c")).toBeUndefined();
  });
});
