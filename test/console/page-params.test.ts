import { describe, expect, it } from "vitest";
import { isPathOf, pageParams } from "../../console/src/frame/page-params.ts";

describe("what the address of a page names", () => {
  it.each(["demo", "law suits/2026", "50%", "a%2Fb", "فهرست", "?x#y&z", "a+b"])("is %s as it was written", (name) => {
    const pathname = `/console/accounts/${encodeURIComponent(name)}`;
    expect(pageParams("/console/accounts/:name", pathname)).toEqual({ name });
  });

  it("is nothing where the page names nothing, and stays as it is where it was typed wrongly", () => {
    expect(pageParams("/console/accounts", "/console/accounts")).toEqual({});
    expect(pageParams("/console/accounts/:name", "/console/accounts/50%")).toEqual({ name: "50%" });
  });
});

describe("the path of an address", () => {
  it.each([
    ["/accounts", "/accounts", true],
    ["/accounts/:name", "/accounts/demo", true],
    ["/accounts/:name", "/accounts", false],
    ["/accounts", "/accounts/demo", false],
    ["/campaigns/new", "/campaigns/old", false],
  ])("%s is that of %s: %s", (pattern, pathname, isIt) => {
    expect(isPathOf(pattern, pathname)).toBe(isIt);
  });
});
