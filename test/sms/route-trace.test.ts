import { describe, expect, it } from "vitest";
import {
  chooseConnector,
  chooseRoute,
  type Route,
  traceConnectors,
  traceRoutes,
  type LinkNow,
} from "../../src/sms/routing.ts";

const line = { number: "10001234", kind: "dedicated" } as const;
const gsm = { defaultAlphabet: "gsm7", longMessages: "udh" } as const;
const ascii = { defaultAlphabet: "ascii", longMessages: "udh" } as const;

function route(id: number, operator: string, of: string, enabled: readonly boolean[] = [true]): Route {
  return { id, operator, line: of, connectors: enabled.map((each, index) => ({ id: index + 1, enabled: each })) };
}

describe("traceRoutes", () => {
  it("says of each route why it is used, or not", () => {
    const routes = [
      route(1, "Irancell", "*"),
      route(2, "MCI", "service"),
      route(3, "MCI", "10001234"),
      route(4, "*", "*"),
    ];
    expect(traceRoutes(routes, "MCI", line).map(({ verdict }) => verdict)).toEqual([
      "operator",
      "line",
      "used",
      "later",
    ]);
  });

  it("says that the first route that matches is off, and takes none after it", () => {
    const routes = [route(1, "*", "dedicated", [false, false]), route(2, "*", "*")];
    expect(traceRoutes(routes, "MCI", line).map(({ verdict }) => verdict)).toEqual(["off", "later"]);
    expect(chooseRoute(routes, "MCI", line)).toBeUndefined();
  });

  it("names the route that sending takes, whatever the routes are", () => {
    const parts = [true, false].flatMap((enabled) =>
      ["*", "MCI", "Irancell"].flatMap((operator) => ["*", "dedicated", "1"].map((of) => ({ operator, of, enabled }))),
    );
    for (const first of parts) {
      for (const second of parts) {
        const routes = [
          route(1, first.operator, first.of, [first.enabled]),
          route(2, second.operator, second.of, [second.enabled]),
        ];
        const used = traceRoutes(routes, "MCI", line).find(({ verdict }) => verdict === "used")?.route;
        expect(used).toBe(chooseRoute(routes, "MCI", line));
      }
    }
  });
});

describe("traceConnectors", () => {
  const links = (states: Readonly<Record<number, Partial<LinkNow>>>) => (id: number) =>
    states[id] && { bound: true, paused: false, carrier: gsm, ...states[id] };
  const of = (found: ReturnType<typeof traceConnectors>) => found.map(({ verdict }) => verdict);

  it("says which link takes the message, and what keeps the others from it", () => {
    const four = route(1, "*", "*", [false, true, true, true]);
    const state = links({ 1: {}, 2: { bound: false }, 3: { paused: true }, 4: {} });
    expect(of(traceConnectors(four, undefined, state))).toEqual(["disabled", "down", "paused", "used"]);
    expect(of(traceConnectors(route(1, "*", "*", [true, true]), undefined, links({ 1: {}, 2: {} })))).toEqual([
      "used",
      "standby",
    ]);
  });

  it("uses none while no link is up", () => {
    const state = links({ 1: { bound: false }, 2: { bound: false } });
    expect(of(traceConnectors(route(1, "*", "*", [true, true]), undefined, state))).toEqual(["down", "down"]);
  });

  it("leaves out a link that lacks a character, as long as another one has it", () => {
    const euro = { content: "€".repeat(80), encoding: "gsm7", parts: 1 } as const;
    const two = route(1, "*", "*", [true, true]);
    expect(of(traceConnectors(two, euro, links({ 1: { carrier: ascii }, 2: {} })))).toEqual(["alphabet", "used"]);
    expect(of(traceConnectors(two, euro, links({ 1: { carrier: ascii }, 2: { bound: false } })))).toEqual([
      "alphabet",
      "down",
    ]);
    // No link of the route has it: the one that is up takes the message and ends it.
    const none = links({ 1: { carrier: ascii }, 2: { carrier: ascii } });
    const chosen = chooseConnector(
      two,
      () => true,
      () => false,
    );
    expect(traceConnectors(two, euro, none).find(({ verdict }) => verdict === "used")?.id).toBe(chosen);
  });
});
