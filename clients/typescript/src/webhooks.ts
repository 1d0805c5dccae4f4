// Verifies what the gateway posts to an endpoint: Standard Webhooks 1.0, single events and batches.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { MessageState, ReceivedMessage } from "./api-types.ts";
import { WebhookVerificationError } from "./errors.ts";

/** What each type of event tells. */
export interface WebhookEventData {
  "message.sent": MessageState;
  "message.delivered": MessageState;
  "message.undelivered": MessageState;
  "message.failed": MessageState;
  /** No receipt came in time (1301). */
  "message.unreported": MessageState;
  "message.received": ReceivedMessage;
  "recipient.optedOut": OptOut;
  "recipient.optedIn": OptOut;
  "credit.low": { readonly balance: string; readonly currency: string; readonly lowCredit: string };
  "template.decided": { readonly templateId: string; readonly approved: boolean };
  "endpoint.disabled": {
    readonly endpointId: string;
    readonly name: string;
    readonly disabledReason: string;
  };
  "webhook.test": { readonly endpointId: string };
}

/** An entry of a line's list of numbers that want no messages from it. */
export interface OptOut {
  readonly lineNumber: string;
  readonly recipientNumber: string;
  readonly how: "message" | "api" | "staff" | "import";
  readonly createdTimestamp: number;
}

export type WebhookEventType = keyof WebhookEventData;

/** `type` decides what `data` is. A newer gateway may send types that are not listed here. */
export type WebhookEvent = {
  readonly [Type in WebhookEventType]: {
    /** The same at every try, endpoint and replay: by it repetitions are known. */
    readonly id: string;
    readonly type: Type;
    /** When it happened, ISO 8601. */
    readonly timestamp: string;
    readonly data: WebhookEventData[Type];
  };
}[WebhookEventType];

/** A request that was verified. */
export interface WebhookDelivery {
  /** Of the request. Of a batch, not the id of any event. */
  readonly webhookId: string;
  /** When the gateway sent it. */
  readonly sentAt: Date;
  /** One, or those of a batch. */
  readonly events: readonly WebhookEvent[];
}

/** `Headers`, the `headers` of Node's requests, or any object of this kind. */
export type WebhookHeaders = HeadersWithGet | Readonly<Record<string, string | readonly string[] | undefined>>;

interface HeadersWithGet {
  get(name: string): string | null;
}

export interface WebhookRequest {
  /** The octets as they came, before any JSON is read: others have another signature. */
  readonly body: string | Uint8Array;
  readonly headers: WebhookHeaders;
}

export interface VerificationOptions {
  /** How far the time of the request may be from now. Default 300. */
  readonly toleranceSeconds?: number | undefined;
  readonly now?: Date | undefined;
}

const defaultToleranceSeconds = 300;
/** The gateway signs with two secrets at most. */
const mostSignatures = 16;

/**
 * Throws `WebhookVerificationError` unless the request is signed with one of the secrets
 * (`whsec_…`), and is of now.
 */
export function verifyWebhook(
  { body, headers }: WebhookRequest,
  secrets: string | readonly string[],
  { toleranceSeconds = defaultToleranceSeconds, now = new Date() }: VerificationOptions = {},
): WebhookDelivery {
  const keys = (typeof secrets === "string" ? [secrets] : secrets).map(keyOf);
  if (keys.length === 0) throw new WebhookVerificationError("secret", "no secret is given");
  const webhookId = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const signatures = headerOf(headers, "webhook-signature");
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookVerificationError("timestamp", "webhook-timestamp is not in Unix seconds");
  const sentAt = new Date(Number(timestamp) * 1000);
  if (Math.abs(now.getTime() - sentAt.getTime()) > toleranceSeconds * 1000)
    throw new WebhookVerificationError("timestamp", `the request is not of the last ${toleranceSeconds} s`);
  if (!isSigned(`${webhookId}.${timestamp}.`, body, keys, signatures))
    throw new WebhookVerificationError("signature", "no signature matches the body and a secret");
  return { webhookId, sentAt, events: eventsOf(webhookId, body) };
}

function keyOf(secret: string): Buffer {
  const base64 = secret.replace(/^whsec_/, "");
  const key = Buffer.from(base64, "base64");
  // Node skips what is not base64.
  if (key.length === 0 || key.toString("base64").replace(/=+$/, "") !== base64.replace(/=+$/, ""))
    throw new WebhookVerificationError("secret", "a secret is whsec_ and base64");
  return key;
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const [value, ...more] = hasGet(headers)
    ? [headers.get(name)]
    : Object.entries(headers).flatMap(([key, one]) => (key.toLowerCase() === name ? one : []));
  if (typeof value !== "string" || value === "" || more.length > 0)
    throw new WebhookVerificationError("headers", `the request has not one header ${name}`);
  return value;
}

function hasGet(headers: WebhookHeaders): headers is HeadersWithGet {
  return typeof headers["get"] === "function";
}

/** Compares every signature with every key, in constant time each. */
function isSigned(prefix: string, body: string | Uint8Array, keys: readonly Buffer[], header: string): boolean {
  const given = header
    .split(" ", mostSignatures)
    .filter((one) => one.startsWith("v1,"))
    .map((one) => Buffer.from(one.slice("v1,".length), "base64"));
  const expected = keys.map((key) => createHmac("sha256", key).update(prefix).update(body).digest());
  const fits = expected.flatMap((one) =>
    given.map((other) => one.length === other.length && timingSafeEqual(one, other)),
  );
  return fits.includes(true);
}

function eventsOf(webhookId: string, body: string | Uint8Array): readonly WebhookEvent[] {
  const envelope = readEnvelope(typeof body === "string" ? body : Buffer.from(body).toString("utf8"));
  if (envelope.type !== "batch") return [eventOf({ id: webhookId, ...envelope })];
  const { events } = envelope.data as { events?: unknown };
  if (!Array.isArray(events)) throw notAnEvent();
  return events.map(eventOf);
}

function readEnvelope(text: string): { type?: unknown; data: object } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw notAnEvent();
  }
  if (!isObject(value) || !isObject(value["data"])) throw notAnEvent();
  return { ...value, data: value["data"] };
}

function eventOf(value: unknown): WebhookEvent {
  if (!isObject(value) || !isObject(value["data"])) throw notAnEvent();
  if (![value["id"], value["type"], value["timestamp"]].every((one) => typeof one === "string")) throw notAnEvent();
  // The shape of `data` is the gateway's word, and it has signed it.
  return value as unknown as WebhookEvent;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function notAnEvent(): WebhookVerificationError {
  return new WebhookVerificationError("body", "the body is signed, but is not an event");
}
