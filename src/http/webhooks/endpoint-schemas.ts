// The shapes of endpoints of webhooks for the OpenAPI document, and their JSON.
import { Type } from "../json-schema.ts";
import { findingCatalogue, type FindingKey } from "../../texts/errors.ts";
import { type AnswerLanguage, localize } from "../../texts/localize.ts";
import type { AttemptRow } from "../../store/webhook-attempts.ts";
import type { EndpointRow } from "../../store/webhook-endpoints.ts";
import type { PostFailure } from "../../webhooks/request-poster.ts";

const exactly = { additionalProperties: false } as const;
const seconds = (description: string) => Type.Integer({ description: `Unix seconds. ${description}` });
const secret = Type.String({
  description: "`whsec_` and base64. It signs the requests. Only this answer shows it.",
  examples: ["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"],
});

const keys = {
  name: Type.String({ minLength: 1, maxLength: 100, description: "Unique in the account.", examples: ["shop"] }),
  url: Type.String({
    maxLength: 2048,
    description: "An https URL that leads to an address of the public internet.",
  }),
  events: Type.Array(Type.String(), {
    minItems: 1,
    description: "Types of events, prefixes such as `message.*`, or `*` for all.",
    examples: [["message.*"]],
  }),
  batchSize: Type.Integer({
    minimum: 1,
    maximum: 100,
    description: "Largest number of events in a request. 1: one request for each event.",
    examples: [1],
  }),
  enabled: Type.Boolean({ description: "false: no events are sent to it." }),
};

const endpointId = Type.String({ examples: ["01a1fa75-6310-77a7-aff0-f75f8b020554"] });

const endpointKeys = {
  endpointId,
  ...keys,
  createdTimestamp: seconds("When it was created."),
  lastSuccessTimestamp: Type.Optional(seconds("When a request to it last succeeded.")),
  lastFailureTimestamp: Type.Optional(seconds("When a request to it last failed.")),
  oldestWaitingTimestamp: Type.Optional(seconds("Time of the oldest event that waits for it.")),
  disabledReason: Type.Optional(
    Type.String({
      description:
        "gone: it answered 410. failing: all requests of 5 days failed. Absent: a person or a call disabled it.",
    }),
  ),
};

export const endpointAnswer = Type.Object(endpointKeys, exactly);
export const createdEndpointAnswer = Type.Object({ ...endpointKeys, secret }, exactly);
export const endpointsAnswer = Type.Object(
  {
    endpoints: Type.Array(endpointAnswer, {
      description: "All endpoints of the account, in the order of their creation.",
    }),
  },
  exactly,
);

export const createEndpointBody = Type.Object(
  {
    ...{ name: keys.name, url: keys.url, events: keys.events },
    batchSize: Type.Optional(keys.batchSize),
    enabled: Type.Optional(keys.enabled),
    secret: Type.Optional(
      Type.String({ description: "`whsec_` and base64 of 24 to 64 bytes. Absent: a random secret is created." }),
    ),
  },
  { examples: [{ name: "shop", url: "https://shop.example/hook", events: ["message.*"] }] },
);
export const changeEndpointBody = Type.Object(
  {
    name: Type.Optional(keys.name),
    url: Type.Optional(keys.url),
    events: Type.Optional(keys.events),
    batchSize: Type.Optional(keys.batchSize),
    enabled: Type.Optional(keys.enabled),
  },
  { examples: [{ batchSize: 10 }] },
);
export const secretBody = Type.Object({ secret: createEndpointBody.properties.secret }, { examples: [{}] });
export const secretAnswer = Type.Object({ secret }, exactly);
export const endpointDeletedAnswer = Type.Object({ endpointId, deleted: Type.Literal(true) }, exactly);
export const endpointPath = Type.Object({ endpointId });

const whatBecameOfIt = {
  durationMs: Type.Integer({ examples: [41] }),
  errorMessage: Type.Optional(Type.String({ description: "Why it failed. Absent: it succeeded." })),
};
const httpStatus = Type.Optional(Type.Integer({ description: "Absent: there was no answer.", examples: [500] }));

export const testAnswer = Type.Object({ delivered: Type.Boolean(), httpStatus, ...whatBecameOfIt }, exactly);

export const attemptsAnswer = Type.Object(
  {
    attempts: Type.Array(
      Type.Object(
        {
          attemptId: Type.String(),
          eventIds: Type.Array(Type.String(), { description: "The events in the request." }),
          startedTimestamp: seconds("When it began."),
          durationMs: whatBecameOfIt.durationMs,
          httpStatus,
          errorMessage: whatBecameOfIt.errorMessage,
          nextAttemptTimestamp: Type.Optional(seconds("Time of the next attempt.")),
        },
        exactly,
      ),
      { description: "Newest first." },
    ),
    nextCursor: Type.String({ description: "The `after` of the next call. An empty page returns the same cursor." }),
  },
  exactly,
);

export const replayBody = Type.Object(
  {
    eventIds: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 100 })),
    from: Type.Optional(seconds("Start of the period.")),
    to: Type.Optional(seconds("End of the period, not included.")),
  },
  { examples: [{ from: 1795203000, to: 1795206600 }] },
);
export const replayAnswer = Type.Object(
  { replayedCount: Type.Integer({ description: "How many events are sent again.", examples: [17] }) },
  exactly,
);

/** What may be told of an endpoint beside its configuration. */
export interface DescribedEndpoint extends EndpointRow {
  readonly lastSuccessAt: Date | null;
  readonly lastFailureAt: Date | null;
  readonly oldestWaitingAt: Date | null;
  /** Null: it does not rest now, or is disabled. */
  readonly pausedUntil: Date | null;
}

const unixSeconds = (date: Date | null | undefined) => (date ? Math.floor(date.getTime() / 1000) : undefined);

export function endpointJson(told: DescribedEndpoint, shown?: { readonly secret: string }): string {
  const { id, name, url, events, batchSize, enabled, createdAt, disabledReason } = told;
  return JSON.stringify({
    endpointId: id,
    ...{ name, url, events, batchSize, enabled },
    createdTimestamp: unixSeconds(createdAt),
    lastSuccessTimestamp: unixSeconds(told.lastSuccessAt),
    lastFailureTimestamp: unixSeconds(told.lastFailureAt),
    oldestWaitingTimestamp: unixSeconds(told.oldestWaitingAt),
    disabledReason: disabledReason ?? undefined,
    ...shown,
  });
}

const failureKeys = {
  status: "post.status",
  redirect: "post.redirect",
  timeout: "post.timeout",
  address: "post.address",
  name: "post.name",
  certificate: "post.certificate",
  tls: "post.tls",
  connection: "post.connection",
} as const satisfies Readonly<Record<PostFailure, FindingKey>>;

/** One of a later version is told as the most general one. */
export function failureText(failure: string, httpStatus: number | null | undefined, language: AnswerLanguage): string {
  const key = Object.hasOwn(failureKeys, failure) ? failureKeys[failure as PostFailure] : failureKeys.connection;
  return localize(findingCatalogue[key], language, { status: String(httpStatus ?? "") });
}

export function attemptJson(attempt: AttemptRow, language: AnswerLanguage): string {
  const { id, eventIds, startedAt, durationMs, httpStatus: status, failure, nextAttemptAt } = attempt;
  return JSON.stringify({
    attemptId: id,
    eventIds,
    startedTimestamp: unixSeconds(startedAt),
    durationMs,
    httpStatus: status ?? undefined,
    errorMessage: failure === null ? undefined : failureText(failure, status, language),
    nextAttemptTimestamp: unixSeconds(nextAttemptAt),
  });
}
