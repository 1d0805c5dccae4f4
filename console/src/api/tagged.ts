// Objects that several people may change. They are read with the tag of their state, and written
// only if they still have that state.
import type { Answers } from "./endpoints.ts";
import {
  ApiProblem,
  callApi,
  callTagged,
  type CallOptions,
  type Endpoint,
  type PathOf,
  type Tagged,
} from "./client.ts";

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

const preconditionFailed = 412;

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
