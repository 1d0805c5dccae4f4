import { beforeEach, describe, expect, it } from "vitest";
import { LoginOrigins } from "../../src/credentials/login-origins.ts";

const hour = 3_600_000;
let now: number;
let origins: LoginOrigins;

beforeEach(() => {
  now = 1_000_000_000;
  origins = new LoginOrigins({ now: () => now });
});

const save = (): number => {
  const unsaved = origins.unsaved();
  origins.saved(unsaved);
  return unsaved.length;
};

describe("login origins", () => {
  it("know a user at an address for 24 hours from the last login", () => {
    expect(origins.isKnown(7, "203.0.113.1")).toBe(false);
    origins.note(7, "203.0.113.1");
    now += 23 * hour;
    expect(origins.isKnown(7, "203.0.113.1")).toBe(true);
    expect(origins.isKnown(8, "203.0.113.1")).toBe(false);
    expect(origins.isKnown(7, "203.0.113.2")).toBe(false);
    origins.note(7, "203.0.113.1");
    now += 24 * hour - 1;
    expect(origins.isKnown(7, "203.0.113.1")).toBe(true);
    now += 1;
    expect(origins.isKnown(7, "203.0.113.1")).toBe(false);
  });

  it("are to be written once, and again when an hour has passed", () => {
    for (let call = 0; call < 100; call += 1) origins.note(7, "203.0.113.1");
    expect(save()).toBe(1);
    now += hour - 1;
    origins.note(7, "203.0.113.1");
    expect(save()).toBe(0);
    now += 1;
    origins.note(7, "203.0.113.1");
    expect(save()).toBe(1);
  });

  it("stay to be written until they are", () => {
    origins.note(7, "203.0.113.1");
    expect(origins.unsaved()).toHaveLength(1);
    expect(origins.unsaved()).toHaveLength(1);
    expect(origins.unsaved()[0]?.addressHash).toHaveLength(32);
  });

  it("are learnt from what was written, and not written again for an hour", () => {
    origins.note(7, "203.0.113.1");
    const [written] = origins.unsaved();
    const other = new LoginOrigins({ now: () => now });
    other.learn(7, written?.addressHash ?? Buffer.alloc(0), 23 * hour);
    expect(other.isKnown(7, "203.0.113.1")).toBe(true);
    other.learn(7, written?.addressHash ?? Buffer.alloc(0), 24 * hour);
    expect(other.isKnown(7, "203.0.113.1")).toBe(true);
    other.note(7, "203.0.113.1");
    expect(other.unsaved()).toHaveLength(1);
    other.learn(7, written?.addressHash ?? Buffer.alloc(0), 0);
    other.saved(other.unsaved());
    other.note(7, "203.0.113.1");
    expect(other.unsaved()).toHaveLength(0);
  });

  it("are bounded for each user, whose oldest go first, and in all", () => {
    origins = new LoginOrigins({ now: () => now, maximumInAll: 1_000 });
    origins.note(1, "home");
    for (let index = 0; index < 40; index += 1) origins.note(7, `address ${index}`);
    expect(origins.count).toBe(33);
    expect(origins.unsaved()).toHaveLength(33);
    expect([origins.isKnown(7, "address 7"), origins.isKnown(7, "address 8")]).toEqual([false, true]);
    expect(origins.isKnown(1, "home")).toBe(true);
    for (let user = 10; user < 1_010; user += 1) origins.note(user, "a");
    expect(origins.count).toBe(1_000);
    expect(origins.unsaved()).toHaveLength(1_000);
    expect([origins.isKnown(1, "home"), origins.isKnown(1_009, "a")]).toEqual([false, true]);
  });
});
