import { describe, expect, it } from "vitest";
import { bindStateOf, type LinkBind, queueByConnector, type WaitingOnRoute } from "../../src/sms/routing.ts";

const bind = (connectorId: number, rest: Partial<LinkBind> = {}): LinkBind => ({
  connectorId,
  connector: `smsc-${connectorId}`,
  enabled: true,
  paused: false,
  bindNumber: 1,
  bound: true,
  ...rest,
});
const route = (routeId: number, connectorIds: readonly number[], waiting = 1, oldestSeconds = 1): WaitingOnRoute => ({
  routeId,
  connectorIds,
  waiting,
  scheduled: 2,
  oldestSeconds,
});

describe("bindStateOf", () => {
  it.each([
    [bind(1), "bound"],
    [bind(1, { bound: false }), "down"],
    [bind(1, { bound: null }), "down"],
    [bind(1, { bindNumber: null, bound: null }), "no node"],
    [bind(1, { enabled: false }), "disabled"],
    [bind(1, { paused: true }), "paused"],
    [bind(1, { paused: true, bound: false }), "down"],
  ])("%j is %s", (given, state) => expect(bindStateOf(given)).toBe(state));
});

describe("queueByConnector", () => {
  it("lists what waits under the first bound connector of the route, else under the first enabled one", () => {
    const binds = [bind(1, { bound: false }), bind(2), bind(3, { enabled: false }), bind(4, { paused: true })];
    const queues = queueByConnector(binds, [route(1, [4, 1, 2], 5, 7), route(2, [1, 3], 3), route(3, [2], 1, 9)]);
    expect(queues).toEqual([
      { connector: "smsc-1", waiting: 3, scheduled: 2, oldestSeconds: 1 },
      { connector: "smsc-2", waiting: 6, scheduled: 4, oldestSeconds: 9 },
      { connector: "smsc-3", waiting: 0, scheduled: 0, oldestSeconds: 0 },
      { connector: "smsc-4", waiting: 0, scheduled: 0, oldestSeconds: 0 },
    ]);
  });

  it("lists what has no connector that may carry it under none", () => {
    const queues = queueByConnector([bind(1, { enabled: false })], [route(1, [1]), route(2, []), route(3, [9])]);
    expect(queues.at(-1)).toEqual({ connector: undefined, waiting: 3, scheduled: 6, oldestSeconds: 1 });
  });
});
