import { beforeEach, describe, expect, it } from "vitest";
import type { LanePlace } from "../../src/credentials/fair-lanes.ts";
import { CallerGone, PasswordCheck } from "../../src/credentials/password-check.ts";
import { WorkQueueFull } from "../../src/credentials/work-queue.ts";

const place: LanePlace = { standing: "fresh", lane: "203.0.113.1" };

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

const ask = (passwordHash: string | undefined, password: string) => check.isRight({ passwordHash, password, place });

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
    expect(await gullible.isRight({ passwordHash: undefined, password: "", place })).toBe(false);
  });

  it("tells the parts of its key apart", async () => {
    const all = new PasswordCheck({ verify: async (hash) => hash === "x" });
    expect(await all.isRight({ passwordHash: "x", password: "yz", place })).toBe(true);
    expect(await all.isRight({ passwordHash: "xy", password: "z", place })).toBe(false);
  });
});

describe("checks that wait", () => {
  /** One whose computations end when the test says so, in the order in which they began. */
  function held() {
    const ends: (() => void)[] = [];
    const passwords: string[] = [];
    const check = new PasswordCheck({
      verify: async (_hash, password) => {
        passwords.push(password);
        await new Promise<void>((resolve) => ends.push(resolve));
        return password === "right";
      },
    });
    const turn = async (): Promise<void> => {
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    };
    const ask = (password: string, standing: LanePlace["standing"], lane: string) =>
      check.isRight({ passwordHash: "hash", password, place: { standing, lane } });
    return { check, ask, turn, passwords };
  }

  it("of an address that guesses cost another one a turn, not a queue", async () => {
    const { check, ask, turn, passwords } = held();
    const guesses = Array.from({ length: 90 }, (_, index) => ask(`guess ${index}`, "guessing", "guesser"));
    const user = ask("right", "fresh", "user");
    while (!passwords.includes("right")) await turn();
    // Two ran before the user came; then the user's has its turn within the first four.
    expect(passwords.indexOf("right")).toBeLessThan(6);
    while (check.load.running > 0) await turn();
    expect(await user).toBe(true);
    expect((await Promise.all(guesses)).some(Boolean)).toBe(false);
    expect(check.load).toEqual({ running: 0, waiting: 0, lanes: 0, different: 0 });
  });

  it("wait each in their own lane, also for the same password, and what is found right serves all", async () => {
    const { check, ask, turn, passwords } = held();
    const first = [ask("a", "fresh", "x"), ask("b", "fresh", "x")];
    const slow = Array.from({ length: 50 }, (_, index) => ask(`guess ${index}`, "guessing", "x"));
    const behindGuesses = ask("right", "guessing", "x");
    const quick = ask("right", "known", "user 7 y");
    while (!passwords.includes("right")) await turn();
    expect(passwords.indexOf("right")).toBeLessThan(5);
    while (check.load.running > 0) await turn();
    expect([await quick, await behindGuesses]).toEqual([true, true]);
    expect(passwords.filter((password) => password === "right")).toHaveLength(1);
    await Promise.all([...first, ...slow]);
  });

  it("are not computed when nobody waits for them any more", async () => {
    const { check, turn, passwords } = held();
    const ask = (password: string, isGone: () => boolean) =>
      check.isRight({ passwordHash: "hash", password, place, isGone });
    const outcomeOf = (asked: Promise<boolean>) =>
      asked.catch((error: unknown) => error instanceof CallerGone && "gone");
    let hasLeft = false;
    const left = (): boolean => hasLeft;
    const answers = ["a", "b"].map((password) => outcomeOf(ask(password, left)));
    answers.push(outcomeOf(ask("alone", left)), outcomeOf(ask("shared", left)), outcomeOf(ask("shared", () => false)));
    hasLeft = true;
    while (check.load.running > 0) await turn();
    expect(passwords).toEqual(["a", "b", "shared"]);
    expect(await Promise.all(answers)).toEqual([false, false, "gone", false, false]);
    expect(check.load).toEqual({ running: 0, waiting: 0, lanes: 0, different: 0 });
  });

  it("are refused beyond the bound of their lane and of all lanes, and leave nothing behind", async () => {
    const { check, ask, turn } = held();
    const outcome = (asked: Promise<boolean>) => asked.catch((error: unknown) => error instanceof WorkQueueFull);
    const ofOne = Array.from({ length: 150 }, (_, index) => outcome(ask(`guess ${index}`, "fresh", "one")));
    const ofMany = Array.from({ length: 2_000 }, (_, index) => outcome(ask("guess", "fresh", `address ${index}`)));
    const known = Array.from({ length: 30 }, (_, index) => outcome(ask(`guess ${index}`, "known", "user 7 home")));
    expect(check.load).toMatchObject({ running: 2, waiting: 1_000 });
    await turn();
    expect(check.load.different).toBeLessThanOrEqual(1_002);
    while (check.load.running > 0) await turn();
    expect(check.load).toEqual({ running: 0, waiting: 0, lanes: 0, different: 0 });
    // True: refused.
    const refused = async (outcomes: readonly Promise<boolean>[]) =>
      (await Promise.all(outcomes)).filter(Boolean).length;
    // With all full, each lane keeps one place at most, and a known one takes that of a stranger.
    expect(await refused(known)).toBe(29);
    expect((await refused(ofOne)) + (await refused(ofMany))).toBe(150 + 2_000 - 2 - 999);
  });
});
