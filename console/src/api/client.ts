// The one way to the console's API: JSON over fetch, with the header that other sites cannot send.
// Errors are the API's own, in the language of the page.
import { currentLanguage } from "../preferences.ts";
import { tellLost, tellReached } from "./connection.ts";
import type { Answers, Failures } from "./endpoints.ts";

const base = "/console/api";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Method and path, as in the API's document. */
export type Endpoint = keyof Answers;

/** What the API's document promises. Of an endpoint that is not named, nothing is known. */
type Answer<Name extends Endpoint> = [Name] extends [never] ? unknown : Answers[Name];

type MethodOf<Name extends Endpoint> = [Name] extends [never]
  ? Method
  : Name extends `${infer Verb extends Method} ${string}`
    ? Verb
    : never;

/** With its parameters filled in. */
export type PathOf<Name extends Endpoint> = [Name] extends [never]
  ? string
  : Name extends `${string} ${infer Path}`
    ? Filled<Path>
    : never;

type Filled<Path extends string> = Path extends `${infer Before}{${string}}${infer After}`
  ? `${Before}${string}${Filled<After>}`
  : Path;

export type FieldProblem = NonNullable<Failures[400]["validationErrors"]>[number];

/** Who changed the object meanwhile that the call wanted to change. */
export type LastChange = NonNullable<Failures[412]["lastChange"]>;

type ErrorBody = Partial<Failures[400] & Failures[412]>;

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
const misleadingPath = /\/\.{0,2}(?:\/|$)/;

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

export async function callApi<Name extends Endpoint = never>(
  method: MethodOf<Name>,
  path: PathOf<Name> | `${PathOf<Name>}?${string}`,
  options: CallOptions = {},
): Promise<Answer<Name>> {
  // The API's document promises it.
  return (await callTagged(method, path, options)).value as Answer<Name>;
}

/** With the tag of the state that it tells. */
export interface Tagged<Value> {
  readonly value: Value;
  readonly etag: string;
}

/**
 * Returns the answer with its ETag. The caller must know the type of the answer: lists.ts and
 * tagged.ts name the endpoint.
 */
export async function callTagged(method: Method, path: string, options: CallOptions = {}): Promise<Tagged<unknown>> {
  const response = await reach(method, path, options);
  const value: unknown = await readJson(response);
  // The API's document promises these shapes.
  if (!response.ok) throw new ApiProblem(response.status, value ?? {});
  return { value, etag: response.headers.get("etag") ?? "" };
}

async function reach(method: Method, path: string, options: CallOptions): Promise<Response> {
  const { body, signal, headers } = options;
  if (misleadingPath.test(path.replace(/\?.*$/, ""))) throw new Misleading(path);
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
export function queryOf(values: Readonly<Record<string, string | number | undefined>>): "" | `?${string}` {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== "") query.set(name, String(value));
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

// Objects that several people may change. They are read with the tag of their state, and written
// only if they still have that state.

export type Readable = Extract<Endpoint, `GET ${string}`>;
type Written = Extract<Endpoint, `PUT ${string}`>;
type Posted = Extract<Endpoint, `POST ${string}`>;

/** `new`: it must not be there yet. */
export type ExpectedState = { readonly etag: string } | "new";

// What these answer is what the API's document promises.

export async function getTagged<Name extends Readable>(
  path: PathOf<Name>,
  signal?: AbortSignal,
): Promise<Tagged<Answers[Name]>> {
  return (await callTagged("GET", path, { signal })) as Tagged<Answers[Name]>;
}

/** Answers what is stored now. */
export async function putTagged<Name extends Written = never>(
  path: PathOf<Name>,
  body: object,
  expected: ExpectedState,
): Promise<Tagged<Answers[Name]>> {
  const headers = expected === "new" ? { "if-none-match": "*" } : { "if-match": expected.etag };
  return (await callTagged("PUT", path, { body, headers })) as Tagged<Answers[Name]>;
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

export async function postTagged<Name extends Posted>(
  path: PathOf<Name> | `${PathOf<Name>}?${string}`,
  options: CallOptions,
): Promise<Tagged<Answers[Name]>> {
  return (await callTagged("POST", path, options)) as Tagged<Answers[Name]>;
}

export function deleteTagged(path: string, { etag }: { readonly etag: string }): Promise<unknown> {
  return callApi("DELETE", path, { headers: { "if-match": etag } });
}
