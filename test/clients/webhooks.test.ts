// Verification of webhooks, with requests signed by the reference library.
import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { verifyWebhook, WebhookVerificationError, type WebhookHeaders } from "../../clients/typescript/src/index.ts";

const newSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;
const secret = newSecret();
const now = new Date("2026-11-21T08:30:01Z");
const webhookId = "01a1fa75-6310-7000-bbee-9570117c4f6c";
const event = {
  type: "message.received",
  timestamp: "2026-11-21T08:30:00.123Z",
  data: {
    receivedMessageId: "01a1fa75-7000-7000-8000-000000000001",
    senderNumber: "989121234567",
    recipientNumber: "10001234",
    content: "لغو ۱۱",
    receivedTimestamp: 1_795_203_400,
  },
};

interface Signed {
  readonly body: string;
  readonly headers: Record<string, string>;
}

function signed(value: unknown, { by = [secret], at = now } = {}): Signed {
  const body = typeof value === "string" ? value : JSON.stringify(value);
  const signatures = by.map((one) => new Webhook(one).sign(webhookId, at, body));
  return {
    body,
    headers: {
      "webhook-id": webhookId,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": signatures.join(" "),
    },
  };
}

function faultOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.fault;
    throw error;
  }
  return "none";
}

describe("verifyWebhook", () => {
  it("gives the event of a request, with its id", () => {
    const delivery = verifyWebhook(signed(event), secret, { now });
    expect(delivery).toEqual({
      webhookId,
      sentAt: new Date("2026-11-21T08:30:01Z"),
      events: [{ id: webhookId, ...event }],
    });
  });

  it("gives the events of a batch, with their ids", () => {
    const events = ["a", "b"].map((id) => ({ id, ...event }));
    const batch = { type: "batch", timestamp: event.timestamp, data: { events } };
    expect(verifyWebhook(signed(batch), secret, { now }).events).toEqual(events);
  });

  it("reads octets, and headers of every kind", () => {
    const { body, headers } = signed(event);
    const kinds: WebhookHeaders[] = [
      new Headers(headers),
      headers,
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]])),
    ];
    for (const each of kinds)
      expect(verifyWebhook({ body: Buffer.from(body), headers: each }, secret, { now }).events).toHaveLength(1);
  });

  it("takes the new secret and the one before, whichever signed", () => {
    const other = newSecret();
    for (const by of [[secret], [other], [secret, other], [other, secret]])
      expect(verifyWebhook(signed(event, { by }), [secret, other], { now }).events).toHaveLength(1);
    expect(verifyWebhook(signed(event, { by: [other, secret] }), secret, { now }).events).toHaveLength(1);
    expect(faultOf(() => verifyWebhook(signed(event, { by: [other] }), secret, { now }))).toBe("signature");
  });

  it("refuses what was changed on the way", () => {
    const { body, headers } = signed(event);
    const altered: Signed[] = [
      { body: `${body} `, headers },
      { body: body.replace("989121234567", "989121234568"), headers },
      { body, headers: { ...headers, "webhook-id": "another" } },
      { body, headers: { ...headers, "webhook-timestamp": String(now.getTime() / 1000 + 1) } },
      { body, headers: { ...headers, "webhook-signature": "v1," } },
      { body, headers: { ...headers, "webhook-signature": `v2${headers["webhook-signature"]?.slice(2) ?? ""}` } },
      { body, headers: { ...headers, "webhook-signature": headers["webhook-signature"]?.slice(0, -8) ?? "" } },
    ];
    expect(altered.map((one) => faultOf(() => verifyWebhook(one, secret, { now })))).toEqual(
      altered.map(() => "signature"),
    );
  });

  it("refuses what is not of now, in either direction", () => {
    const faultAt = (seconds: number, toleranceSeconds?: number): string => {
      const at = new Date(now.getTime() + seconds * 1000);
      return faultOf(() => verifyWebhook(signed(event, { at }), secret, { now, toleranceSeconds }));
    };
    expect([-300, 300].map((each) => faultAt(each))).toEqual(["none", "none"]);
    expect([-301, 301].map((each) => faultAt(each))).toEqual(["timestamp", "timestamp"]);
    expect([faultAt(-11, 10), faultAt(-10, 10)]).toEqual(["timestamp", "none"]);
    const { body, headers } = signed(event);
    for (const bad of ["", "now", "1e9", "-1", "9".repeat(40)])
      expect(faultOf(() => verifyWebhook({ body, headers: { ...headers, "webhook-timestamp": bad } }, secret))).toMatch(
        /timestamp|headers/,
      );
  });

  it("refuses a request that lacks a header, or has one twice", () => {
    for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
      const { body, headers } = signed(event);
      const { [name]: value = "", ...rest } = headers;
      expect(faultOf(() => verifyWebhook({ body, headers: rest }, secret, { now }))).toBe("headers");
      const doubled = { ...rest, [name]: [value, value] };
      expect(faultOf(() => verifyWebhook({ body, headers: doubled }, secret, { now }))).toBe("headers");
    }
  });

  it("refuses secrets that are none, before it looks at the request", () => {
    for (const bad of ["", "whsec_", "whsec_not base64!", []] as const)
      expect(faultOf(() => verifyWebhook(signed(event), bad, { now }))).toBe("secret");
  });

  it("refuses a signed body that is not an event", () => {
    const batchOf = (events: unknown): object => ({ type: "batch", timestamp: "t", data: { events } });
    const bodies = ["", "null", "[]", "{", '{"type":"x"}', batchOf(null), batchOf([null]), batchOf([{ id: 1 }])];
    expect(bodies.map((one) => faultOf(() => verifyWebhook(signed(one), secret, { now })))).toEqual(
      bodies.map(() => "body"),
    );
  });
});
