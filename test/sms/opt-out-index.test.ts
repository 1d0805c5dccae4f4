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
  index.append(list, [121_234_565, 121_234_566]);
  index.append(list, [121_234_567, 121_334_567]);
  for (const number of ["989121234565", "989121234566", "989121334567"] as Msisdn[])
    expect(index.has("1000", 5, number)).toBe(true);
  expect(index.has("1000", 5, "989121234567" as Msisdn)).toBe(true);
  expect(index.has("1000", 5, "989121234568" as Msisdn)).toBe(false);
  expect(index.has("2000", 5, "989121234567" as Msisdn)).toBe(false);
});

it("takes a million numbers of a line, in order and out of order", () => {
  const index = new OptOutIndex();
  const list = { line: "1000", accountId: allAccounts };
  index.append(
    list,
    Array.from({ length: 500_000 }, (_, n) => n * 2000),
  );
  for (let n = 499_999; n >= 0; n -= 1) index.set("1000", n * 2000 + 1, [allAccounts]);
  expect(index.has("1000", 1, msisdnAt(999_000_001))).toBe(true);
  expect(index.has("1000", 1, msisdnAt(999_000_003))).toBe(false);
});
