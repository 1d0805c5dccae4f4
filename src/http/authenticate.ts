// Authenticates callers: by header on most methods, by parameters on the URL
// endpoints. A missing, empty or wrong credential is 401, and the answer does not say which. Then
// checks whether the caller may make this call: address (1006), permission (1005), the account's
// rate (429).
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../credentials/authenticator.ts";
import { ipAllowed } from "../platform/addresses.ts";
import { ApiError, findingCatalogue } from "../texts/errors.ts";
import type { ApiContext } from "./api-context.ts";
import { rateLimitFields } from "./rate-limit.ts";
import type { GivenParameters } from "./read-parameters.ts";

/** Who makes a call. */
export interface Identity extends Caller {
  /** Of the key that came with a token: the address must be on both lists. */
  readonly allowedIpsOfKey?: readonly string[];
}

declare module "fastify" {
  interface FastifyRequest {
    /** The caller, once it is known. */
    identity: Identity | undefined;
  }
}

const bearer = /^bearer +([^\s]+)$/i;

/**
 * By X-Api-Key or `Authorization: Bearer`. When both are given, both must be valid and of one
 * account. Done before the body is read.
 */
export function identifyByHeaders(context: ApiContext, request: FastifyRequest): Identity | Promise<Identity> {
  const key = request.headers["x-api-key"] as string | undefined;
  const { authorization } = request.headers;
  if (authorization !== undefined) return identifyByToken(context, request, authorization, key);
  if (key === undefined || key === "") throw unauthenticated();
  return context.parts.authenticator.byApiKey(key) ?? refuseLate(context, request);
}

async function identifyByToken(
  context: ApiContext,
  request: FastifyRequest,
  authorization: string,
  key: string | undefined,
): Promise<Identity> {
  const token = bearer.exec(authorization.trim())?.[1];
  if (token === undefined || key === "") throw unauthenticated();
  const byToken = await context.parts.authenticator.byAccessToken(token);
  if (byToken === undefined) return refuseLate(context, request);
  if (key === undefined) return byToken;
  const byKey = await checkKey(context, request, key);
  if (byKey.account.id !== byToken.account.id) return refuseLate(context, request);
  return { ...byToken, allowedIpsOfKey: byKey.allowedIps };
}

/** By the parameter apiKey. */
export async function identifyByKeyParameter(
  context: ApiContext,
  request: FastifyRequest,
  parameters: GivenParameters,
): Promise<Identity> {
  const key = parameters.text("apiKey");
  if (key === undefined) throw unauthenticated();
  return (request.identity = await checkKey(context, request, key));
}

/** Of a name or password; nobody has a longer one. */
const longestText = 1000;

/** By the parameters username, password and domain. */
export async function identifyByCredentials(
  context: ApiContext,
  request: FastifyRequest,
  parameters: GivenParameters,
): Promise<Identity> {
  const username = parameters.text("username");
  const password = parameters.text("password");
  const domain = parameters.text("domain");
  if (username === undefined || password === undefined || domain === undefined) throw unauthenticated();
  if ([username, password, domain].some(({ length }) => length > longestText)) throw unauthenticated();
  const address = context.addressOf(request);
  const caller = await context.parts.authenticator.byPassword({ username, password, domain, address });
  if (caller === undefined) throw unauthenticated();
  return (request.identity = caller);
}

async function checkKey(context: ApiContext, request: FastifyRequest, key: string): Promise<Caller> {
  return context.parts.authenticator.byApiKey(key) ?? refuseLate(context, request);
}

/** Wrong credentials are answered more slowly as they repeat. */
async function refuseLate(context: ApiContext, request: FastifyRequest): Promise<never> {
  // A body that arrives meanwhile is discarded.
  request.raw.resume();
  await context.parts.authenticator.delayRefusal(context.addressOf(request));
  throw unauthenticated();
}

export function unauthenticated(): ApiError {
  return new ApiError("unauthenticated", { headers: { "www-authenticate": 'Bearer realm="hodhod"' } });
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
