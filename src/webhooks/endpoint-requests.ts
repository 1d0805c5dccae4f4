// Makes requests of events: a single event, or a batch of bounded size. Pure.
import { eventJson, singleEventJson, type ToldEvent } from "../events/tell-events.ts";
import { batchRequestId } from "./request-id.ts";

/** Octets of a body. An event that is larger alone goes alone. */
const mostBodyOctets = 256 << 10;

/** What is known of an event while its request is under way; its text is in the body alone. */
export type SentEvent = Pick<ToldEvent, "id" | "position" | "timestamp">;

export interface EndpointRequest {
  /** The header webhook-id. */
  readonly id: string;
  /** UTF-8. Octets: they take a fifth of the memory of the text that they are made of. */
  readonly body: Uint8Array;
  /** In their order. */
  readonly events: readonly SentEvent[];
}

const sentEvent = ({ id, position, timestamp }: ToldEvent): SentEvent => ({ id, position, timestamp });

/**
 * The events in their order, as an endpoint with that `batchSize` gets them. `isWhole`: they were
 * one request before, and stay one.
 */
export function composeRequests(
  events: readonly ToldEvent[],
  { batchSize, now, isWhole = false }: { batchSize: number; now: Date; isWhole?: boolean },
): readonly EndpointRequest[] {
  if (batchSize === 1)
    return events.map((event) => ({
      id: event.id,
      body: Buffer.from(singleEventJson(event)),
      events: [sentEvent(event)],
    }));
  const head = `{"type":"batch","timestamp":"${now.toISOString()}","data":{"events":[`;
  const tail = "]}}";
  const requests: EndpointRequest[] = [];
  let taken: SentEvent[] = [];
  let texts: string[] = [];
  let octets = 0;
  const close = (): void => {
    if (taken.length === 0) return;
    requests.push({
      id: batchRequestId(taken.map(({ id }) => id)),
      body: Buffer.from(head + texts.join(",") + tail),
      events: taken,
    });
    [taken, texts, octets] = [[], [], 0];
  };
  for (const event of events) {
    const text = eventJson(event);
    const length = Buffer.byteLength(text) + 1;
    const isFull = taken.length === batchSize || octets + length > mostBodyOctets - head.length - tail.length;
    if (isFull && !isWhole) close();
    taken.push(sentEvent(event));
    texts.push(text);
    octets += length;
  }
  close();
  return requests;
}

/** The ids of a request's events as requests of a smaller `batchSize`, under their first ids. */
export function divideEvents(
  eventIds: readonly string[],
  batchSize: number,
): readonly { readonly requestId: string; readonly eventIds: readonly string[] }[] {
  if (batchSize === 1) return eventIds.map((id) => ({ requestId: id, eventIds: [id] }));
  const count = Math.ceil(eventIds.length / batchSize);
  return Array.from({ length: count }, (_, index) => {
    const some = eventIds.slice(index * batchSize, (index + 1) * batchSize);
    return { requestId: batchRequestId(some), eventIds: some };
  });
}
