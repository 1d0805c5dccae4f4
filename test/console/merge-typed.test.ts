import { describe, expect, it } from "vitest";
import { notShown } from "../../console/src/parts/merge-typed.ts";

describe("a form that does not know a key", () => {
  it("gives it back as it is stored, but not what it shows or what has a page of its own", () => {
    const stored = { name: "demo", tariff: "standard", users: [], newKey: { a: 1 } };
    expect(notShown(stored, ["name", "tariff", "users"])).toEqual({ newKey: { a: 1 } });
    expect(notShown({}, ["name"])).toEqual({});
  });
});
