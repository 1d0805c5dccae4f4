import { describe, expect, it } from "vitest";
import { RequestTurns } from "../../src/webhooks/request-turns.ts";

describe("turns of requests", () => {
  it("keep places for quick endpoints that slow ones never take", () => {
    const turns = new RequestTurns<string>({ places: 4, placesForQuick: 1 }, () => undefined);
    expect([1, 2, 3, 4].map(() => turns.take("slow", false))).toEqual([true, true, true, false]);
    expect([1, 2].map(() => turns.take("quick", true))).toEqual([true, false]);
    expect(turns.taken).toBe(4);
  });

  it("go round among those that wait, each once before any has two", () => {
    const order: string[] = [];
    const turns = new RequestTurns<string>({ places: 1, placesForQuick: 0 }, (endpoint) => {
      if (turns.take(endpoint, true)) order.push(endpoint);
      // It has more to send.
      turns.take(endpoint, true);
    });
    turns.take("first", true);
    for (const endpoint of ["a", "b", "c"]) turns.take(endpoint, true);
    for (let round = 0; round < 6; round += 1) turns.release();
    expect(order).toEqual(["a", "b", "c", "a", "b", "c"]);
  });

  it("come to slow ones too while quick ones wait, and to none that is forgotten", () => {
    const order: string[] = [];
    const turns = new RequestTurns<string>({ places: 1, placesForQuick: 0 }, (endpoint) => {
      if (turns.take(endpoint, endpoint !== "slow")) order.push(endpoint);
      turns.take(endpoint, endpoint !== "slow");
    });
    turns.take("quick", true);
    turns.take("quick", true);
    turns.take("slow", false);
    turns.take("gone", true);
    turns.forget("gone");
    for (let round = 0; round < 4; round += 1) turns.release();
    expect(new Set(order)).toEqual(new Set(["quick", "slow"]));
  });
});
