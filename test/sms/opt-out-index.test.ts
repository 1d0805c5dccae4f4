// The opted-out numbers in memory, against a plain set.
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Msisdn } from "../../src/sms/msisdn.ts";
import { msisdnAt } from "../../src/sms/number-blocks.ts";
import { allAccounts, OptOutIndex } from "../../src/sms/opt-out-index.ts";

const line = fc.constantFrom("1000", "2000");
const place = fc.oneof(fc.nat(200), fc.constantFrom(0, 999_999_999, 121_234_567));
const accounts = fc.uniqueArray(fc.constantFrom(allAccounts, 1, 2), { maxLength: 3 });

it("holds what was set last, in any order", () => {
  const change = fc.record({ line, place, accounts });
  const check = fc.property(fc.array(change, { maxLength: 400, size: "max" }), (changes) => {
    const index = new OptOutIndex();
    const plain = new Map<string, readonly number[]>();
    for (const { line, place, accounts } of changes) {
      index.set(line, place, accounts);
      plain.set(`${line} ${place}`, accounts);
    }
    const wrong = changes.filter(({ line, place }) => {
      const listed = plain.get(`${line} ${place}`) ?? [];
      return [1, 2, 3].some((account) => {
        const expected = listed.includes(account) || listed.includes(allAccounts);
        return index.has(line, account, msisdnAt(place)) !== expected;
      });
    });
    expect(wrong).toEqual([]);
  });
  fc.assert(check, { numRuns: 100 });
});

it("knows nothing of other lines and numbers", () => {
  const index = new OptOutIndex();
  const list = { line: "1000", accountId: allAccounts };
  index.add(list, 121_234_567);
  expect(index.has("1000", 5, "989121234567" as Msisdn)).toBe(true);
  expect(index.has("1000", 5, "989121234568" as Msisdn)).toBe(false);
  expect(index.has("2000", 5, "989121234567" as Msisdn)).toBe(false);
});

it("takes no more memory where many accounts have a few numbers each", () => {
  const before = process.memoryUsage();
  const index = new OptOutIndex();
  for (let accountId = 1; accountId <= 1_000; accountId += 1)
    for (let n = 0; n < 200; n += 1) index.add({ line: "1000", accountId }, n * 4_999_999 + accountId);
  const after = process.memoryUsage();
  const octets = after.heapUsed + after.external - before.heapUsed - before.external;
  expect(octets / 200_000).toBeLessThan(150);
  expect(index.has("1000", 1_000, msisdnAt(199 * 4_999_999 + 1_000))).toBe(true);
});
