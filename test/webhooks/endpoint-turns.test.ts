import { describe, expect, it } from "vitest";
import { EndpointTurns } from "../../src/webhooks/endpoint-turns.ts";

describe("turns of endpoints", () => {
  it("keep places for quick endpoints that slow ones never take", () => {
    const turns = new EndpointTurns<string>({ places: 4, placesForQuick: 1 }, () => undefined);
    expect([1, 2, 3, 4].map(() => turns.take("slow", false))).toEqual([true, true, true, false]);
    expect([1, 2].map(() => turns.take("quick", true))).toEqual([true, false]);
    expect(turns.taken).toBe(4);
  });

  it("come to a quick endpoint when the requests of others turn out slow, beyond all places", () => {
    const served: string[] = [];
    const turns = new EndpointTurns<string>({ places: 4, placesForQuick: 2 }, (endpoint) => {
      if (turns.take(endpoint, endpoint.startsWith("quick"))) served.push(endpoint);
    });
    for (let place = 0; place < 4; place += 1) expect(turns.take("hangs", true)).toBe(true);
    expect(turns.take("quick", true)).toBe(false);
    expect(turns.take("slow", false)).toBe(false);
    for (let place = 0; place < 2; place += 1) turns.demote();
    expect(served).toEqual([]);
    turns.demote();
    expect([served, turns.taken]).toEqual([["quick"], 5]);
    for (const isQuick of [false, false, false, true]) turns.release(isQuick);
    turns.release(true);
    expect([served, turns.taken]).toEqual([["quick", "slow"], 1]);
  });

  it("come to slow ones while quick ones hold more than the places that are kept for them", () => {
    const begun: string[] = [];
    const turns = new EndpointTurns<string>({ places: 3, placesForQuick: 2 }, (endpoint) => {
      if (turns.take(endpoint, endpoint !== "slow")) begun.push(endpoint);
    });
    for (const endpoint of ["a", "b", "c"]) turns.take(endpoint, true);
    turns.take("slow", false);
    expect(turns.isWaitedFor).toBe(true);
    turns.release(true);
    expect(begun).toEqual(["slow"]);
    turns.take("slow", false);
    // It could not take the place that becomes free next.
    expect(turns.isWaitedFor).toBe(false);
    turns.release(false);
    expect(begun).toEqual(["slow", "slow"]);
  });

  it("go round among those that wait, each once before any has two", () => {
    const order: string[] = [];
    const turns = new EndpointTurns<string>({ places: 1, placesForQuick: 0 }, (endpoint) => {
      if (turns.take(endpoint, true)) order.push(endpoint);
      // It has more to send.
      turns.take(endpoint, true);
    });
    turns.take("first", true);
    for (const endpoint of ["a", "b", "c"]) turns.take(endpoint, true);
    for (let round = 0; round < 6; round += 1) turns.release(true);
    expect(order).toEqual(["a", "b", "c", "a", "b", "c"]);
  });

  it("come to slow ones too while quick ones wait, and to none that is forgotten", () => {
    const order: string[] = [];
    const turns = new EndpointTurns<string>({ places: 1, placesForQuick: 0 }, (endpoint) => {
      if (turns.take(endpoint, endpoint !== "slow")) order.push(endpoint);
      turns.take(endpoint, endpoint !== "slow");
    });
    turns.take("quick", true);
    turns.take("quick", true);
    turns.take("slow", false);
    turns.take("gone", true);
    turns.forget("gone");
    for (let round = 0; round < 4; round += 1) turns.release(true);
    expect(new Set(order)).toEqual(new Set(["quick", "slow"]));
  });
});
