import fc from "fast-check";
import { expect, it } from "vitest";
import { chooseAffordable } from "../../src/intake/affordable.ts";

const costs = fc.array(fc.bigInt({ min: 0n, max: 1000n }), { maxLength: 30 });
const credit = fc.bigInt({ min: 0n, max: 5000n });

it("covers a later, cheaper message when a dearer one before it does not fit", () => {
  expect(chooseAffordable([60n, 50n, 40n], 100n)).toEqual([true, false, true]);
  expect(chooseAffordable([5n], "unlimited")).toEqual([true]);
});

it("case 53: never spends more than there is, and leaves out nothing that would have fitted in its turn", () => {
  fc.assert(
    fc.property(costs, credit, (list, amount) => {
      const covered = chooseAffordable(list, amount);
      let left = amount;
      list.forEach((cost, index) => {
        expect(covered[index]).toBe(cost <= left);
        if (cost <= left) left -= cost;
      });
      expect(left >= 0n).toBe(true);
    }),
  );
});
