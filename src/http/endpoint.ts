// An endpoint is a method, a path, its description for the OpenAPI document, and a function that
// returns the body of the 200. The server adds everything else to the answer. Errors are thrown.
import type { FastifyReply, FastifyRequest, FastifySchema } from "fastify";
import type { TSchema } from "./json-schema.ts";
import { batchSendAnswer, shared } from "./schemas.ts";

export interface Endpoint {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly schema: EndpointSchema;
  /** Whether HEAD is allowed, for health probes. Never for endpoints that send. */
  readonly answersHead?: boolean;
  answer(request: FastifyRequest, reply: FastifyReply): Promise<string>;
}

export interface EndpointSchema extends FastifySchema {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly response: Readonly<Record<number, unknown>>;
}

/** Either header scheme of API spec 5. */
export const headerSecurity = [{ apiKey: [] }, { accessToken: [] }] as const;

const errorDescriptions = {
  400: "The request is not valid; see errorCode.",
  401: "Authentication failed (401).",
  403: "No permission for this method (1005), or the IP address is not allowed (1006).",
  404: "It is not there, or it is another account's (404).",
  409: "The Idempotency-Key is being processed by another call (1205); or a replay is under way (1209).",
  412: "It was changed, removed or created meanwhile (412); nothing was stored.",
  413: "Body or query too large (413): above 1 MiB, or above the configured limit.",
  415: "The body's content encoding is not supported (415); on the URL methods also its media type.",
  422: "The Idempotency-Key was used with another request (1206).",
  428: "If-Match, or If-None-Match: * for a new one, is missing (428).",
  429: "Rate limit (429); see Retry-After and the RateLimit fields.",
  500: "Server error; errorCode is an error id for support.",
  503: "Overloaded or shutting down (503); nothing was stored; see Retry-After.",
} as const;

export type ErrorStatus = keyof typeof errorDescriptions;

const errorsOfAll: readonly ErrorStatus[] = [401, 403, 413, 415, 429, 500, 503];

/**
 * The responses of an endpoint: its answer, the errors that every endpoint has, and its own errors.
 */
export function responses(answer: TSchema, ...errors: readonly ErrorStatus[]): Record<number, unknown> {
  return { 200: described("Done.", answer), ...errorResponses([...errors, ...errorsOfAll]) };
}

export function errorResponses(
  statuses: readonly ErrorStatus[],
  bodies: Partial<Record<ErrorStatus, TSchema>> = {},
): Record<number, unknown> {
  const sorted = [...statuses].sort((a, b) => a - b);
  return Object.fromEntries(
    sorted.map((status) => [status, described(errorDescriptions[status], bodies[status] ?? shared("Error"))]),
  );
}

export function described(description: string, schema: TSchema): unknown {
  return { description, content: { "application/json": { schema } } };
}

export const idempotencyHeader = {
  type: "object",
  properties: {
    "Idempotency-Key": {
      type: "string",
      maxLength: 255,
      description:
        "A text of your choice that identifies this send. Repeating it within 24 hours sends nothing and returns the same answer.",
    },
  },
} as const;

/** Responses of every multi-message call (API spec 4.6). */
export function multiResponses(): Record<number, unknown> {
  const errors: readonly ErrorStatus[] = [400, 401, 403, 409, 413, 415, 422, 429, 500, 503];
  return {
    200: described("At least one message was accepted.", batchSendAnswer),
    ...errorResponses(errors, { 400: shared("BatchError") }),
  };
}
