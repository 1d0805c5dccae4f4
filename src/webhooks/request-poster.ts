// Sends one request to an endpoint and says what became of it. Follows no redirect, uses no proxy,
// reads no more of an answer than it must, and never throws.
import type { Socket } from "node:net";
import type { Agent, buildConnector } from "undici";
import type { AddressRules } from "./address-rules.ts";
import { readRetryAfter } from "./retry-times.ts";
import { signRequest } from "./signing.ts";
import type { Resolve } from "./vetted-connector.ts";

/** From connecting to the end of the answer. */
const timeoutMs = 15_000;
/** Of an answer; then its connection is cut. */
const mostBodyOctets = 64 << 10;
/**
 * Of all that comes back for one request: heads, and what frames a body or stands before a head,
 * which no parser counts. More than the heads and the body that are taken.
 */
const mostAnswerOctets = 2 << 20;
/** From then on each request ends its connection: those of thousands of hosts fill the memory. */
const mostConnections = 1000;
/** Receivers and the proxies before them close idle connections after as little as 5 s. */
const keepAliveMs = 4_000;

export interface RequestPosterOptions {
  readonly rules: AddressRules;
  /** Of the product, for user-agent. */
  readonly version: string;
  readonly resolve?: Resolve;
  readonly ca?: string | undefined;
  /** For tests. */
  readonly timeoutMs?: number | undefined;
  readonly mostConnections?: number;
}

export interface RequestToPost {
  readonly url: string;
  /** The header webhook-id. */
  readonly id: string;
  readonly body: string | Uint8Array;
  /** They sign, in this order. */
  readonly secrets: readonly string[];
  /** Now, by the database's clock: this node's may be wrong. */
  readonly startedAt: Date;
}

/** Why a request failed; the texts are in request-texts.ts. */
export const postFailures = [
  "status",
  "redirect",
  "timeout",
  "address",
  "name",
  "certificate",
  "tls",
  "connection",
] as const;
export type PostFailure = (typeof postFailures)[number];

export interface PostOutcome {
  /** Absent: it succeeded. */
  readonly failure?: PostFailure;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly httpStatus?: number;
  readonly retryAfterMs?: number | undefined;
}

export class RequestPoster {
  readonly #options: RequestPosterOptions;
  readonly #timeoutMs: number;
  #agent: Promise<Agent> | undefined;
  #isClosed = false;
  #connections = 0;

  constructor(options: RequestPosterOptions) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? timeoutMs;
  }

  /**
   * With the first request: most gateways have no endpoint, and the HTTP client is a tenth of all that
   * one would load at its start.
   */
  async #openAgent(): Promise<Agent> {
    const [undici, { vettedConnector }] = await Promise.all([import("undici"), import("./vetted-connector.ts")]);
    const agent = new undici.Agent({
      connect: withBoundedAnswers(vettedConnector({ ...this.#options, timeoutMs: this.#timeoutMs })),
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: mostBodyOctets,
    });
    agent.on("connect", () => (this.#connections += 1));
    agent.on("disconnect", () => (this.#connections -= 1));
    return agent;
  }

  async post(given: RequestToPost): Promise<PostOutcome> {
    const { startedAt } = given;
    const begun = performance.now();
    // One clock for the whole request.
    const signal = AbortSignal.timeout(this.#timeoutMs);
    const outcome = await this.#exchange(given, signal).catch((error: unknown) => ({
      failure: signal.aborted ? ("timeout" as const) : failureOf(error),
    }));
    return { startedAt, durationMs: Math.round(performance.now() - begun), ...outcome };
  }

  async #exchange({ url, id, body, secrets, startedAt }: RequestToPost, signal: AbortSignal): Promise<Outcome> {
    const { origin, pathname, search } = new URL(url);
    const timestamp = Math.floor(startedAt.getTime() / 1000);
    if (this.#isClosed) throw new Error("the gateway ends");
    const { version, mostConnections: most = mostConnections } = this.#options;
    // What could not be loaded is tried again with the next request.
    this.#agent ??= this.#openAgent().catch((error: unknown) => {
      this.#agent = undefined;
      throw error;
    });
    const agent = await this.#agent;
    const answer = await agent.request({
      origin,
      path: pathname + search,
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": `Hodhod/${version}`,
        "webhook-id": id,
        "webhook-timestamp": String(timestamp),
        "webhook-signature": signRequest({ id, timestamp, body }, secrets),
      },
      body,
      signal,
      reset: this.#connections >= most,
    });
    // What comes after the head changes nothing.
    await answer.body.dump({ limit: mostBodyOctets }).catch(() => undefined);
    return outcomeOf(answer.statusCode, answer.headers["retry-after"], startedAt.getTime());
  }

  /** Cuts what is under way. What comes later fails. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#agent?.catch(() => undefined))?.destroy();
  }
}

/** Its connections end where an answer is longer than any that is read. */
function withBoundedAnswers(connect: buildConnector.connector): buildConnector.connector {
  return (options, done) => {
    connect(options, (...opened) => {
      const [, socket] = opened;
      // After an error undici leaves it out.
      if (socket) boundAnswers(socket);
      done(...opened);
    });
  };
}

function boundAnswers(socket: Socket): void {
  let [written, readBefore] = [0, 0];
  socket.on("readable", () => {
    // Another request was written: this is its answer.
    if (socket.bytesWritten !== written) [written, readBefore] = [socket.bytesWritten, socket.bytesRead];
    if (socket.bytesRead - readBefore > mostAnswerOctets) socket.destroy(new Error("the answer is too long"));
  });
}

type Outcome = Pick<PostOutcome, "failure" | "httpStatus" | "retryAfterMs">;

function outcomeOf(httpStatus: number, given: string | string[] | undefined, startedMs: number): Outcome {
  if (httpStatus >= 200 && httpStatus < 300) return { httpStatus };
  const isRedirect = httpStatus >= 300 && httpStatus < 400;
  const retryAfterMs = readRetryAfter(Array.isArray(given) ? given[0] : given, startedMs);
  return { httpStatus, failure: isRedirect ? "redirect" : "status", retryAfterMs };
}

const nameCodes: ReadonlySet<string> = new Set([
  ...["ENOTFOUND", "ENODATA", "ESERVFAIL", "EREFUSED", "ETIMEOUT", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA", "EBADNAME"],
]);

const certificateCode = /CERT|SELF_SIGNED|ISSUER|UNABLE_TO_VERIFY/;
/** Of what is no TLS, or none that both sides know. */
const tlsCode = /^ERR_(TLS|SSL|OSSL)|^EPROTO$/;

function failureOf(error: unknown): PostFailure {
  const errors = flatten(error);
  const codes = errors.map(({ code }) => code ?? "");
  if (codes.includes("ADDRESS_REFUSED")) return "address";
  if (codes.some((code) => nameCodes.has(code))) return "name";
  if (codes.some((code) => code === "UND_ERR_CONNECT_TIMEOUT" || code === "ETIMEDOUT")) return "timeout";
  if (codes.some((code) => certificateCode.test(code))) return "certificate";
  return codes.some((code) => tlsCode.test(code)) ? "tls" : "connection";
}

/** The error with its causes, and those of its parts. */
function flatten(error: unknown, depth = 0): readonly NodeJS.ErrnoException[] {
  if (!(error instanceof Error) || depth > 4) return [];
  const parts: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  return [error, ...flatten(error.cause, depth + 1), ...parts.flatMap((part) => flatten(part, depth + 1))];
}
