// Makes requests of events: a single event, or a batch of bounded size. Pure.
import { createHash } from "node:crypto";
import { testEvent } from "../sms/event-types.ts";
import { type CustomerEvent, eventJson, singleEventJson } from "../events/event-json.ts";
import type { RequestToPost } from "./request-poster.ts";
import { liveSecrets, type StoredSecrets } from "./signing.ts";

/** Octets of a body. An event that is larger alone goes alone. */
const mostBodyOctets = 256 << 10;

export interface EventRequest {
  /** The header webhook-id. */
  readonly id: string;
  readonly body: string;
  /** In their order. */
  readonly events: readonly CustomerEvent[];
}

/** The events in their order, as an endpoint with that `batchSize` gets them. */
export function composeRequests(
  events: readonly CustomerEvent[],
  { batchSize, now }: { batchSize: number; now: Date },
): readonly EventRequest[] {
  if (batchSize === 1) return events.map((event) => ({ id: event.id, body: singleEventJson(event), events: [event] }));
  const requests: EventRequest[] = [];
  let taken: CustomerEvent[] = [];
  let octets = 0;
  for (const event of events) {
    const length = Buffer.byteLength(eventJson(event)) + 1;
    if (taken.length > 0 && (taken.length === batchSize || octets + length > mostBodyOctets - envelopeOctets)) {
      requests.push(composeBatch(taken, now));
      [taken, octets] = [[], 0];
    }
    taken.push(event);
    octets += length;
  }
  return taken.length === 0 ? requests : [...requests, composeBatch(taken, now)];
}

const batchJson = (events: readonly string[], now: Date): string =>
  `{"type":"batch","timestamp":"${now.toISOString()}","data":{"events":[${events.join(",")}]}}`;
const envelopeOctets = batchJson([], new Date()).length;

/** One request, however large. */
export function composeBatch(events: readonly CustomerEvent[], now: Date): EventRequest {
  return { id: batchId(events.map(({ id }) => id)), body: batchJson(events.map(eventJson), now), events };
}

/**
 * The webhook-id of a batch: a UUID (version 8, RFC 9562 §5.8) made of the ids of its events in
 * their order, so that the same batch has the same id at every try.
 */
export function batchId(eventIds: readonly string[]): string {
  const hash = createHash("sha256").update(eventIds.join(" ")).digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x80, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString("hex", 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export interface TestedEndpoint extends StoredSecrets {
  readonly id: string;
  readonly url: string;
  readonly batchSize: number;
}

/** The request of webhook.test: in a batch, if the endpoint takes batches. `eventId`: a new one. */
export function testRequest(endpoint: TestedEndpoint, eventId: string, startedAt: Date): RequestToPost {
  const timestamp = startedAt.toISOString();
  const event = { type: testEvent, timestamp, data: { endpointId: endpoint.id } };
  const isBatch = endpoint.batchSize > 1;
  return {
    url: endpoint.url,
    id: isBatch ? batchId([eventId]) : eventId,
    body: isBatch ? batchJson([JSON.stringify({ id: eventId, ...event })], startedAt) : JSON.stringify(event),
    secrets: liveSecrets(endpoint, startedAt.getTime()),
    startedAt,
  };
}
