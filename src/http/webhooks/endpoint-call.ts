// What all methods of endpoints have in common: who may use them, which endpoint is meant, and what
// a refused change is answered.
import { mostReplayed, type ReplayRefused } from "../../setup/replay-events.ts";
import { takeTest } from "../../store/webhook-tests.ts";
import type { PostOutcome } from "../../webhooks/request-poster.ts";
import { testRequest } from "../../webhooks/event-requests.ts";
import { rateLimitFields } from "../rate-limit.ts";
import type { FastifyRequest } from "fastify";
import type { Account } from "../../directory/directory.ts";
import { ApiError, findingCatalogue } from "../../texts/errors.ts";
import { EndpointRefused } from "../../setup/change-endpoints.ts";
import type { Actor } from "../../store/audit.ts";
import { type EndpointRow, findEndpoint } from "../../store/webhook-endpoints.ts";
import { isUuid, uuidv7 } from "../../platform/uuid.ts";
import { mostEndpoints } from "../../webhooks/endpoint-keys.ts";
import type { Identity } from "../authenticate.ts";
import type { ApiContext } from "../api-context.ts";
import { followChange, unknownIfInDoubt } from "../outcome-unknown.ts";

export interface EndpointCaller {
  readonly accountId: number;
  readonly account: string;
  readonly by: Actor;
}

export function callerOf({ account: { id, name }, who, address }: Identity): EndpointCaller {
  return { accountId: id, account: name, by: { who, address } };
}

/** Throws 1001. */
export function readEndpointId(request: FastifyRequest): string {
  const { endpointId } = request.params as { readonly endpointId: string };
  if (!isUuid(endpointId)) throw ApiError.invalidParameter("endpointId", "id.form");
  return endpointId.toLowerCase();
}

export function unknownEndpoint(): ApiError {
  return new ApiError("unknownMessageId", { text: findingCatalogue["endpoint.unknown"] });
}

/** Throws 1001 or 1106. */
export async function requireEndpoint(
  context: ApiContext,
  request: FastifyRequest,
  account: Account,
): Promise<EndpointRow> {
  const found = await findEndpoint(context.parts.db, { accountId: account.id, id: readEndpointId(request) });
  if (found === undefined) throw unknownEndpoint();
  return found;
}

/** Makes a change that counts at once on this node. */
export async function changeAtOnce<Result>(context: ApiContext, make: () => Promise<Result>): Promise<Result> {
  const done = await make().catch((error: unknown) => {
    throw asAnswer(error);
  });
  await followChange(context);
  return done;
}

function asAnswer(error: unknown): unknown {
  if (!(error instanceof EndpointRefused)) return unknownIfInDoubt(error);
  switch (error.refusal) {
    case "unknown":
      return unknownEndpoint();
    case "tooMany":
      return ApiError.invalidParameters([
        { field: "endpoints", messageKey: "endpoints.tooMany", values: { maximum: mostEndpoints } },
      ]);
    case "nameTaken":
      return ApiError.invalidParameter("name", "endpoint.nameTaken");
  }
}

/** What a refused replay is answered. */
export function replayRefusal({ refusal }: ReplayRefused): ApiError {
  switch (refusal) {
    case "busy":
      return new ApiError("replayUnderWay");
    case "disabled":
      return ApiError.invalidParameter("enabled", "replay.disabled");
    case "tooMany":
      return ApiError.invalidParameters([
        { field: "to", messageKey: "replay.tooMany", values: { maximum: mostReplayed } },
      ]);
  }
}

/** Of an endpoint, whoever asks for them, on all nodes together. */
const testsPerMinute = 10;

/** Throws 429, and what `gone` makes if the endpoint was deleted meanwhile. */
export async function sendTest(context: ApiContext, endpoint: EndpointRow, gone: () => ApiError): Promise<PostOutcome> {
  const verdict = await takeTest(context.parts.db, endpoint.id, testsPerMinute);
  if (verdict === undefined) throw gone();
  if (!verdict.allowed) {
    const headers = rateLimitFields("tests", testsPerMinute / 60, verdict);
    throw new ApiError("tooManyRequests", { values: { seconds: verdict.waitSeconds }, headers });
  }
  const now = context.parts.db.clock.now();
  return context.parts.webhooks.poster.post(testRequest(endpoint, uuidv7(now), new Date(now)));
}
