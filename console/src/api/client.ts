// The one way to the console's API: JSON over fetch, with the header that other sites cannot send.
// Errors are the API's own, in the language of the page.
import { currentLanguage } from "../preferences.ts";
import { reportLost, reportReached } from "./connection.ts";
import type { Answers, ErrorBody } from "./types.ts";

const base = "/console/api";

/** Method and path, as in the API's document. */
export type Endpoint = keyof Answers;

/** The values of the names in braces in the path. */
export type PathParams = Readonly<Record<string, string>>;

export type Query = Readonly<Record<string, string | number | undefined>>;

export type FieldProblem = NonNullable<ErrorBody["validationErrors"]>[number];

/** Who changed the object meanwhile that the call wanted to change. */
export type LastChange = NonNullable<ErrorBody["lastChange"]>;

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

/** The path of a call would name another object than it should. Nothing was sent. */
export class Misleading extends Error {
  override readonly name = "Misleading";
}

/**
 * Browsers resolve `.` and `..` in a path, however they are encoded, and an empty name leaves the
 * path of the whole list. In each case the call would be about another object.
 */
const misleadingName = /^\.{0,2}$/;

/**
 * What a call without an answer may have done. `none`: nothing. `done`: what it should do.
 * `repeatable`: the same, but its key allows the call to be repeated.
 */
export type Doubt = "none" | "done" | "repeatable";

/** No answer came: the gateway or the network is away. */
export class Unreachable extends Error {
  readonly doubt: Doubt;

  constructor(cause: unknown, doubt: Doubt) {
    super("the gateway cannot be reached", { cause });
    this.name = "Unreachable";
    this.doubt = doubt;
  }
}

/** The state that a change is of; `new`: the object must not be there yet. */
export type ExpectedState = { readonly etag: string } | "new";

export interface CallOptions {
  readonly params?: PathParams | undefined;
  readonly query?: Query | undefined;
  readonly body?: unknown;
  /** In any other state nothing is changed. */
  readonly expected?: ExpectedState;
  /** The same call with the same key does nothing a second time. */
  readonly key?: string;
  readonly signal?: AbortSignal | undefined;
  /** Of a POST: it changes nothing. */
  readonly changesNothing?: boolean;
}

function doubtOf(method: string, { key, changesNothing }: CallOptions): Doubt {
  if (method === "GET" || changesNothing === true) return "none";
  return key === undefined ? "done" : "repeatable";
}

/** What proxies say while the gateway behind them is away. */
const proxyStatuses: readonly number[] = [502, 504];

export async function callApi<Name extends Endpoint>(name: Name, options: CallOptions = {}): Promise<Answers[Name]> {
  return (await callTagged(name, options)).value;
}

/** With the tag of the state that it tells. */
export interface Tagged<Value> {
  readonly value: Value;
  readonly etag: string;
}

export async function callTagged<Name extends Endpoint>(
  name: Name,
  options: CallOptions = {},
): Promise<Tagged<Answers[Name]>> {
  const response = await reach(name, options);
  const value: unknown = await readJson(response);
  if (!response.ok) throw new ApiProblem(response.status, value ?? {});
  // The API's document promises these shapes.
  return { value: value as Answers[Name], etag: response.headers.get("etag") ?? "" };
}

async function reach(name: Endpoint, options: CallOptions): Promise<Response> {
  const { params = {}, query = {}, body, expected, key, signal } = options;
  const [method = "", path = ""] = name.split(" ");
  const filled = path.replace(/\{(\w+)\}/g, (_, param: string) => encodeURIComponent(nameIn(params, param)));
  let response: Response;
  try {
    response = await fetch(base + filled + queryOf(query), {
      method,
      credentials: "same-origin",
      headers: {
        "accept-language": currentLanguage(),
        ...(method === "GET" ? {} : { "x-hodhod-console": "1", "content-type": "application/json" }),
        ...(expected !== undefined && (expected === "new" ? { "if-none-match": "*" } : { "if-match": expected.etag })),
        ...(key !== undefined && { "idempotency-key": key }),
      },
      ...(method === "GET" ? {} : { body: JSON.stringify(body ?? {}) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    reportLost();
    throw new Unreachable(error, doubtOf(method, options));
  }
  if (proxyStatuses.includes(response.status)) {
    reportLost();
    throw new Unreachable(response.status, doubtOf(method, options));
  }
  reportReached();
  return response;
}

/** Throws where nothing may be sent. */
function nameIn(params: PathParams, param: string): string {
  const name = params[param] ?? "";
  if (misleadingName.test(name)) throw new Misleading(param);
  return name;
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
export function queryOf(values: Query): "" | `?${string}` {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== "") query.set(name, String(value));
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

/**
 * Throws the error of a stale tag if the object differs from what a list showed. Lists have no
 * tags, so the person would change a state that they have not seen.
 */
export function expectAsShown(now: object, shown: object): void {
  const seen = new Map<string, unknown>(Object.entries(shown));
  const differs = Object.entries(now).some(([key, value]) => JSON.stringify(value) !== JSON.stringify(seen.get(key)));
  if (differs) throw new ApiProblem(preconditionFailed, {});
}
