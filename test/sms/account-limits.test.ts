import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AccountLimits,
  hasCeiling,
  hasLimits,
  isGuarded,
  checkLimits,
  nothingUsed,
  rejectFaulty,
  type Used,
} from "../../src/sms/account-limits.ts";
import { fault } from "../../src/sms/fault.ts";
import type { PreparedMessage, RejectedMessage } from "../../src/sms/prepare-message.ts";

const none: AccountLimits = { duplicateSeconds: 0, dailyMessages: 0, monthlyCost: 0n, lowCredit: 0n };
const message = (cost: bigint, textKey?: string) => ({ cost, textKey });
const codes = (messages: Parameters<typeof checkLimits>[0], limits: Partial<AccountLimits>, used: Partial<Used> = {}) =>
  checkLimits(messages, { ...none, ...limits }, { ...nothingUsed, ...used }).map((found) => found?.code ?? 200);

describe("checkLimits", () => {
  it.each<[string, Partial<AccountLimits>, Partial<Used>, number[]]>([
    ["without limits", {}, {}, [200, 200, 200, 200]],
    ["by credit, where a later and cheaper one fits", {}, { credit: 100n }, [200, 1201, 200, 1201]],
    ["by the day", { dailyMessages: 5 }, { messages: 2n }, [200, 200, 200, 1208]],
    ["by a day that is over", { dailyMessages: 5 }, { messages: 7n }, [1208, 1208, 1208, 1208]],
    ["by the month", { monthlyCost: 110n }, { cost: 10n }, [200, 1208, 200, 1208]],
    ["by texts", { duplicateSeconds: 9 }, { recentTexts: new Set(["b"]) }, [200, 1207, 200, 1207]],
    [
      "by texts first, then ceilings, then credit",
      { duplicateSeconds: 9, dailyMessages: 1 },
      { recentTexts: new Set(["a"]), credit: 40n },
      [1207, 1201, 200, 1207],
    ],
  ])("judges %s", (_title, limits, used, judged) => {
    const key = (text: string) => (limits.duplicateSeconds === undefined ? undefined : text);
    const messages = [message(60n, key("a")), message(50n, key("b")), message(40n, key("c")), message(1n, key("a"))];
    expect(codes(messages, limits, used)).toEqual(judged);
  });

  it("takes a text for a repetition only of one that is accepted, and never one without a key", () => {
    expect(codes([message(9n, "a"), message(9n, "a")], {}, { credit: 5n })).toEqual([1201, 1201]);
    expect(codes([message(9n), message(9n)], { duplicateSeconds: 5 })).toEqual([200, 200]);
  });

  it("names what the limit is", () => {
    const [found] = checkLimits(
      [message(1n)],
      { ...none, dailyMessages: 12_000 },
      { ...nothingUsed, messages: 12_000n },
    );
    expect(found).toEqual(fault("account.dailyMessages", undefined, { maximum: "12,000" }));
    const [other] = checkLimits([message(1n)], { ...none, monthlyCost: 5000n }, { ...nothingUsed, cost: 5000n });
    expect(other).toEqual(fault("account.monthlyCost", undefined, { maximum: "5,000" }));
  });

  it("case 53: never goes over anything, and leaves out nothing that would have fitted in its turn", () => {
    const costs = fc.array(fc.tuple(fc.bigInt({ min: 0n, max: 100n }), fc.constantFrom("a", "b", "c", undefined)), {
      maxLength: 30,
    });
    const amount = fc.bigInt({ min: 0n, max: 1000n });
    fc.assert(
      fc.property(costs, amount, amount, fc.integer({ min: 1, max: 20 }), (list, credit, month, daily) => {
        const judged = codes(
          list.map(([cost, key]) => message(cost, key)),
          { dailyMessages: daily, monthlyCost: month + 1n, duplicateSeconds: 1 },
          { credit },
        );
        const texts = new Set<string>();
        let [count, cost] = [0, 0n];
        list.forEach(([price, key], index) => {
          const isRepeated = key !== undefined && texts.has(key);
          const isOver = count >= daily || cost + price > month + 1n;
          expect(judged[index]).toBe(isRepeated ? 1207 : isOver ? 1208 : cost + price > credit ? 1201 : 200);
          if (judged[index] !== 200) return;
          if (key !== undefined) texts.add(key);
          count += 1;
          cost += price;
        });
      }),
    );
  });
});

it("tells which accounts have anything to count", () => {
  expect(hasLimits(none)).toBe(false);
  for (const one of [{ duplicateSeconds: 1 }, { dailyMessages: 1 }, { monthlyCost: 1n }, { lowCredit: 1n }])
    expect(hasLimits({ ...none, ...one })).toBe(true);
  expect([{ duplicateSeconds: 1 }, { lowCredit: 1n }].some((one) => hasCeiling({ ...none, ...one }))).toBe(false);
  expect([{ dailyMessages: 1 }, { monthlyCost: 1n }].every((one) => hasCeiling({ ...none, ...one }))).toBe(true);
});

it("guards all but codes and replies", () => {
  const judged = (more: Partial<PreparedMessage>) => isGuarded(more as PreparedMessage);
  expect([judged({}), judged({ purpose: "information", storedPurpose: 1 })]).toEqual([true, true]);
  expect([judged({ purpose: "code" }), judged({ storedPurpose: 2 })]).toEqual([false, false]);
});

it("rejects the prepared messages that have a fault, and keeps the others", () => {
  const [good, bad] = ["a", "b"].map(
    (content) => ({ kind: "prepared", senderNumber: "1", recipientNumber: "2", content, cost: 1n }) as PreparedMessage,
  ) as [PreparedMessage, PreparedMessage];
  const before = { kind: "rejected", content: "c" } as RejectedMessage;
  const found = fault("credit.insufficient");
  expect(rejectFaulty([before, good, bad], [undefined, found])).toEqual([
    before,
    good,
    { kind: "rejected", senderNumber: "1", recipientNumber: "2", content: "b", faults: [found] },
  ]);
});
