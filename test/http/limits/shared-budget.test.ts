import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SharedBudget, type BudgetClaim, type Subject } from "../../../src/http/limits/shared-budget.ts";

const named = (key: string): Subject => ({ key, isBounded: true });
const proxy: Subject = { key: "proxy", isBounded: false };

function budgetOf(total: number) {
  const budget = new SharedBudget(total);
  const lost: string[] = [];
  const claim = (name: string, subject: Subject, amount: number): BudgetClaim => {
    const made = budget.claim(subject, () => lost.push(name));
    made.set(amount);
    return made;
  };
  return { budget, lost, claim };
}

describe("SharedBudget", () => {
  it("lets one holder have half of the total, no less", () => {
    const { budget, lost, claim } = budgetOf(10);
    for (let index = 0; index < 5; index += 1) claim(`a${index}`, named("a"), 1);
    expect([budget.held, lost]).toEqual([5, []]);
  });

  it("and no more: the sixth costs it its own oldest", () => {
    const { budget, lost, claim } = budgetOf(10);
    for (let index = 0; index < 6; index += 1) claim(`a${index}`, named("a"), 1);
    expect([budget.held, lost]).toEqual([5, ["a0"]]);
  });

  it("takes from the holder that has most when the total is full, its oldest first", () => {
    const { budget, lost, claim } = budgetOf(10);
    claim("b0", named("b"), 3);
    claim("a0", named("a"), 2);
    claim("a1", named("a"), 2);
    claim("c0", named("c"), 3);
    claim("d0", named("d"), 1);
    expect(lost).toEqual(["a0"]);
    expect(budget.held).toBe(9);
  });

  it("takes the growing claim itself where its holder has nothing else", () => {
    const { budget, lost, claim } = budgetOf(10);
    const alone = claim("a0", named("a"), 4);
    expect(alone.set(6)).toBe(false);
    expect([budget.held, budget.holders, lost]).toEqual([0, 0, ["a0"]]);
    expect(alone.set(1)).toBe(false);
    expect(budget.held).toBe(0);
  });

  it("lets a trusted proxy have all, and takes from it where it has most", () => {
    const { budget, lost, claim } = budgetOf(10);
    for (let index = 0; index < 10; index += 1) claim(`p${index}`, proxy, 1);
    expect([budget.held, lost]).toEqual([10, []]);
    claim("a0", named("a"), 1);
    expect([budget.held, lost]).toEqual([10, ["p0"]]);
  });

  it("takes nothing that is not to be lost: then what grows must go", () => {
    const { budget, lost, claim } = budgetOf(10);
    claim("a0", named("a"), 5).setLosable(false);
    claim("a1", named("a"), 1);
    expect([budget.held, lost]).toEqual([5, ["a1"]]);
  });

  it("counts a refreshed claim as the newest", () => {
    const { lost, claim } = budgetOf(4);
    const first = claim("a0", named("a"), 1);
    claim("a1", named("a"), 1);
    first.refresh();
    claim("a2", named("a"), 1);
    expect(lost).toEqual(["a1"]);
  });

  it("has room for a holder below its half, if another one has more", () => {
    const { budget, claim } = budgetOf(4);
    const one = claim("a0", named("a"), 2);
    const other = claim("b0", named("b"), 1);
    expect([budget.hasRoom(one), budget.hasRoom(other)]).toEqual([false, true]);
    const third = claim("c0", named("c"), 1);
    expect([budget.hasRoom(third), budget.held]).toEqual([true, 4]);
  });

  it("holds to its bounds, and to nothing when all is given back, whatever happens in which order", () => {
    const step = fc.record({
      subject: fc.constantFrom(named("a"), named("b"), named("c"), named("d"), proxy),
      claim: fc.nat(7),
      action: fc.constantFrom("set" as const, "set" as const, "release" as const, "refresh" as const, "hold" as const),
      amount: fc.nat(12),
    });
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 20 }), fc.array(step, { maxLength: 80 }), (total, steps) => {
        const budget = new SharedBudget(total);
        const open = new Map<string, { claim: BudgetClaim; subject: Subject }>();
        const sum = (key?: string) =>
          [...open.values()].reduce(
            (octets, { claim, subject }) => octets + (key === undefined || subject.key === key ? claim.amount : 0),
            0,
          );
        for (const { subject, claim: number, action, amount } of steps) {
          const name = `${subject.key} ${number}`;
          let known = open.get(name);
          if (known === undefined) {
            known = { subject, claim: budget.claim(subject, () => void open.delete(name)) };
            open.set(name, known);
          }
          if (action === "set") known.claim.set(amount);
          if (action === "refresh") known.claim.refresh();
          if (action === "hold") known.claim.setLosable(amount > 6);
          if (action === "release") {
            known.claim.release();
            open.delete(name);
          }
          expect(budget.held).toBe(sum());
          expect(budget.held).toBeLessThanOrEqual(total);
          for (const key of ["a", "b", "c", "d"]) expect(sum(key)).toBeLessThanOrEqual(Math.floor(total / 2));
        }
        for (const { claim } of [...open.values()]) claim.release();
        expect([budget.held, budget.holders]).toEqual([0, 0]);
      }),
      { numRuns: 150 },
    );
  });
});
