import { describe, expect, it } from "vitest";
import { isSecret, liveSecrets, makeSecret, secretOctets } from "../../src/webhooks/secret.ts";

const withOctets = (count: number) => `whsec_${Buffer.alloc(count, 7).toString("base64")}`;

describe("secrets of endpoints", () => {
  it("are made of 32 random octets", () => {
    const made = Array.from({ length: 100 }, makeSecret);
    expect(new Set(made).size).toBe(100);
    expect(made.every((secret) => isSecret(secret) && secretOctets(secret).length === 32)).toBe(true);
  });

  it.each([
    [withOctets(24), true],
    [withOctets(64), true],
    [withOctets(23), false],
    [withOctets(65), false],
    [withOctets(32).slice("whsec_".length), false],
    [withOctets(32).replace(/=+$/, ""), false],
    [`${withOctets(33)}=`, false],
    [withOctets(33).replace("Bw", "B_"), false],
    ["whsec_", false],
    ["", false],
    [`${withOctets(24)}\n`, false],
    [`WHSEC_${Buffer.alloc(24).toString("base64")}`, false],
  ])("%s: %s", (text, valid) => {
    expect(isSecret(text)).toBe(valid);
  });

  it("sign with the one before for as long as it lives, after the new one", () => {
    const until = new Date("2026-11-22T10:00:00Z");
    const stored = { secret: "new", oldSecret: "old", oldSecretUntil: until };
    expect(liveSecrets(stored, until.getTime() - 1)).toEqual(["new", "old"]);
    expect(liveSecrets(stored, until.getTime())).toEqual(["new"]);
    expect(liveSecrets({ ...stored, oldSecret: null, oldSecretUntil: null }, 0)).toEqual(["new"]);
  });
});
