import { createHash } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Authenticator } from "../../src/credentials/authenticator.ts";
import { KeyUses } from "../../src/credentials/key-uses.ts";
import { hashPassword } from "../../src/credentials/password.ts";
import type { Directory } from "../../src/directory/directory.ts";
import { directoryWith } from "./credential-rows.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

let directory: Directory;
let waits: number[] = [];
let authenticator: Authenticator;
let keyUses: KeyUses;
let nowMs: number;
let passwordHash: string;

beforeAll(async () => {
  passwordHash = await hashPassword("right");
});

beforeEach(() => {
  waits = [];
  keyUses = new KeyUses();
  nowMs = 1_000;
  directory = directoryWith({
    users: [{ passwordHash }],
    apiKeys: [
      { accountId: 1, name: "open", sha256Hex: sha256("open-key"), allowedIps: [], expiresAt: null },
      { accountId: 1, name: "fenced", sha256Hex: sha256("fenced-key"), allowedIps: ["10.0.0.1"], expiresAt: null },
      { accountId: 1, name: "ending", sha256Hex: sha256("ending-key"), allowedIps: [], expiresAt: new Date(5_000) },
    ],
    allowedIps: ["192.168.0.0/16"],
  });
  authenticator = new Authenticator({
    directory: {
      get current() {
        return directory;
      },
    },
    tokenLifetimeSeconds: 3600,
    keyUses,
    now: () => nowMs,
    wait: async (ms) => void waits.push(ms),
  });
});

const ali = { username: "ali", domain: "Demo.Example", password: "right", address: "203.0.113.1" };

describe("a caller", () => {
  it("is known by API key, with the key's own list of addresses or the account's", () => {
    expect(authenticator.byApiKey("open-key")).toMatchObject({
      rights: { permissions: new Set(["*"]) },
      allowedIps: ["192.168.0.0/16"],
    });
    expect(authenticator.byApiKey("fenced-key")).toMatchObject({ allowedIps: ["10.0.0.1"] });
    expect(authenticator.byApiKey("other-key")).toBeUndefined();
    expect(authenticator.byApiKey("")).toBeUndefined();
  });

  it("is no longer known by a key from the moment it expires", () => {
    nowMs = 4_999;
    expect(authenticator.byApiKey("ending-key")).toBeDefined();
    nowMs = 5_000;
    expect(authenticator.byApiKey("ending-key")).toBeUndefined();
  });

  it("leaves a note of each key that was used, once however often, and none of a wrong or ended one", () => {
    nowMs = 6_000;
    for (const key of ["open-key", "fenced-key", "open-key", "other-key", "ending-key"]) authenticator.byApiKey(key);
    expect(keyUses.take().toSorted()).toEqual([sha256("open-key"), sha256("fenced-key")].toSorted());
    expect(keyUses.take()).toEqual([]);
  });

  it("is known by credentials", async () => {
    expect(await authenticator.byPassword(ali)).toMatchObject({ who: "user:demo/ali", account: { name: "demo" } });
    expect(waits).toEqual([]);
  });

  it("is known by the token that the credentials bought, until the user is gone", async () => {
    const issued = await authenticator.issueToken(ali);
    expect(issued).toMatchObject({ expiresInSeconds: 3600, caller: { account: { name: "demo" } } });
    const token = issued?.accessToken ?? "";
    expect(await authenticator.byAccessToken(token)).toMatchObject({
      who: "user:demo/ali",
      allowedIps: ["192.168.0.0/16"],
    });
    directory = directoryWith({ users: [] });
    expect(await authenticator.byAccessToken(token)).toBeUndefined();
  });

  it("loses the credentials the moment the password changes", async () => {
    await authenticator.byPassword(ali);
    directory = directoryWith({ users: [{ passwordHash: await hashPassword("changed") }] });
    expect(await authenticator.byPassword(ali)).toBeUndefined();
  });
});

describe("wrong credentials", () => {
  it("are slowed down as they repeat, right ones from the same place are not", async () => {
    for (let attempt = 0; attempt < 3; attempt += 1) await authenticator.byPassword({ ...ali, password: "wrong" });
    expect(waits).toEqual([50, 100, 200]);
    expect(await authenticator.byPassword(ali)).toBeDefined();
    expect(waits).toHaveLength(3);
  });

  it("are slowed down by address, keys and tokens apart from passwords", async () => {
    await authenticator.delayRefusal("203.0.113.1");
    await authenticator.delayRefusal("203.0.113.1");
    await authenticator.issueToken({ ...ali, username: "nobody" });
    await authenticator.delayRefusal("203.0.113.2");
    expect(waits).toEqual([50, 100, 50, 50]);
  });

  it("say nothing about whether the user exists", async () => {
    const timed = async (username: string): Promise<number> => {
      const began = performance.now();
      await authenticator.byPassword({ ...ali, username, password: "wrong" });
      return performance.now() - began;
    };
    await timed("nobody");
    const unknown = Math.min(await timed("nobody"), await timed("noone"));
    // A refusal without any computation would take a hundredth of that.
    expect(unknown).toBeGreaterThan(Math.min(await timed("ali"), await timed("ali")) / 10);
  });
});
