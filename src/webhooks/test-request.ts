// The request of webhook.test: in a batch, if the endpoint takes batches. Pure.
import { testEvent } from "../sms/event-types.ts";
import { batchRequestId } from "./request-id.ts";
import type { RequestToPost } from "./request-poster.ts";
import { liveSecrets, type StoredSecrets } from "./secret.ts";

export interface TestedEndpoint extends StoredSecrets {
  readonly id: string;
  readonly url: string;
  readonly batchSize: number;
}

/** `eventId`: a new one. */
export function testRequest(endpoint: TestedEndpoint, eventId: string, nowMs: number): RequestToPost {
  const timestamp = new Date(nowMs).toISOString();
  const event = { type: testEvent, timestamp, data: { endpointId: endpoint.id } };
  const isBatch = endpoint.batchSize > 1;
  const told = isBatch ? { type: "batch", timestamp, data: { events: [{ id: eventId, ...event }] } } : event;
  return {
    url: endpoint.url,
    id: isBatch ? batchRequestId([eventId]) : eventId,
    body: JSON.stringify(told),
    secrets: liveSecrets(endpoint, nowMs),
  };
}
