import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MessageStatus } from "../../src/sms/message-status.ts";
import { foldParts } from "./fold-parts.ts";

describe("foldParts", () => {
  it.each<[string, Parameters<typeof foldParts>[0], MessageStatus]>([
    ["nothing happened", { parts: 3, taken: 0, delivered: 0, undelivered: 0 }, 0],
    ["some parts are taken", { parts: 3, taken: 0b101, delivered: 0, undelivered: 0 }, 0],
    ["all parts are taken", { parts: 3, taken: 0b111, delivered: 0, undelivered: 0 }, 1],
    ["case 34: only the last part is reported", { parts: 3, taken: 0b111, delivered: 0b100, undelivered: 0 }, 1],
    ["all parts are delivered", { parts: 3, taken: 0b111, delivered: 0b111, undelivered: 0 }, 2],
    ["one part is undelivered", { parts: 3, taken: 0b111, delivered: 0, undelivered: 0b010 }, 3],
    [
      "case 35: the others are delivered afterwards",
      { parts: 3, taken: 0b111, delivered: 0b101, undelivered: 0b010 },
      3,
    ],
    ["a part is undelivered before all are taken", { parts: 3, taken: 0b001, delivered: 0, undelivered: 0b001 }, 0],
    ["case 30: receipts overtake the answers", { parts: 2, taken: 0, delivered: 0b11, undelivered: 0 }, 2],
    [
      "case 25: one part is taken, the next refused",
      { parts: 2, taken: 0b01, delivered: 0, undelivered: 0, failed: 0b10 },
      4,
    ],
    [
      "refused though the first part arrived",
      { parts: 2, taken: 0b01, delivered: 0b01, undelivered: 0, failed: 0b10 },
      4,
    ],
    [
      "a receipt proves that a part given up was taken",
      { parts: 1, taken: 0, delivered: 1, undelivered: 0, failed: 1 },
      2,
    ],
    ["31 parts", { parts: 31, taken: 2 ** 31 - 1, delivered: 2 ** 31 - 1, undelivered: 0 }, 2],
  ])("when %s", (_, masks, status) => {
    expect(foldParts(masks)).toBe(status);
  });

  it("does not depend on the order in which parts were settled, and never moves backwards as more is known", () => {
    const rank: Record<MessageStatus, number> = { 0: 0, 1: 1, 2: 2, 3: 2, 4: 2 };
    const part = fc.record({ order: fc.nat(), fate: fc.constantFrom("taken", "delivered", "undelivered") });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 10 }), (parts) => {
        const masks = { parts: parts.length, taken: 0, delivered: 0, undelivered: 0 };
        const ordered = parts.map((one, index) => ({ ...one, bit: 1 << index })).sort((x, y) => x.order - y.order);
        let previous: MessageStatus = 0;
        for (const { fate, bit } of ordered) {
          masks[fate] |= bit;
          const status = foldParts(masks);
          expect(rank[status]).toBeGreaterThanOrEqual(rank[previous]);
          previous = status;
        }
        const fates = parts.map(({ fate }) => fate);
        const expected = fates.includes("undelivered") ? 3 : fates.includes("taken") ? 1 : 2;
        expect(previous).toBe(expected);
      }),
    );
  });
});
