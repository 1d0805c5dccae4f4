// The methods of the gateway. Each is one call; `received`, `events`, `optOuts` and `attempts` read
// a list to its end, and `waitForFinal` looks until nothing changes any more.
import { randomUUID } from "node:crypto";
import type { MessageState, Operations, ReceivedMessage, UnknownMessage } from "./api-types.ts";
import { CursorReader, type CursorReaderOptions } from "./cursor-reader.ts";
import { WaitTimeoutError } from "./errors.ts";
import { Deadline, pause } from "./pause.ts";
import { Transport, type CallOptions, type ClientOptions } from "./transport.ts";
import type { OptOut, WebhookEvent, WebhookEventType } from "./webhooks.ts";

type Body<Name extends keyof Operations> = Operations[Name] extends { readonly body: infer Given } ? Given : never;
type Answer<Name extends keyof Operations> = Operations[Name]["answer"];

export interface SendOptions extends CallOptions {
  /**
   * Identifies this send, for example by the number of an order: up to 255 ASCII characters. A
   * repetition within 24 hours sends nothing and gets the first answer. Default: a random key for
   * the tries of this call.
   */
  readonly idempotencyKey?: string | undefined;
}

export interface PageOptions extends CallOptions {
  /** 1 to 100. */
  readonly count?: number | undefined;
}

export interface ReadOptions extends PageOptions, CursorReaderOptions {}

export interface EventOptions extends PageOptions {
  /** Only these. Absent: all. */
  readonly types?: readonly Exclude<WebhookEventType, "webhook.test">[] | undefined;
}

/** Of a list whose end has nothing new to look for. */
export interface ListOptions extends PageOptions {
  /** Where to begin: a `cursor` that was kept. Absent: at the first. */
  readonly after?: string | undefined;
}

export interface OptOutOptions extends ListOptions {
  /** Of one line alone, or of one number. */
  readonly line?: string | undefined;
  readonly number?: string | undefined;
}

export type Endpoint = Answer<"getEndpoint">;
export type EndpointAttempt = Answer<"listEndpointAttempts">["attempts"][number];

/** What to send again: events by their ids, or those of a period. `to` itself is not included. */
export type Replay = { readonly eventIds: readonly string[] } | { readonly from: number; readonly to: number };

export interface WaitOptions extends CallOptions {
  /** How long to wait in all. Default: 10 minutes. */
  readonly waitMs?: number | undefined;
  /** Pause before the second look; later ones grow to ten times of it. Default 1,000. */
  readonly pollMs?: number | undefined;
}

const defaultWaitMs = 600_000;
const defaultPollMs = 1000;

export class HodhodClient {
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
  }

  /** Sends one text. */
  send(message: Body<"sendMessage">, options?: SendOptions): Promise<Answer<"sendMessage">> {
    return this.#send("messages/send", message, options);
  }

  /** Sends one message of an approved template. */
  sendTemplate(message: Body<"sendTemplateMessage">, options?: SendOptions): Promise<Answer<"sendTemplateMessage">> {
    return this.#send("messages/send/template", message, options);
  }

  /** Sends up to 100 messages. Look at each: those that were refused have `errorCode` and no id. */
  sendBulk(messages: Body<"sendBulk">, options?: SendOptions): Promise<Answer<"sendBulk">> {
    return this.#send("messages/send/bulk", messages, options);
  }

  /** What a send would answer, with the encoding of each text. Sends and charges nothing. */
  preview(body: Body<"previewMessages">, options?: CallOptions): Promise<Answer<"previewMessages">> {
    return this.#transport.call({ method: "POST", path: "messages/preview", body, repeat: "yes", options });
  }

  /** The present state of all messages of a batch. */
  status(batchId: string, options?: CallOptions): Promise<Answer<"getBatchStatus">> {
    return this.#get(`messages/status/${encodeURIComponent(batchId)}`, {}, options);
  }

  /** The present state of 1 to 100 messages. Unknown ones have errorCode 1106. */
  async statusOf(
    sentMessageIds: readonly string[],
    options?: CallOptions,
  ): Promise<readonly (MessageState | UnknownMessage)[]> {
    const { messages } = await this.#transport.call<Answer<"findMessageStatus">>({
      method: "POST",
      path: "messages/status",
      body: { sentMessageIds },
      repeat: "yes",
      options,
    });
    return messages;
  }

  /** Until 30 seconds before its time. */
  cancelScheduled(batchId: string, options?: CallOptions): Promise<Answer<"cancelScheduled">> {
    const path = `messages/send/scheduled/${encodeURIComponent(batchId)}`;
    return this.#transport.call({ method: "DELETE", path, repeat: "refused", options });
  }

  balance(options?: CallOptions): Promise<Answer<"getBalance">> {
    return this.#get("account/balance", {}, options);
  }

  /** The newest messages of subscribers, newest first. */
  async recentReceived({ count, ...options }: PageOptions = {}): Promise<readonly ReceivedMessage[]> {
    const { messages } = await this.#get<Answer<"listRecentReceived">>("messages/received/recent", { count }, options);
    return messages;
  }

  /** One page of the messages of subscribers, oldest first. */
  receivedPage(after?: string, { count, ...options }: PageOptions = {}): Promise<Answer<"listReceived">> {
    return this.#get("messages/received", { after, count }, options);
  }

  /** Every message of subscribers, oldest first, for `for await`. */
  received(options: ReadOptions = {}): CursorReader<ReceivedMessage> {
    return new CursorReader(async (after) => {
      const { messages, nextCursor } = await this.receivedPage(after, options);
      return { items: messages, nextCursor };
    }, options);
  }

  /** One page of the account's events, oldest first. */
  async eventsPage(
    after?: string,
    { count, types, ...options }: EventOptions = {},
  ): Promise<{ readonly events: readonly WebhookEvent[]; readonly nextCursor: string }> {
    const page = await this.#get<Answer<"listEvents">>("webhooks/events", { after, count, type: types }, options);
    // The description of the API tells `data` of all types at once; webhooks have the same.
    return { ...page, events: page.events as unknown as readonly WebhookEvent[] };
  }

  /**
   * Every event of the account, oldest first, for `for await`. From the first call on all types are
   * kept.
   */
  events(options: EventOptions & CursorReaderOptions = {}): CursorReader<WebhookEvent> {
    return new CursorReader(async (after) => {
      const { events, nextCursor } = await this.eventsPage(after, options);
      return { items: events, nextCursor };
    }, options);
  }

  /** The endpoints of webhooks, in the order of their making. */
  async endpoints(options?: CallOptions): Promise<readonly Endpoint[]> {
    return (await this.#get<Answer<"listEndpoints">>("webhooks/endpoints", {}, options)).endpoints;
  }

  endpoint(endpointId: string, options?: CallOptions): Promise<Endpoint> {
    return this.#get(endpointPath(endpointId), {}, options);
  }

  /** The answer has the secret that signs: keep it, because no other answer shows it. */
  createEndpoint(endpoint: Body<"createEndpoint">, options?: CallOptions): Promise<Answer<"createEndpoint">> {
    const call = { method: "POST", path: "webhooks/endpoints", body: endpoint, repeat: "refused", options } as const;
    return this.#transport.call(call);
  }

  /** The change counts from the next try on, also for events that wait already. */
  changeEndpoint(endpointId: string, body: Body<"changeEndpoint">, options?: CallOptions): Promise<Endpoint> {
    const path = endpointPath(endpointId);
    return this.#transport.call({ method: "PATCH", path, body, repeat: "refused", options });
  }

  /** Events that wait for the endpoint are dropped. */
  deleteEndpoint(endpointId: string, options?: CallOptions): Promise<Answer<"deleteEndpoint">> {
    const path = endpointPath(endpointId);
    return this.#transport.call({ method: "DELETE", path, repeat: "refused", options });
  }

  /** The previous secret also signs for another 24 hours. */
  async renewEndpointSecret(
    endpointId: string,
    body: Body<"renewEndpointSecret"> = {},
    options?: CallOptions,
  ): Promise<string> {
    const path = `${endpointPath(endpointId)}/secret`;
    const call = { method: "POST", path, body, repeat: "refused", options } as const;
    return (await this.#transport.call<Answer<"renewEndpointSecret">>(call)).secret;
  }

  /** Sends `webhook.test` once, and tells what became of it. */
  testEndpoint(endpointId: string, options?: CallOptions): Promise<Answer<"testEndpoint">> {
    const path = `${endpointPath(endpointId)}/test`;
    return this.#transport.call({ method: "POST", path, body: {}, repeat: "refused", options });
  }

  /** The requests to an endpoint that are kept, newest first, for `for await`. */
  attempts(endpointId: string, { count, after: begin, ...options }: ListOptions = {}): CursorReader<EndpointAttempt> {
    return new CursorReader(
      async (after) => {
        const path = `${endpointPath(endpointId)}/attempts`;
        const page = await this.#get<Answer<"listEndpointAttempts">>(path, { after, count }, options);
        return { items: page.attempts, nextCursor: page.nextCursor };
      },
      { after: begin },
    );
  }

  /** Answers how many events are sent again. `ConflictError`: one replay is under way. */
  async replay(endpointId: string, body: Replay, options?: CallOptions): Promise<number> {
    const path = `${endpointPath(endpointId)}/replay`;
    const call = { method: "POST", path, body, repeat: "refused", options } as const;
    return (await this.#transport.call<Answer<"replayEvents">>(call)).replayedCount;
  }

  /** Who opted out of the account's lines, for `for await`. */
  optOuts({ line, number, count, after: begin, ...options }: OptOutOptions = {}): CursorReader<OptOut> {
    return new CursorReader(
      async (after) => {
        const page = await this.#get<Answer<"listOptOuts">>("opt-outs", { line, number, after, count }, options);
        return { items: page.optOuts, nextCursor: page.nextCursor };
      },
      { after: begin },
    );
  }

  /** From then on this account sends nothing from the line to the number. */
  putOptOut(line: string, number: string, options?: CallOptions): Promise<OptOut> {
    return this.#transport.call({ method: "PUT", path: optOutPath(line, number), repeat: "yes", options });
  }

  /** Removes only entries of this account. For others it throws `PermissionDeniedError`. */
  removeOptOut(line: string, number: string, options?: CallOptions): Promise<Answer<"deleteOptOut">> {
    return this.#transport.call({ method: "DELETE", path: optOutPath(line, number), repeat: "yes", options });
  }

  /**
   * Looks at a batch until no message of it changes any more, apart from a receipt that comes late
   * (1301, 1302). Throws `WaitTimeoutError` when the time is over.
   */
  async waitForFinal(batchId: string, options: WaitOptions = {}): Promise<readonly MessageState[]> {
    const { waitMs = defaultWaitMs, pollMs = defaultPollMs, signal, ...rest } = options;
    const deadline = new Deadline(waitMs, signal);
    const { signal: ending } = deadline;
    try {
      for (let pauseMs = pollMs; ; pauseMs = Math.min(pauseMs * 1.5, pollMs * 10)) {
        const { messages } = await this.status(batchId, { ...rest, signal: ending });
        if (messages.every(isFinal)) return messages;
        await pause(pauseMs, ending);
      }
    } catch (error) {
      if (deadline.isOver) throw new WaitTimeoutError(`not all messages are final after ${waitMs} ms`);
      throw error;
    } finally {
      deadline.release();
    }
  }

  #send<Answered>(path: string, body: object, { idempotencyKey, ...options }: SendOptions = {}): Promise<Answered> {
    const call = { method: "POST", path, body, repeat: "yes", options } as const;
    return this.#transport.call({ ...call, idempotencyKey: idempotencyKey ?? randomUUID() });
  }

  #get<Answered>(
    path: string,
    query: Readonly<Record<string, string | number | readonly string[] | undefined>>,
    options: CallOptions | undefined,
  ): Promise<Answered> {
    return this.#transport.call({ method: "GET", path, query, repeat: "yes", options });
  }
}

function endpointPath(endpointId: string): string {
  return `webhooks/endpoints/${encodeURIComponent(endpointId)}`;
}

function optOutPath(line: string, number: string): string {
  return `opt-outs/${encodeURIComponent(line)}/${encodeURIComponent(number)}`;
}

/** Whether only a late receipt may still change it. */
export function isFinal({ messageStatus, finalTimestamp }: MessageState): boolean {
  return messageStatus >= 2 || finalTimestamp !== undefined;
}
