// Objects that several people may change: read with the tag of their present state, written only
// while it is still that.
import { callApi, callTagged } from "./client.ts";

export interface Tagged<Value> {
  readonly value: Value;
  readonly etag: string;
}

/** `new`: it must not be there yet. */
export type ExpectedState = { readonly etag: string } | "new";

export async function getTagged<Value>(path: string, signal?: AbortSignal): Promise<Tagged<Value>> {
  return (await callTagged("GET", path, { signal })) as Tagged<Value>;
}

/** Answers what is stored now. */
export async function putTagged<Value>(path: string, body: object, expected: ExpectedState): Promise<Tagged<Value>> {
  const headers = expected === "new" ? { "if-none-match": "*" } : { "if-match": expected.etag };
  return (await callTagged("PUT", path, { body, headers })) as Tagged<Value>;
}

export function deleteTagged(path: string, { etag }: { readonly etag: string }): Promise<unknown> {
  return callApi("DELETE", path, { headers: { "if-match": etag } });
}
