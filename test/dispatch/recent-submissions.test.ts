import { describe, expect, it } from "vitest";
import { RecentSubmissions } from "../../src/dispatch/outcome-recorder.ts";
import type { PartTaken } from "../../src/store/progress.ts";

const part = (connectorId: number, smscMessageId: string, messageId = "m", number = 1): PartTaken => ({
  accountId: 1,
  messageId,
  part: number,
  connectorId,
  recipient: "989121230000",
  smscIdKey: smscMessageId,
  smscMessageId,
});

describe("RecentSubmissions", () => {
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
