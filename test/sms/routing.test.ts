import { describe, expect, it } from "vitest";
import {
  chooseConnector,
  chooseRoute,
  variantElsewhere,
  variantOf,
  variantsServed,
  type Route,
  routeOfVariant,
} from "../../src/sms/routing.ts";
import type { SenderLine } from "../../src/sms/sender-line.ts";

const line: SenderLine = { number: "10001234", kind: "service" };

function route(id: number, operator: string, linePattern: string, enabled: readonly boolean[] = [true]): Route {
  return { id, operator, line: linePattern, connectors: enabled.map((on, index) => ({ id: index + 1, enabled: on })) };
}

describe("chooseRoute", () => {
  it.each<[string, readonly Route[], number | undefined]>([
    ["the first that matches, not the most specific", [route(1, "*", "*"), route(2, "MCI", "10001234")], 1],
    ["one for the operator", [route(1, "Irancell", "*"), route(2, "MCI", "*")], 2],
    ["one for the line's number", [route(1, "*", "10005678"), route(2, "*", "10001234")], 2],
    ["one for the line's kind", [route(1, "*", "advertising"), route(2, "*", "service")], 2],
    ["none without routes", [], undefined],
    ["none when none matches", [route(1, "Irancell", "*")], undefined],
    ["one with a disabled connector beside an enabled one", [route(1, "*", "*", [false, true])], 1],
    [
      "none when all connectors of the match are disabled",
      [route(1, "*", "*", [false]), route(2, "*", "*")],
      undefined,
    ],
    ["none when the match has no connectors", [route(1, "*", "*", [])], undefined],
  ])("chooses %s", (_, routes, id) => {
    expect(chooseRoute(routes, "MCI", line)?.id).toBe(id);
  });
});

describe("chooseConnector", () => {
  const three = route(1, "*", "*", [false, true, true]);

  it("takes the first that is enabled and up", () => {
    expect(chooseConnector(three, () => true)).toBe(2);
    expect(chooseConnector(three, (id) => id === 3)).toBe(3);
  });

  it("waits when none is up", () => {
    expect(chooseConnector(three, () => false)).toBeUndefined();
    expect(chooseConnector(three, (id) => id === 1)).toBeUndefined();
  });
});

describe("lanes of a route", () => {
  const two = route(7, "*", "*", [true, true]);
  const carriers = (first: "ascii" | "gsm7", second: "latin1" | "gsm7") => (id: number) => ({
    defaultAlphabet: id === 1 ? first : second,
    longMessages: "udh" as const,
  });
  const euros = { inParts: 2, asWhole: 2 };

  it("are none where every connector carries everything", () => {
    expect(variantsServed(two, 1, () => true, carriers("gsm7", "gsm7"))).toEqual([7]);
    expect(variantsServed(two, 2, () => true, carriers("gsm7", "gsm7"))).toEqual([]);
  });

  it("are served by the first that can carry their messages, and by nobody while only others are up", () => {
    const variant = variantOf(7, euros);
    expect(routeOfVariant(variant)).toBe(7);
    expect(variantElsewhere(two, euros, carriers("ascii", "gsm7"))).toBe(variant);
    expect(variantsServed(two, 2, () => true, carriers("ascii", "gsm7"))).toContain(variant);
    expect(variantsServed(two, 2, () => true, carriers("ascii", "gsm7"))).not.toContain(7);
    expect(variantsServed(two, 1, (id) => id === 1, carriers("ascii", "gsm7"))).not.toContain(variant);
  });

  it("lead nowhere where none can: then one that is up finds that there is no way", () => {
    expect(variantElsewhere(two, euros, carriers("ascii", "latin1"))).toBeUndefined();
    expect(variantsServed(two, 1, () => true, carriers("ascii", "latin1"))).toContain(variantOf(7, euros));
  });
});
