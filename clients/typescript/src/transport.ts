// One call to the gateway: authentication, tries with pauses between them, time limits, and the
// error that fits what came back.
import { randomInt } from "node:crypto";
import type { Operations } from "./api-types.ts";
import {
  ApiError,
  apiError,
  AuthenticationError,
  ConnectionError,
  HodhodError,
  RateLimitError,
  ServerError,
  TimeoutError,
  UnexpectedAnswerError,
} from "./errors.ts";
import { Deadline, orAborted, pause } from "./pause.ts";

export interface Credentials {
  readonly userName: string;
  readonly password: string;
  readonly domain: string;
}

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface ClientOptions {
  /** Address of the gateway, such as `https://sms.example.com`. */
  readonly baseUrl: string;
  /** Give this, or `credentials`. */
  readonly apiKey?: string | undefined;
  /** A token is fetched with them, and renewed when it ends. */
  readonly credentials?: Credentials | undefined;
  /** Of one try, to the end of its answer. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Tries after the first. Default 4. */
  readonly maxRetries?: number | undefined;
  /** A `Retry-After` above this is thrown instead of waited for. Default 60,000. */
  readonly maxRetryAfterMs?: number | undefined;
  /** Language of error messages. Default en. */
  readonly language?: "en" | "fa" | undefined;
  /** Instead of Node's own, for example one that goes through a proxy. */
  readonly fetch?: Fetch | undefined;
}

/** Of one call; over those of the client. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly maxRetries?: number | undefined;
}

export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Under the base URL, without a slash before it. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  /**
   * When the call may be repeated. "yes": also if it may have been carried out. "refused": only if
   * the gateway says that it did nothing.
   */
  readonly repeat: "yes" | "refused";
  readonly options?: CallOptions | undefined;
}

const defaults = { timeoutMs: 30_000, maxRetries: 4, maxRetryAfterMs: 60_000 } as const;
const firstPauseMs = 500;
const longestPauseMs = 8000;
/** A token this near its end is renewed first. */
const renewBeforeMs = 30_000;

interface Token {
  readonly text: string;
  /** Of `performance.now()`. */
  readonly endsAt: number;
}

export class Transport {
  readonly #options: ClientOptions;
  readonly #base: URL;
  readonly #fetch: Fetch;
  /** The one being fetched, or the last one. */
  #token: Promise<Token> | undefined;
  /** The last one that came. */
  #latest: Token | undefined;

  constructor(options: ClientOptions) {
    const { apiKey, credentials, baseUrl } = options;
    if ((apiKey === undefined || apiKey === "") === (credentials === undefined))
      throw new TypeError("give either apiKey or credentials");
    this.#base = new URL(baseUrl.endsWith("/") ? baseUrl : `${baseUrl}/`);
    if (!/^https?:$/.test(this.#base.protocol)) throw new TypeError("baseUrl must begin with https:// or http://");
    if (this.#base.username !== "" || this.#base.password !== "")
      throw new TypeError("baseUrl must not contain a user name or password");
    this.#options = options;
    this.#fetch = options.fetch ?? ((url, init) => fetch(url, init));
  }

  /** The body of the 200. */
  async call<Answer>(call: Call): Promise<Answer> {
    try {
      return (await this.#authorized(call)) as Answer;
    } catch (error) {
      if (call.idempotencyKey !== undefined && error instanceof HodhodError) error.idempotencyKey = call.idempotencyKey;
      throw error;
    }
  }

  async #authorized(call: Call): Promise<unknown> {
    const { apiKey } = this.#options;
    if (apiKey !== undefined && apiKey !== "") return this.#repeated(call, { "x-api-key": apiKey });
    const token = await this.#currentToken(call.options);
    try {
      return await this.#repeated(call, { authorization: `Bearer ${token.text}` });
    } catch (error) {
      if (!(error instanceof AuthenticationError)) throw error;
      // The password was changed, or the gateway signs with another key: one new token decides.
      this.#forget(token);
      const renewed = await this.#currentToken(call.options);
      return this.#repeated(call, { authorization: `Bearer ${renewed.text}` });
    }
  }

  #forget(token: Token): void {
    if (this.#latest === token) this.#token = undefined;
  }

  async #currentToken(options: CallOptions | undefined): Promise<Token> {
    const latest = this.#latest;
    if (latest !== undefined && latest.endsAt - renewBeforeMs < performance.now()) this.#forget(latest);
    // One call fetches it for all; so no single caller's signal ends it.
    this.#token ??= this.#fetchToken(options).catch((error: unknown) => {
      this.#token = undefined;
      throw error;
    });
    return orAborted(this.#token, options?.signal);
  }

  async #fetchToken(options: CallOptions | undefined): Promise<Token> {
    const askedAt = performance.now();
    const answer = (await this.#repeated({
      method: "POST",
      path: "auth/token",
      body: this.#options.credentials,
      repeat: "yes",
      options: { timeoutMs: options?.timeoutMs, maxRetries: options?.maxRetries },
    })) as Operations["issueToken"]["answer"];
    const token = { text: answer.accessToken, endsAt: askedAt + answer.expiresIn * 1000 };
    this.#latest = token;
    return token;
  }

  async #repeated(call: Call, credentials: Readonly<Record<string, string>> = {}): Promise<unknown> {
    const { options } = call;
    const maxRetries = options?.maxRetries ?? this.#options.maxRetries ?? defaults.maxRetries;
    const longestMs = this.#options.maxRetryAfterMs ?? defaults.maxRetryAfterMs;
    const url = this.#urlOf(call);
    const headers = this.#headersOf(call, credentials);
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#once(call, url, headers);
      } catch (error) {
        const namedMs = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
        if (attempt >= maxRetries || namedMs > longestMs || !mayRepeat(error, call.repeat)) throw error;
        await pause(namedMs > 0 ? namedMs + randomInt(250) : growingPause(attempt), options?.signal);
      }
    }
  }

  async #once({ method, body, options }: Call, url: string, headers: Headers): Promise<unknown> {
    const timeoutMs = options?.timeoutMs ?? this.#options.timeoutMs ?? defaults.timeoutMs;
    const deadline = new Deadline(timeoutMs, options?.signal);
    let response: Response;
    let text: string;
    try {
      response = await this.#fetch(url, {
        method,
        headers,
        redirect: "manual",
        signal: deadline.signal,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      text = await response.text();
    } catch (error) {
      options?.signal?.throwIfAborted();
      if (deadline.isOver) throw new TimeoutError(`no answer within ${timeoutMs} ms`);
      throw new ConnectionError("no answer: the connection failed", { cause: error });
    } finally {
      deadline.release();
    }
    return readAnswer(response, text);
  }

  #urlOf({ path, query = {} }: Call): string {
    const url = new URL(path, this.#base);
    for (const [name, value] of Object.entries(query)) {
      if (value === undefined) continue;
      for (const one of typeof value === "object" ? value : [value]) url.searchParams.append(name, String(one));
    }
    return url.href;
  }

  /** Throws at once where a value cannot be a header's. */
  #headersOf({ body, idempotencyKey }: Call, credentials: Readonly<Record<string, string>>): Headers {
    return new Headers({
      accept: "application/json",
      "accept-language": this.#options.language ?? "en",
      "user-agent": "hodhod-client",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      ...credentials,
    });
  }
}

function readAnswer(response: Response, text: string): unknown {
  const { status } = response;
  const body = readObject(text);
  if (body !== undefined && status === 200) return body;
  const retryAfterSeconds = secondsOf(response.headers.get("retry-after"));
  if (body !== undefined && typeof body["errorCode"] === "number") {
    throw apiError({
      ...body,
      status,
      errorCode: body["errorCode"],
      errorMessage: String(body["errorMessage"]),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });
  }
  // A proxy's own page: its status tells enough to try again.
  if (status >= 502 && status <= 504)
    throw new ServerError({
      status,
      errorCode: status,
      errorMessage: "no gateway behind the proxy answered",
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });
  throw new UnexpectedAnswerError(status, `status ${status}, and the body is not one of the gateway's: check baseUrl`);
}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** `Retry-After`: seconds, or a date. */
function secondsOf(value: string | null): number | undefined {
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}

/** An earlier try with the same idempotency key has not ended yet. */
const inProgress = 1205;
/** The call did not arrive as a whole. */
const notArrived = 408;

function mayRepeat(error: unknown, repeat: Call["repeat"]): boolean {
  if (error instanceof RateLimitError) return true;
  if (error instanceof ServerError) return repeat === "yes" || error.errorCode === 503;
  if (error instanceof ApiError) return error.errorCode === inProgress || error.status === notArrived;
  return error instanceof ConnectionError && repeat === "yes";
}

/** Doubles up to the longest; half of it is chance, so that many clients do not come at once. */
function growingPause(attempt: number): number {
  const longest = Math.min(longestPauseMs, firstPauseMs * 2 ** attempt);
  return randomInt(longest / 2, longest + 1);
}
