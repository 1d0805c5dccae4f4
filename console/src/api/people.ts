// People who sign in, and keys of programs: of an account, or of staff.
import type { PathOf } from "./client.ts";
import type { Answers } from "./endpoints.ts";

export type Somebody = Answers["GET /staff" | "GET /accounts/{name}/users"]["items"][number];

/** Listed without the key itself, which is told only where it was just made. */
export type ApiKey = Answers["GET /accounts/{name}/api-keys"]["items"][number];
export type MadeKey = Answers["PUT /accounts/{name}/api-keys/{key}" | "POST /accounts/{name}/api-keys/{key}/rotate"];

/** Of all of them. */
export type PeoplePath = PathOf<"GET /staff" | "GET /accounts/{name}/users">;
export type PersonPath = PathOf<"GET /staff/{name}" | "GET /accounts/{name}/users/{username}">;

export const staffPath = "/staff";

export function usersPath(account: string): `/accounts/${string}/users` {
  return `/accounts/${encodeURIComponent(account)}/users`;
}

export function keysPath(account: string): `/accounts/${string}/api-keys` {
  return `/accounts/${encodeURIComponent(account)}/api-keys`;
}

export function addressesPath(account: string): `/accounts/${string}/addresses` {
  return `/accounts/${encodeURIComponent(account)}/addresses`;
}
