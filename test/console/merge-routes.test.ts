import { describe, expect, it } from "vitest";
import { mergeRoutes } from "../../console/src/pages/network/merge-routes.ts";

/** `MCI:a+b` */
function routes(text: string) {
  return text.split(" ").map((each) => {
    const [operator = "", connectors = ""] = each.split(":");
    return { operator, line: "*", connectors: connectors.split("+") };
  });
}

const textOf = (list: ReturnType<typeof mergeRoutes>["routes"]): string =>
  list.map(({ operator, connectors }) => `${operator}:${connectors.join("+")}`).join(" ");

const before = "A:1 B:1 C:1 D:1";

describe("routes that two people changed", () => {
  it.each([
    ["moved here, and changed there", "C:1 A:1 B:1 D:1", "A:1 B:1 C:1+2 D:1", "C:1+2 A:1 B:1 D:1", "changed C"],
    ["moved here, and added to there", "C:1 A:1 B:1 D:1", "A:1 B:1 X:1 C:1 D:1", "C:1 A:1 B:1 X:1 D:1", "added X"],
    ["moved here, with a first one there", "C:1 A:1 B:1 D:1", "X:1 A:1 B:1 C:1 D:1", "X:1 C:1 A:1 B:1 D:1", "added X"],
    ["moved here, and taken from there", "C:1 A:1 B:1 D:1", "A:1 C:1 D:1", "C:1 A:1 D:1", "removed B"],
    ["added to here, and moved there", "A:1 B:1 C:1 D:1 X:1", "D:1 A:1 B:1 C:1", "D:1 X:1 A:1 B:1 C:1", ""],
    ["taken from here, and moved there", "A:1 B:1 D:1", "D:1 A:1 B:1 C:1", "D:1 A:1 B:1", ""],
    ["changed here, and another one there", "A:2 B:1 C:1 D:1", "A:1 B:3 C:1 D:1", "A:2 B:3 C:1 D:1", "changed B"],
    ["changed on both sides", "A:2 B:1 C:1 D:1", "A:3 B:1 C:1 D:1", "A:2 B:1 C:1 D:1", "contested A"],
    ["changed on both sides to the same", "A:2 B:1 C:1 D:1", "A:2 B:1 C:1 D:1", "A:2 B:1 C:1 D:1", ""],
    ["changed here, and taken from there", "A:2 B:1 C:1 D:1", "B:1 C:1 D:1", "A:2 B:1 C:1 D:1", "contested A"],
    ["taken from here, and changed there", "B:1 C:1 D:1", "A:3 B:1 C:1 D:1", "B:1 C:1 D:1", "contested A"],
    ["taken from on both sides", "B:1 C:1 D:1", "B:1 C:1 D:1", "B:1 C:1 D:1", ""],
    ["added on both sides", "A:1 B:1 C:1 D:1 X:1", "A:1 B:1 C:1 D:1 X:2", "A:1 B:1 C:1 D:1 X:1", "contested X"],
  ])("%s", (_, mine, now, merged, told) => {
    const { routes: list, deeds, otherOrder } = mergeRoutes(routes(before), routes(mine), routes(now));
    expect(textOf(list)).toBe(merged);
    expect(deeds.map(({ deed, route }) => `${deed} ${route.operator}`).join(", ")).toBe(told);
    expect(otherOrder).toBeUndefined();
  });

  it("moved on both sides: the order made here stays, and the other one is told", () => {
    const merged = mergeRoutes(routes(before), routes("B:1 A:1 C:1 D:1"), routes("A:1 B:1 D:1 C:1"));
    expect(textOf(merged.routes)).toBe("B:1 A:1 C:1 D:1");
    expect(textOf(merged.otherOrder ?? [])).toBe("A:1 B:1 D:1 C:1");
    expect(
      mergeRoutes(routes(before), routes("B:1 A:1 C:1 D:1"), routes("B:1 A:1 C:1 D:1")).otherOrder,
    ).toBeUndefined();
  });

  it("of one operator and line are told apart by their order", () => {
    const { routes: list, deeds } = mergeRoutes(routes("A:1 A:2 B:1"), routes("B:1 A:1 A:2"), routes("A:1 A:3 B:1"));
    expect(textOf(list)).toBe("B:1 A:1 A:3");
    expect(deeds).toMatchObject([{ deed: "changed", route: { connectors: ["3"] } }]);
  });
});
