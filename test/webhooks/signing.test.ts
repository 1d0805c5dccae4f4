import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { isSecret, liveSecrets, makeSecret, signRequest } from "../../src/webhooks/signing.ts";

const withOctets = (count: number) => `whsec_${Buffer.alloc(count, 7).toString("base64")}`;

describe("secrets of endpoints", () => {
  it("are made of 32 random octets", () => {
    const made = Array.from({ length: 100 }, makeSecret);
    expect(new Set(made).size).toBe(100);
    expect(made.every((secret) => isSecret(secret) && secret.length === withOctets(32).length)).toBe(true);
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

const body = '{"type":"message.sent","data":{"content":"سلام 🙂"}}';
const id = "01a1fa75-8000-7000-8000-000000000001";

function headersOf(secrets: readonly string[], timestamp = Math.floor(Date.now() / 1000)): Record<string, string> {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signRequest({ id, timestamp, body }, secrets),
  };
}

describe("signature", () => {
  it("is what the reference library makes", () => {
    const secret = makeSecret();
    const at = new Date("2026-11-22T10:00:00Z");
    const ours = signRequest({ id, timestamp: at.getTime() / 1000, body }, [secret]);
    expect(ours).toBe(new Webhook(secret).sign(id, at, body));
  });

  it("is one for each secret, with a blank between, and each verifies", () => {
    const [fresh, old] = [makeSecret(), makeSecret()];
    const headers = headersOf([fresh, old]);
    expect(headers["webhook-signature"]).toMatch(/^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/);
    expect(headers["webhook-signature"]?.split(" ")[0]).toBe(headersOf([fresh])["webhook-signature"]);
    for (const secret of [fresh, old]) expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
  });
});
