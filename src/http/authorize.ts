// Checks whether an authenticated caller may make this call: address (1006), then permission
// (1005), then the account's rate (429).
import type { FastifyReply } from "fastify";
import { roleAllows } from "../credentials/abilities.ts";
import { ipAllowed } from "../credentials/ip-allow-list.ts";
import type { Account } from "../directory/directory.ts";
import { ApiError, findingCatalogue } from "../texts/errors.ts";
import type { Identity } from "./authenticate.ts";
import type { ApiContext } from "./api-context.ts";
import { rateLimitFields } from "./rate-limit.ts";

/** Permission names in the setup file (decisions §6). */
export type Permission =
  | "send"
  | "send-template"
  | "send-bulk"
  | "send-url"
  | "send-url-credentials"
  | "status"
  | "cancel"
  | "received"
  | "balance"
  | "preview"
  | "opt-outs"
  | "webhooks";

export function authorize(context: ApiContext, reply: FastifyReply, identity: Identity, permission: Permission): void {
  requireAllowedAddress(identity.address, identity.allowLists);
  if (!hasPermission(identity.account, permission)) throw new ApiError("noPermission");
  if (identity.role !== undefined && !roleAllows(identity.role, permission)) throw refusedByRole();
  limitRate(context, reply, identity);
}

/** The account may use the method, but not by a token or the credentials of this user. */
export function refusedByRole(): ApiError {
  return new ApiError("noPermission", { text: findingCatalogue["role.refused"] });
}

export function hasPermission({ permissions }: Pick<Account, "permissions">, permission: Permission): boolean {
  return permissions.has("*") || permissions.has(permission);
}

export function requireAllowedAddress(address: string, allowLists: readonly (readonly string[])[]): void {
  for (const list of allowLists) {
    if (!ipAllowed(list, address)) throw new ApiError("addressNotAllowed", { values: { address } });
  }
}

function limitRate(context: ApiContext, reply: FastifyReply, { account }: Identity): void {
  const { requestsPerSecond } = account;
  if (requestsPerSecond <= 0) return;
  const verdict = context.takeRequest(account.id, requestsPerSecond);
  const headers = rateLimitFields("account", requestsPerSecond, verdict);
  if (!verdict.allowed) throw new ApiError("tooManyRequests", { values: { seconds: verdict.waitSeconds }, headers });
  void reply.headers(headers);
}
