// The one way to the console's API: JSON over fetch, with the header that other sites cannot send.
// Errors are the API's own, in the language of the page.
import { currentLanguage } from "../preferences.ts";
import { tellLost, tellReached } from "./connection.ts";

const base = "/console/api";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface FieldProblem {
  readonly field: string;
  readonly errorMessage: string;
}

/** Who has changed meanwhile what a call would have changed. */
export interface LastChange {
  /** As the audit names them; absent: the service. */
  readonly who?: string;
  readonly at: string;
  readonly action: string;
}

interface ErrorBody {
  readonly errorCode?: number;
  readonly errorMessage?: string;
  readonly validationErrors?: readonly FieldProblem[];
  readonly lastChange?: LastChange;
}

const preconditionFailed = 412;

/** What the API answered instead of what was asked for. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: number | undefined;
  readonly fields: readonly FieldProblem[];
  readonly lastChange: LastChange | undefined;

  constructor(status: number, { errorCode, errorMessage, validationErrors, lastChange }: ErrorBody) {
    super(errorMessage ?? "");
    this.name = "ApiProblem";
    this.status = status;
    this.code = errorCode;
    this.fields = validationErrors ?? [];
    this.lastChange = lastChange;
  }

  /** The object is not as the call says that it was. */
  get isStale(): boolean {
    return this.status === preconditionFailed;
  }
}

/** What was asked for was not done, for a reason that is no error of the API. */
export class Refused extends Error {
  override readonly name = "Refused";
}

/**
 * What a call that got no answer may have done: nothing; what it shall do; or that, and with its
 * key it can be made again.
 */
export type Doubt = "none" | "done" | "repeatable";

/** No answer came: the gateway, or the way to it, is not there. */
export class Unreachable extends Error {
  readonly doubt: Doubt;

  constructor(cause: unknown, doubt: Doubt) {
    super("the gateway cannot be reached", { cause });
    this.name = "Unreachable";
    this.doubt = doubt;
  }
}

export interface CallOptions {
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** Such as If-Match. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Of a POST: it changes nothing. */
  readonly changesNothing?: boolean;
}

function doubtOf(method: Method, { headers, changesNothing }: CallOptions): Doubt {
  if (method === "GET" || changesNothing === true) return "none";
  return headers?.["idempotency-key"] === undefined ? "done" : "repeatable";
}

/** What proxies say while the gateway behind them is away. */
const proxyStatuses: readonly number[] = [502, 504];

/** `Answer` is what the API's document promises for this path. */
export async function callApi<Answer>(method: Method, path: string, options: CallOptions = {}): Promise<Answer> {
  const { value } = await callTagged(method, path, options);
  return value as Answer;
}

/** As `callApi`, with the ETag of the answer. */
export async function callTagged(
  method: Method,
  path: string,
  options: CallOptions = {},
): Promise<{ readonly value: unknown; readonly etag: string }> {
  const response = await reach(method, path, options);
  const value: unknown = await readJson(response);
  // The API's document promises these shapes.
  if (!response.ok) throw new ApiProblem(response.status, value ?? {});
  return { value, etag: response.headers.get("etag") ?? "" };
}

async function reach(method: Method, path: string, options: CallOptions): Promise<Response> {
  const { body, signal, headers } = options;
  let response: Response;
  try {
    response = await fetch(base + path, {
      method,
      credentials: "same-origin",
      headers: {
        "accept-language": currentLanguage(),
        ...(method === "GET" ? {} : { "x-hodhod-console": "1", "content-type": "application/json" }),
        ...headers,
      },
      ...(method === "GET" ? {} : { body: JSON.stringify(body ?? {}) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    tellLost();
    throw new Unreachable(error, doubtOf(method, options));
  }
  if (proxyStatuses.includes(response.status)) {
    tellLost();
    throw new Unreachable(response.status, doubtOf(method, options));
  }
  tellReached();
  return response;
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `?a=1&b=2` of the values that are there. */
export function queryOf(values: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== "") query.set(name, String(value));
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}
