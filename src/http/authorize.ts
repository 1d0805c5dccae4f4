// Checks whether an authenticated caller may make this call: address (1006), then permission
// (1005), then the account's rate (429).
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Operation, refusalOf } from "../credentials/abilities.ts";
import type { Caller } from "../credentials/authenticator.ts";
import { ipAllowed } from "../credentials/ip-allow-list.ts";
import { ApiError, findingCatalogue } from "../texts/errors.ts";
import { type Identity, identifyByHeaders } from "./authenticate.ts";
import type { ApiContext } from "./api-context.ts";
import { rateLimitFields } from "./rate-limit.ts";

/** Of a call with its key or token in the headers. */
export async function admit(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Operation,
): Promise<Identity> {
  const identity = await identifyByHeaders(context, request);
  authorize(context, reply, identity, operation);
  return identity;
}

export function authorize(context: ApiContext, reply: FastifyReply, identity: Identity, operation: Operation): void {
  requireAllowedAddress(identity.address, identity.allowLists);
  refuseConsoleOnly(identity);
  const missing = refusalOf(operation, identity.rights);
  if (missing === "role") throw new ApiError("noPermission", { text: findingCatalogue["role.refused"] });
  if (missing !== undefined) throw new ApiError("noPermission");
  limitRate(context, reply, identity);
}

/** Otherwise a password alone would do what the console asks more for. */
export function refuseConsoleOnly({ consoleOnly }: Pick<Caller, "consoleOnly">): void {
  if (consoleOnly) throw new ApiError("noPermission", { text: findingCatalogue["user.consoleOnly"] });
}

export function requireAllowedAddress(address: string, allowLists: readonly (readonly string[])[]): void {
  for (const list of allowLists) {
    if (!ipAllowed(list, address)) throw new ApiError("addressNotAllowed", { values: { address } });
  }
}

export function limitRate(context: ApiContext, reply: FastifyReply, { account }: Pick<Identity, "account">): void {
  const { requestsPerSecond } = account;
  if (requestsPerSecond <= 0) return;
  const verdict = context.takeRequest(account.id, requestsPerSecond);
  const headers = rateLimitFields("account", requestsPerSecond, verdict);
  if (!verdict.allowed) throw new ApiError("tooManyRequests", { values: { seconds: verdict.waitSeconds }, headers });
  void reply.headers(headers);
}
