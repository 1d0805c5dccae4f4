import { describe, expect, it } from "vitest";
import type { LanePlace } from "../../src/credentials/fair-lanes.ts";
import { PasswordTurns } from "../../src/workers/password-turns.ts";

const fresh = (address: number): LanePlace => ({ standing: "fresh", lane: `address 10.0.0.${address}` });
const guessing = (address: number): LanePlace => ({ standing: "guessing", lane: `address 10.9.0.${address}` });
/** Lets all that is decided become known. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Notes which turns have come, as "worker/id". */
function turnsOf(workers: number): {
  turns: PasswordTurns;
  granted: string[];
  take: (...of: [number, number, LanePlace]) => void;
} {
  const turns = new PasswordTurns(workers);
  const granted: string[] = [];
  return {
    turns,
    granted,
    take: (worker, id, place) => {
      void turns
        .take(worker, id, place)
        .then((isGranted) => granted.push(`${worker}/${id}${isGranted ? "" : " full"}`));
    },
  };
}

describe("the turns of all workers at password checks", () => {
  it("are two at once for two workers, of which one may guess", async () => {
    const { turns, granted, take } = turnsOf(2);
    take(1, 1, guessing(1));
    take(2, 1, guessing(2));
    take(2, 2, fresh(1));
    take(1, 2, fresh(2));
    await settle();
    expect(granted).toEqual(["1/1", "2/2"]);
    turns.end(2, 2);
    await settle();
    expect(granted).toEqual(["1/1", "2/2", "1/2"]);
    turns.end(1, 1);
    await settle();
    expect(granted).toEqual(["1/1", "2/2", "1/2", "2/1"]);
  });

  it("count the lane of an address once, whichever worker it calls: 100 wait, and the rest is refused", async () => {
    const { granted, take } = turnsOf(2);
    for (let id = 1; id <= 120; id += 1) take(1 + (id % 2), id, fresh(1));
    await settle();
    expect(granted.filter((each) => each.endsWith("full"))).toHaveLength(120 - 100 - 2);
  });

  it("come back from a worker that dies, running and waiting ones", async () => {
    const { turns, granted, take } = turnsOf(2);
    take(1, 1, fresh(1));
    take(1, 2, fresh(2));
    take(1, 3, fresh(3));
    take(2, 1, fresh(4));
    await settle();
    expect(granted).toEqual(["1/1", "1/2"]);
    turns.leave(1);
    await settle();
    expect(granted).toEqual(["1/1", "1/2", "2/1"]);
    // Its successor begins anew with the same numbers.
    take(1, 1, fresh(1));
    await settle();
    turns.end(1, 1);
    turns.end(2, 1);
    turns.end(2, 1);
    await settle();
    expect(turns.load).toEqual({ running: 0, waiting: 0, lanes: 0 });
  });

  it("given up before they come are given to nobody", async () => {
    const { turns, granted, take } = turnsOf(2);
    for (let id = 1; id <= 4; id += 1) take(1, id, fresh(id));
    await settle();
    turns.end(1, 3);
    turns.end(1, 1);
    await settle();
    expect(granted).toEqual(["1/1", "1/2", "1/3 full", "1/4"]);
    for (const id of [2, 4]) turns.end(1, id);
    await settle();
    expect(turns.load).toEqual({ running: 0, waiting: 0, lanes: 0 });
  });
});
