import { describe, expect, it } from "vitest";
import { OpenClaims } from "../../src/dispatch/open-claims.ts";

describe("OpenClaims", () => {
  it("keeps a claim until its last message is settled and on disk", () => {
    const claims = new OpenClaims();
    claims.open("a", 2);
    expect(claims.settle("a")).toBe(false);
    expect(claims.settle("a")).toBe(true);
    expect(claims.ids).toEqual(["a"]);
    claims.finish("a");
    expect(claims.ids).toEqual([]);
  });

  it("never finishes a claim with an outcome that could not be written, before its last message or after", () => {
    const claims = new OpenClaims();
    for (const id of ["before", "after"]) claims.open(id, 2);
    claims.keep("before");
    expect([claims.settle("before"), claims.settle("before")]).toEqual([false, false]);
    expect([claims.settle("after"), claims.settle("after")]).toEqual([false, true]);
    claims.keep("after");
    for (const id of ["before", "after"]) claims.finish(id);
    expect(claims.ids).toEqual(["before", "after"]);
  });

  it("knows nothing of a claim that is not open", () => {
    const claims = new OpenClaims();
    claims.keep("a");
    expect(claims.settle("a")).toBe(false);
    claims.finish("a");
    expect(claims.ids).toEqual([]);
  });
});
