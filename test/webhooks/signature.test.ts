import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { makeSecret } from "../../src/webhooks/secret.ts";
import { signRequest } from "../../src/webhooks/signature.ts";

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

  it("does not verify with another secret, another body or another id", () => {
    const secret = makeSecret();
    const headers = headersOf([secret]);
    expect(() => new Webhook(makeSecret()).verify(body, headers)).toThrow();
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
    expect(() => new Webhook(secret).verify(body, { ...headers, "webhook-id": "x" })).toThrow();
  });
});
