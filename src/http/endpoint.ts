// An endpoint is a method, a path, its description for the OpenAPI document, and a function that
// returns the body of the 200. The server adds everything else to the answer. Errors are thrown.
import type { FastifySchema } from "fastify";
import type { Operation } from "../credentials/abilities.ts";
import type { ApiCall } from "./call.ts";
import { input, orAbsent, plainText, type Properties, type TSchema, withMaximaOfInputs } from "./json-schema.ts";
import { batchSendAnswer, shared } from "./schemas.ts";

/** What an endpoint takes and answers, in either API. */
export interface EndpointDescription {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly params?: Properties;
  readonly query?: Properties;
  readonly headers?: Properties;
  readonly body?: TSchema;
  /** The object of the 200. */
  readonly result?: TSchema;
  /** What the 200 may be instead, by content type. */
  readonly contents?: Readonly<Record<string, TSchema>>;
  /** Of the 200, where it is not "Done.". */
  readonly done?: string;
  /** Beside those that all have, and those of what it takes. */
  readonly errors?: readonly ErrorStatus[];
  /** Bodies of errors, where they are not the usual one. */
  readonly errorBodies?: Partial<Record<ErrorStatus, TSchema>>;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
}

/** Names it in the document for generators of code. */
interface NamedEndpoint extends EndpointDescription {
  readonly tag: string;
  readonly operationId: string;
}

/** Of the clients' API. */
export interface Endpoint extends NamedEndpoint {
  /** Its caller gives a key or token in the headers, and has this right. Absent: it judges by itself. */
  readonly needs?: Operation;
  readonly consumes?: readonly string[];
  handle(call: ApiCall): Promise<string>;
}

/** For supervisors: anybody may call it. */
export interface OperationEndpoint extends NamedEndpoint {
  handle(): Promise<string>;
}

/** Either scheme of authentication by header. */
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

/** What the document says of an endpoint, and how long the texts that it takes may be. */
export function openApiOf(
  endpoint: EndpointDescription & Partial<NamedEndpoint>,
  errorsOfAll: readonly ErrorStatus[],
): FastifySchema {
  const { tag, operationId, summary, description, security, params, query, headers, body } = endpoint;
  const { result, contents, done = "Done.", errors = [], errorBodies = {} } = endpoint;
  const takes = params !== undefined || query !== undefined || body !== undefined;
  const statuses = new Set([...errorsOfAll, ...errors, ...(takes ? [400 as const] : [])]);
  const describe = (status: ErrorStatus) => ({
    description: errorDescriptions[status],
    content: { "application/json": { schema: errorBodies[status] ?? shared("Error") } },
  });
  const content = Object.entries({ ...(result && { "application/json": result }), ...contents });
  return withMaximaOfInputs({
    summary,
    ...(tag !== undefined && { operationId, tags: [tag] }),
    ...(description !== undefined && { description }),
    ...(security && { security }),
    ...(params && { params: input(params) }),
    ...(query && { querystring: input(query) }),
    ...(headers && { headers: input(headers) }),
    ...(body && { body }),
    response: {
      200: { description: done, content: Object.fromEntries(content.map(([type, schema]) => [type, { schema }])) },
      ...Object.fromEntries([...statuses].sort((a, b) => a - b).map((status) => [status, describe(status)])),
    },
  });
}

export const idempotencyHeader = {
  "Idempotency-Key": orAbsent(
    plainText({
      maxLength: 255,
      description:
        "A text of your choice that identifies this send. Repeating it within 24 hours sends nothing and returns the same answer.",
    }),
  ),
};

/** Of every multi-message call. */
export const multiAnswers = {
  done: "At least one message was accepted.",
  result: batchSendAnswer,
  errors: [409, 422],
  errorBodies: { 400: shared("BatchError") },
} as const;
