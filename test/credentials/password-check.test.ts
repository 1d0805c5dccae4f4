import { beforeEach, describe, expect, it } from "vitest";
import { PasswordCheck } from "../../src/credentials/password-check.ts";

let now = 0;
let computed: string[] = [];
let check: PasswordCheck;

beforeEach(() => {
  now = 0;
  computed = [];
  check = new PasswordCheck({
    now: () => now,
    verify: async (hash, password) => {
      computed.push(hash);
      return hash === `hash of ${password}`;
    },
  });
});

const ask = (passwordHash: string | undefined, password: string) =>
  check.isRight({ passwordHash, password, suspicious: false });

describe("a password check", () => {
  it("computes a right password once a minute", async () => {
    expect([await ask("hash of a", "a"), await ask("hash of a", "a")]).toEqual([true, true]);
    expect(computed).toHaveLength(1);
    now = 60_001;
    expect(await ask("hash of a", "a")).toBe(true);
    expect(computed).toHaveLength(2);
  });

  it("computes equal checks at the same time once", async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask("hash of a", "a")));
    expect(answers.every(Boolean)).toBe(true);
    expect(computed).toHaveLength(1);
  });

  it("forgets a right password the moment its hash changes", async () => {
    await ask("hash of a", "a");
    expect(await ask("hash of b", "a")).toBe(false);
    expect(computed).toHaveLength(2);
  });

  it("never remembers a wrong one as right", async () => {
    expect([await ask("hash of a", "b"), await ask("hash of a", "b")]).toEqual([false, false]);
    expect(await ask("hash of a", "a")).toBe(true);
  });

  it("costs the same for a user that does not exist", async () => {
    expect(await ask(undefined, "a")).toBe(false);
    expect(computed).toHaveLength(1);
    expect(computed[0]).toMatch(/^\$argon2id\$/);
  });

  it("is not taken in by a user who does not exist and a computation that says yes", async () => {
    const gullible = new PasswordCheck({ verify: async () => true });
    expect(await gullible.isRight({ passwordHash: undefined, password: "", suspicious: false })).toBe(false);
  });

  it("tells the parts of its key apart", async () => {
    const all = new PasswordCheck({ verify: async (hash) => hash === "x" });
    expect(await all.isRight({ passwordHash: "x", password: "yz", suspicious: false })).toBe(true);
    expect(await all.isRight({ passwordHash: "xy", password: "z", suspicious: false })).toBe(false);
  });
});
