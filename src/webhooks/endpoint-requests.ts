// Makes requests of events: a single event, or a batch of bounded size. Pure.
import { eventJson, singleEventJson, type ToldEvent } from "../events/tell-events.ts";
import { batchRequestId } from "./request-id.ts";

/** Octets of a body. An event that is larger alone goes alone. */
const mostBodyOctets = 256 << 10;

export interface EndpointRequest {
  /** The header webhook-id. */
  readonly id: string;
  readonly body: string;
  /** In their order. */
  readonly events: readonly ToldEvent[];
}

/**
 * The events in their order, as an endpoint with that `batchSize` gets them. `isWhole`: they were
 * one request before, and stay one.
 */
export function composeRequests(
  events: readonly ToldEvent[],
  { batchSize, now, isWhole = false }: { batchSize: number; now: Date; isWhole?: boolean },
): readonly EndpointRequest[] {
  if (batchSize === 1) return events.map((event) => ({ id: event.id, body: singleEventJson(event), events: [event] }));
  const head = `{"type":"batch","timestamp":"${now.toISOString()}","data":{"events":[`;
  const tail = "]}}";
  const requests: EndpointRequest[] = [];
  let taken: ToldEvent[] = [];
  let texts: string[] = [];
  let octets = 0;
  const close = (): void => {
    if (taken.length === 0) return;
    requests.push({
      id: batchRequestId(taken.map(({ id }) => id)),
      body: head + texts.join(",") + tail,
      events: taken,
    });
    [taken, texts, octets] = [[], [], 0];
  };
  for (const event of events) {
    const text = eventJson(event);
    const length = Buffer.byteLength(text) + 1;
    const isFull = taken.length === batchSize || octets + length > mostBodyOctets - head.length - tail.length;
    if (isFull && !isWhole) close();
    taken.push(event);
    texts.push(text);
    octets += length;
  }
  close();
  return requests;
}
