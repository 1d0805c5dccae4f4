import { describe, expect, it } from "vitest";
import { completeConnectorSettings } from "../../src/connectors/connector-settings.ts";
import { RouteMap, type RoutedDirectory } from "../../src/dispatch/route-map.ts";
import { variantOf } from "../../src/sms/routing.ts";

const ascii = { type: "smpp", host: "h", port: 1, systemId: "s", password: "p", defaultAlphabet: "ascii" } as const;
const gsm7 = { ...ascii, defaultAlphabet: "gsm7" } as const;
const euro = { inParts: 2, asWhole: 2 };

/** Route 7 leads to connector 1 (ASCII) and then to 2 (GSM); route 8 to 2 alone. */
function directory({ paused = [] as readonly number[] } = {}): RoutedDirectory {
  const connector = (id: number, settings: typeof ascii | typeof gsm7): RoutedDirectory["connectors"][number] => ({
    id,
    name: `c${id}`,
    enabled: true,
    paused: paused.includes(id),
    settings: completeConnectorSettings(settings),
  });
  const route = (id: number, ...ids: number[]): RoutedDirectory["routes"][number] => ({
    id,
    operator: "*",
    line: "*",
    connectors: ids.map((each) => ({ id: each, enabled: true })),
  });
  return { routes: [route(7, 1, 2), route(8, 2)], connectors: [connector(1, ascii), connector(2, gsm7)] };
}

describe("RouteMap", () => {
  it("leads a route to its first connector that is up, and asks anew each time", () => {
    const up = new Set([1, 2]);
    const map = new RouteMap(directory(), (id) => up.has(id));
    expect([map.connectorOf(7), map.connectorOf(8)]).toEqual([1, 2]);
    up.delete(1);
    expect([map.connectorOf(7), map.connectorOf(8)]).toEqual([2, 2]);
    up.delete(2);
    expect([map.connectorOf(7), map.connectorOf(8)]).toEqual([undefined, undefined]);
  });

  it("knows nothing of a removed route, whose messages stay in their lane", () => {
    const map = new RouteMap(directory(), () => true);
    expect(map.connectorOf(9)).toBeUndefined();
    expect(map.variantElsewhere(9, euro)).toBe(9);
  });

  it("gives a connector its routes, and the lanes that only it can carry", () => {
    const map = new RouteMap(directory(), () => true);
    expect(map.variantsOf(1)).toContain(7);
    expect(map.variantsOf(1)).not.toContain(variantOf(7, euro));
    expect(map.variantsOf(2)).toContain(8);
    expect(map.variantsOf(2)).toContain(variantOf(7, euro));
    expect(map.variantsOf(2)).not.toContain(7);
    expect(map.variantElsewhere(7, euro)).toBe(variantOf(7, euro));
  });

  it("takes a paused connector for one that is down", () => {
    const map = new RouteMap(directory({ paused: [1] }), () => true);
    expect([map.isPaused(1), map.isPaused(2), map.isPaused(3)]).toEqual([true, false, false]);
    expect(map.connectorOf(7)).toBe(2);
    expect(map.variantsOf(1)).toEqual([]);
  });
});
