import { decodeJwt, decodeProtectedHeader, SignJWT, UnsecuredJWT } from "jose";
import { beforeEach, describe, expect, it } from "vitest";
import { AccessTokens } from "../../src/credentials/access-token.ts";
import type { Directory, KnownUser } from "../../src/directory/directory.ts";
import { directoryWith, tokenKey } from "./credential-rows.ts";

const start = Date.UTC(2026, 0, 1);
let now = start;
let tokens: AccessTokens;
const directory = directoryWith({});

beforeEach(() => {
  now = start;
  tokens = new AccessTokens({ lifetimeSeconds: 3600, now: () => now });
});

function user(of: Directory = directory): KnownUser {
  const known = of.userById(7);
  if (known === undefined) throw new Error("there is no user");
  return known;
}

describe("an access token", () => {
  it("stands for its user until it expires", async () => {
    const token = await tokens.issue(directory, user());
    expect(decodeProtectedHeader(token)).toEqual({ alg: "HS256", typ: "JWT", kid: "1" });
    expect(decodeJwt(token)).toEqual({
      iss: "hodhod",
      sub: "7",
      acc: 1,
      pv: 1,
      iat: start / 1000,
      exp: start / 1000 + 3600,
    });
    expect((await tokens.verify(directory, token))?.personId).toBe(7);
    now = start + 3_599_000;
    expect((await tokens.verify(directory, token))?.personId).toBe(7);
    now = start + 3_600_000;
    expect(await tokens.verify(directory, token)).toBeUndefined();
  });

  it.each([
    ["the user is removed", directoryWith({ users: [] })],
    ["the password has changed", directoryWith({ users: [{ passwordVersion: 2 }] })],
    ["the user belongs to another account now", directoryWith({ users: [{ accountId: 2 }] })],
    ["the key is gone", directoryWith({ tokenKeys: [tokenKey(2)] })],
    [
      "the key was retired long ago",
      directoryWith({ tokenKeys: [tokenKey(1, { retiredAt: new Date(start) }), tokenKey(2)] }),
    ],
  ])("is dead at once when %s, also one that was seen before", async (_, changed) => {
    const token = await tokens.issue(directory, user());
    expect(await tokens.verify(directory, token)).toBeDefined();
    expect(await tokens.verify(changed, token)).toBeUndefined();
  });

  it("of a key that is being retired is good until then", async () => {
    const token = await tokens.issue(directory, user());
    const rotated = directoryWith({ tokenKeys: [tokenKey(1, { retiredAt: new Date(start + 1000) }), tokenKey(2)] });
    expect(await tokens.verify(rotated, token)).toBeDefined();
    now = start + 1000;
    expect(await tokens.verify(rotated, token)).toBeUndefined();
  });

  it("is signed by a new key only when all nodes had time to load it", async () => {
    const fresh = tokenKey(2, { createdAt: new Date(start - 1000) });
    const old = tokenKey(1, { retiredAt: new Date(start + 3_700_000) });
    const rotated = directoryWith({ tokenKeys: [old, fresh] });
    expect(decodeProtectedHeader(await tokens.issue(rotated, user())).kid).toBe("1");
    now = start + 10_000;
    expect(decodeProtectedHeader(await tokens.issue(rotated, user())).kid).toBe("2");
    now = start;
    expect(decodeProtectedHeader(await tokens.issue(directoryWith({ tokenKeys: [fresh] }), user())).kid).toBe("2");
  });

  it("cannot be issued without a key", async () => {
    await expect(tokens.issue(directoryWith({ tokenKeys: [] }), user())).rejects.toThrow(/no key/);
  });

  const claims = { acc: 1, pv: 1 };
  const signed = (key: Buffer, header: { alg: string; kid?: string }, more: object = {}) =>
    new SignJWT({ ...claims, ...more })
      .setProtectedHeader(header)
      .setIssuer("hodhod")
      .setSubject("7")
      .setExpirationTime(start / 1000 + 60)
      .sign(key);
  const ours = Buffer.alloc(32, 1);

  it.each([
    [
      "algorithm none",
      () => new UnsecuredJWT(claims).setSubject("7").setIssuer("hodhod").setExpirationTime("1h").encode(),
    ],
    ["another key", () => signed(Buffer.alloc(32, 9), { alg: "HS256", kid: "1" })],
    ["no key id", () => signed(ours, { alg: "HS256" })],
    ["a key id that we do not have", () => signed(ours, { alg: "HS256", kid: "5" })],
    ["another algorithm", () => signed(Buffer.alloc(64, 1), { alg: "HS512", kid: "1" })],
    ["claims of another kind", () => signed(ours, { alg: "HS256", kid: "1" }, { pv: "1" })],
    ["nothing", () => ""],
    ["no token", () => "a.b.c"],
    ["an endless text", () => "a".repeat(100_000)],
  ])("with %s is refused", async (_, make) => {
    expect(await tokens.verify(directory, await make())).toBeUndefined();
  });

  it("that somebody changed is refused", async () => {
    const token = await tokens.issue(directory, user());
    const [header, , signature] = token.split(".");
    const forged = Buffer.from(JSON.stringify({ ...decodeJwt(token), sub: "8" })).toString("base64url");
    expect(await tokens.verify(directory, [header, forged, signature].join("."))).toBeUndefined();
  });

  // The last character of 32 bytes in base64url has two bits that stand for nothing.
  it("whose signature is written in another way is refused", async () => {
    const token = await tokens.issue(directory, user());
    const bytes = (text: string) => Buffer.from(text, "base64url").toString("hex");
    const [, , signature = ""] = token.split(".");
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const others = Array.from(alphabet, (last) => signature.slice(0, -1) + last).filter(
      (other) => other !== signature && bytes(other) === bytes(signature),
    );
    expect(others).toHaveLength(3);
    for (const other of [...others, `${signature}=`]) {
      const written = token.slice(0, -signature.length) + other;
      expect(await tokens.verify(directory, written)).toBeUndefined();
    }
  });
});
