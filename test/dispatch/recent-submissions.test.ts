import { describe, expect, it } from "vitest";
import { RecentSubmissions } from "../../src/dispatch/recent-submissions.ts";
import type { PartTaken } from "../../src/store/progress.ts";

const part = (connectorId: number, smscMessageId: string, messageId = "m", number = 1): PartTaken => ({
  accountId: 1,
  messageId,
  part: number,
  connectorId,
  recipient: "989121230000",
  messageKey: smscMessageId,
  smscMessageId,
});

describe("RecentSubmissions", () => {
  it("finds a part by connector and id, the latest where an id was given twice", () => {
    const recent = new RecentSubmissions();
    for (const taken of [part(1, "7", "a"), part(2, "7", "b"), part(1, "7", "c")]) recent.remember(taken);
    expect([recent.find(1, "7"), recent.find(2, "7")]).toEqual([[part(1, "7", "c")], [part(2, "7", "b")]]);
    expect(recent.find(3, "7")).toEqual([]);
    expect(recent.find(1, "07")).toEqual([]);
  });

  it("finds all parts of a message that were given one id, each once", () => {
    const recent = new RecentSubmissions();
    for (const number of [1, 2, 1]) recent.remember(part(1, "7", "a", number));
    expect(recent.find(1, "7")).toEqual([part(1, "7", "a", 2), part(1, "7", "a", 1)]);
    recent.remember(part(1, "7", "b", 2));
    expect(recent.find(1, "7")).toEqual([part(1, "7", "b", 2)]);
  });

  it("forgets what had its last word, and never knew what had no id", () => {
    const recent = new RecentSubmissions();
    recent.remember(part(1, "7"));
    recent.remember(part(1, ""));
    recent.forget(1, "7");
    recent.forget(1, "8");
    expect([recent.find(1, "7"), recent.find(1, "")]).toEqual([[], []]);
  });

  it("keeps the latest fifty thousand at least, and never more than a hundred thousand", () => {
    const recent = new RecentSubmissions();
    for (let id = 1; id <= 260_000; id += 1) recent.remember(part(1, String(id)));
    const known = Array.from({ length: 260_000 }, (_, index) => recent.find(1, String(index + 1)).length > 0);
    expect(known.filter(Boolean).length).toBeLessThanOrEqual(100_000);
    expect(known.slice(-50_000).every(Boolean)).toBe(true);
    recent.forget(1, "209000");
    expect(recent.find(1, "209000")).toEqual([]);
  });
});
