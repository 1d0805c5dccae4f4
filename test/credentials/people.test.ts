import { describe, expect, it } from "vitest";
import { isStaffName } from "../../src/credentials/people.ts";

describe("isStaffName", () => {
  it.each(["a", "Ali.Reza", "ops@example.com", "x_1-2", "a".repeat(64)])("takes %s", (name) =>
    expect(isStaffName(name)).toBe(true),
  );
  it.each(["", ".a", "a b", "a/b", "a:b", "علی", "a".repeat(65), "a\n"])("does not take %j", (name) =>
    expect(isStaffName(name)).toBe(false),
  );
});
