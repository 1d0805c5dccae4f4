// Subjects that do what fuzzing is there to find, each when its input has an "x" among other
// letters.
import { processorMs, withoutHolding } from "../../fuzz/event-loop.ts";
import { defineTarget, demand, type Target } from "../../fuzz/target.ts";
import { writeExpression } from "../../fuzz/value.ts";

const kept: number[][] = [];

function compute(ms: number): void {
  for (const endsAt = processorMs() + ms; processorMs() < endsAt;);
}

function faulty(name: string, check: (text: string) => void | Promise<void>, budgetMs = 20_000): Target {
  return defineTarget<string>({
    from: import.meta.url,
    name,
    title: name,
    budgetMs,
    growthMegabytes: 8,
    generate: (random) => random.list(1, 12, () => random.pick(["a", "b", "c", "x"])).join(""),
    open: async () => ({ check, close: async () => undefined }),
    write: writeExpression,
  });
}

export const targets: readonly Target[] = [
  faulty("sound", () => undefined),
  faulty("refusing", (text) => demand(!text.includes("x"), "an x was let through")),
  faulty(
    "hanging",
    (text) => {
      while (text.includes("x"));
    },
    1500,
  ),
  faulty("dying", (text) => {
    const all: number[][] = [];
    while (text.includes("x")) all.push(new Array<number>(1_000_000).fill(all.length));
  }),
  faulty("holding", (text) => withoutHolding(async () => compute(text.includes("x") ? 80 : 0))),
  faulty("growing", () => {
    kept.push(new Array<number>(4_000).fill(1));
  }),
];
