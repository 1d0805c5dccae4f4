import fc from "fast-check";
import { expect, it } from "vitest";
import { LargestFirst, type Sized } from "../../../src/http/limits/largest-first.ts";

it("has the largest at hand after any additions, removals and changes", () => {
  const step = fc.record({
    item: fc.nat(9),
    action: fc.constantFrom("add" as const, "remove" as const, "grow" as const),
    size: fc.nat(50),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const heap = new LargestFirst<Sized>();
      const items = Array.from({ length: 10 }, (): Sized => ({ size: 0, place: -1 }));
      const inside = new Set<Sized>();
      for (const { item: index, action, size } of steps) {
        const item = items[index];
        if (item === undefined) continue;
        if (action === "add" && !inside.has(item)) {
          item.size = size;
          heap.add(item);
          inside.add(item);
        } else if (action === "remove" && inside.delete(item)) heap.remove(item);
        else if (inside.has(item)) {
          item.size = size;
          heap.moved(item);
        }
        const sizes = [...inside].map((one) => one.size);
        expect(heap.largest?.size).toBe(sizes.length === 0 ? undefined : Math.max(...sizes));
      }
    }),
    { numRuns: 150 },
  );
});
