import { expect, it } from "vitest";
import { ReadTurns } from "../../../src/http/limits/read-turns.ts";

function turnsOf(readers: number) {
  const seen = { resumed: [] as number[], nowMs: 0 };
  const next: (() => void)[] = [];
  const turns = new ReadTurns<number>({
    resume: (reader) => seen.resumed.push(reader),
    now: () => seen.nowMs,
    inNextTurn: (turn) => next.push(turn),
  });
  for (let reader = 1; reader <= readers; reader += 1) turns.wait(reader);
  /** Answers who is resumed in it. */
  const turn = (tookMs: number): number[] => {
    seen.nowMs += tookMs;
    seen.resumed = [];
    for (const each of next.splice(0)) each();
    return seen.resumed;
  };
  return { turns, turn, next };
}

it("resumes readers in their order, more of them while the turns of the event loop are short", () => {
  const { turn, turns, next } = turnsOf(12);
  expect([turn(1), turn(1), turn(1)]).toEqual([
    [1, 2, 3],
    [4, 5, 6, 7],
    [8, 9, 10, 11, 12],
  ]);
  expect([turns.isWaiting(12), next.length]).toEqual([false, 0]);
});

it("resumes two while the turns are long", () => {
  const { turn } = turnsOf(100);
  for (let index = 0; index < 6; index += 1) turn(1);
  expect([turn(50).length, turn(50).length, turn(50).length]).toEqual([4, 2, 2]);
});

it("resumes 32 at the most", () => {
  const { turn } = turnsOf(5000);
  for (let index = 0; index < 60; index += 1) turn(1);
  expect(turn(1)).toHaveLength(32);
});

it("passes over a reader that is gone, and takes whoever comes back last", () => {
  const { turns, turn } = turnsOf(4);
  turns.leave(2);
  expect(turn(50)).toEqual([1, 3]);
  turns.wait(1);
  expect(turn(50)).toEqual([4, 1]);
});
