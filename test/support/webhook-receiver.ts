// A receiver of webhooks on loopback, which answers as it is told and keeps what it got.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { eventually } from "./factories.ts";

export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly atMs: number;
  /** In their order: one, or those of a batch. */
  readonly events: readonly ReceivedEvent[];
}

/** Undefined: 204 at once. */
export type AnswerOfReceiver = (
  request: ReceivedRequest,
  response: ServerResponse,
) => number | undefined | Promise<number | undefined>;

export interface WebhookReceiver {
  readonly url: string;
  readonly requests: ReceivedRequest[];
  /** Of requests that were answered with 204. */
  readonly events: ReceivedEvent[];
  /** Requests that had no answer at a time. */
  readonly mostAtOnce: number;
  answer: AnswerOfReceiver;
  /** Until so many events were taken. */
  received(count: number): Promise<readonly ReceivedEvent[]>;
  asked(count: number): Promise<readonly ReceivedRequest[]>;
  close(): Promise<void>;
}

export const receiverSecret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

export async function startReceiver(secret: string = receiverSecret): Promise<WebhookReceiver> {
  const webhook = new Webhook(secret);
  const counts = { open: 0, most: 0 };
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    counts.most = Math.max(counts.most, (counts.open += 1));
    response.on("close", () => (counts.open -= 1));
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => void take(incoming.headers, Buffer.concat(chunks).toString(), response));
  });
  const take = async (headers: IncomingHttpHeaders, body: string, response: ServerResponse): Promise<void> => {
    // Throws for a signature that is wrong; the headers are all texts.
    webhook.verify(body, headers as Record<string, string>);
    const request = { headers, body, atMs: Date.now(), events: eventsOf(headers, body) };
    receiver.requests.push(request);
    const status = await receiver.answer(request, response);
    if (status === undefined) receiver.events.push(...request.events);
    if (!response.headersSent && !response.destroyed) response.writeHead(status ?? 204).end();
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${port}/hook`,
    requests: [],
    events: [],
    get mostAtOnce() {
      return counts.most;
    },
    answer: () => undefined,
    received: async (count) => {
      await eventually(() => receiver.events.length >= count);
      return receiver.events;
    },
    asked: async (count) => {
      await eventually(() => receiver.requests.length >= count);
      return receiver.requests;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

function eventsOf(headers: IncomingHttpHeaders, body: string): readonly ReceivedEvent[] {
  const parsed = JSON.parse(body) as ReceivedEvent;
  if (parsed.type === "batch") return (parsed.data as unknown as { events: readonly ReceivedEvent[] }).events;
  return [{ ...parsed, id: String(headers["webhook-id"]) }];
}
