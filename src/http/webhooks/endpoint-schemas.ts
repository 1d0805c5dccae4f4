// The shapes of endpoints of webhooks for the OpenAPI document, and their JSON.
import { anyOf, array, boolean, input, integer, literal, object, orAbsent, plainText } from "../json-schema.ts";
import { findingCatalogue, ApiError } from "../../texts/errors.ts";
import { type AnswerLanguage, localize } from "../../texts/localize.ts";
import type { AttemptRow } from "../../store/webhook-attempts.ts";
import { type EndpointRow, type EndpointSending, listEndpointProgress } from "../../store/webhook-endpoints.ts";
import { postFailures, type PostOutcome } from "../../webhooks/request-poster.ts";
import { isRetriable } from "../../store/database-errors.ts";
import type { Transactional } from "../../store/database.ts";
import { listFirstEventTimes, type SoughtEvents } from "../../store/event-log.ts";
import { maskOf } from "../../sms/event-types.ts";
import { limitTime } from "../../store/transaction-settings.ts";

const seconds = (description: string) => integer(`Unix seconds. ${description}`);
const secret = plainText({
  description: "`whsec_` and base64. It signs the requests. Only this answer shows it.",
  examples: ["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"],
});

const keys = {
  name: plainText({ minLength: 1, maxLength: 100, description: "Unique in the account.", examples: ["shop"] }),
  url: plainText({
    maxLength: 2048,
    description: "An https URL that leads to an address of the public internet.",
  }),
  events: array(plainText(), {
    minItems: 1,
    description: "Types of events, prefixes such as `message.*`, or `*` for all.",
    examples: [["message.*"]],
  }),
  batchSize: integer({
    minimum: 1,
    maximum: 100,
    description: "Largest number of events in a request. 1: one request for each event.",
    examples: [1],
  }),
  enabled: boolean("false: no events are sent to it."),
};

const endpointId = plainText({ examples: ["01a1fa75-6310-77a7-aff0-f75f8b020554"] });

const endpointKeys = {
  endpointId,
  ...keys,
  createdTimestamp: seconds("When it was created."),
  lastSuccessTimestamp: orAbsent(seconds("When a request to it last succeeded.")),
  lastFailureTimestamp: orAbsent(seconds("When a request to it last failed.")),
  oldestWaitingTimestamp: orAbsent(seconds("Time of the oldest event that waits for it.")),
  disabledReason: orAbsent(
    plainText("gone: it answered 410. failing: all requests of 5 days failed. Absent: a person or a call disabled it."),
  ),
};

export const endpointAnswer = object(endpointKeys);
export const createdEndpointAnswer = object({ ...endpointKeys, secret });
export const endpointsAnswer = object({
  endpoints: array(endpointAnswer, "All endpoints of the account, in the order of their creation."),
});

export const createEndpointBody = input(
  {
    ...{ name: keys.name, url: keys.url, events: keys.events },
    batchSize: orAbsent(keys.batchSize),
    enabled: orAbsent(keys.enabled),
    secret: orAbsent(plainText("`whsec_` and base64 of 24 to 64 bytes. Absent: a random secret is created.")),
  },
  { examples: [{ name: "shop", url: "https://shop.example/hook", events: ["message.*"] }] },
);
export const changeEndpointBody = input(
  {
    name: orAbsent(keys.name),
    url: orAbsent(keys.url),
    events: orAbsent(keys.events),
    batchSize: orAbsent(keys.batchSize),
    enabled: orAbsent(keys.enabled),
  },
  { examples: [{ batchSize: 10 }] },
);
export const secretBody = input({ secret: createEndpointBody.properties.secret }, { examples: [{}] });
export const secretAnswer = object({ secret });
export const endpointDeletedAnswer = object({ endpointId, deleted: literal(true) });
export const endpointPath = { endpointId };

const whatBecameOfIt = {
  durationMs: integer({ examples: [41] }),
  errorMessage: orAbsent(plainText("Why it failed. Absent: it succeeded.")),
};
const httpStatus = orAbsent(integer({ description: "Absent: there was no answer.", examples: [500] }));

export const testAnswer = object({ delivered: boolean(), httpStatus, ...whatBecameOfIt });

export const attemptsAnswer = object({
  attempts: array(
    object({
      attemptId: plainText(),
      eventIds: array(plainText(), "The events in the request."),
      startedTimestamp: seconds("When it began."),
      durationMs: whatBecameOfIt.durationMs,
      httpStatus,
      errorMessage: whatBecameOfIt.errorMessage,
      nextAttemptTimestamp: orAbsent(seconds("Time of the next attempt.")),
    }),
    "Newest first.",
  ),
  nextCursor: plainText("The `after` of the next call. An empty page returns the same cursor."),
});

export const replayBody = anyOf(
  [
    input({ eventIds: array(plainText(), { minItems: 1, maxItems: 100 }) }),
    input({ from: seconds("Start of the period."), to: seconds("End of the period, not included.") }),
  ],
  { examples: [{ from: 1795203000, to: 1795206600 }] },
);
export const replayAnswer = object({
  replayedCount: integer({ description: "How many events are sent again.", examples: [17] }),
});

/** What is shown of an endpoint besides its configuration. */
export interface DescribedEndpoint extends EndpointRow {
  readonly lastSuccessAt: Date | null;
  readonly lastFailureAt: Date | null;
  readonly oldestWaitingAt: Date | null;
  /** Null: it does not rest now, or is disabled. */
  readonly pausedUntil: Date | null;
}

const unixSeconds = (date: Date | null | undefined) => (date ? Math.floor(date.getTime() / 1000) : undefined);

export function endpointJson(described: DescribedEndpoint, shown?: { readonly secret: string }): string {
  const { id, name, url, events, batchSize, enabled, createdAt, disabledReason } = described;
  return JSON.stringify({
    endpointId: id,
    ...{ name, url, events, batchSize, enabled },
    createdTimestamp: unixSeconds(createdAt),
    lastSuccessTimestamp: unixSeconds(described.lastSuccessAt),
    lastFailureTimestamp: unixSeconds(described.lastFailureAt),
    oldestWaitingTimestamp: unixSeconds(described.oldestWaitingAt),
    disabledReason: disabledReason ?? undefined,
    ...shown,
  });
}

/** One of a later version is shown as the most general one. */
export function failureText(failure: string, httpStatus: number | null | undefined, language: AnswerLanguage): string {
  const known = postFailures.find((each) => each === failure) ?? "connection";
  return localize(findingCatalogue[`post.${known}`], language, { status: String(httpStatus ?? "") });
}

/** What a test came to. */
export function describeTest({ failure, httpStatus, durationMs }: PostOutcome, language: AnswerLanguage) {
  const errorMessage = failure && failureText(failure, httpStatus, language);
  return { delivered: failure === undefined, httpStatus, durationMs, errorMessage };
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

// Endpoints as answers show them, with the state of their sending. One statement reads from the log
// of events which ones wait for each of them. It is ended if it takes too long.

const usualLimitMs = 3_000;

/** `db`: few sessions of their own, so that nobody who lists takes those of sending. */
export async function describeEndpoints(
  db: Transactional,
  rows: readonly EndpointRow[],
  limitMs = usualLimitMs,
): Promise<readonly DescribedEndpoint[]> {
  if (rows.length === 0) return [];
  return db.transaction(async (tx) => {
    await limitTime(tx, limitMs);
    const ids = rows.map(({ id }) => id);
    const progressOf = new Map((await listEndpointProgress(tx, ids)).map((each) => [each.endpointId, each]));
    const sought = rows.flatMap((row) => soughtOf(row, progressOf.get(row.id)) ?? []);
    const times = await listFirstEventTimes(tx, sought);
    const untriedOf = new Map(sought.map(({ id }, index) => [id, times[index]]));
    return rows.map((row) => describedEndpoint(row, progressOf.get(row.id), untriedOf.get(row.id)));
  });
}

/**
 * An endpoint whose change is stored. The state of its sending is left out if it cannot be read in
 * time, or if `db` has no turn for it (429): an error would look as if nothing had been changed.
 */
export async function describeChangedEndpoint(db: Transactional, row: EndpointRow): Promise<DescribedEndpoint> {
  const [described] = await describeEndpoints(db, [row]).catch((error: unknown) => {
    if (isRetriable(error) || error instanceof ApiError) return [];
    throw error;
  });
  return described ?? describeNewEndpoint(row);
}

/** Nothing has been sent to it, and nothing waits. */
export function describeNewEndpoint(row: EndpointRow): DescribedEndpoint {
  return describedEndpoint(row, undefined, undefined);
}

/** Undefined: nothing waits. What a disabled endpoint missed comes only by a replay. */
function soughtOf(
  { id, accountId, events, enabled }: EndpointRow,
  progress: EndpointSending | undefined,
): (SoughtEvents & { readonly id: string }) | undefined {
  if (!enabled || progress === undefined || progress.position === null) return undefined;
  return { id, accountId, mask: maskOf(events), after: progress.position };
}

function describedEndpoint(
  row: EndpointRow,
  progress: EndpointSending | undefined,
  untriedSince: Date | undefined,
): DescribedEndpoint {
  const { lastSuccessAt = null, lastFailureAt = null } = progress ?? {};
  const waitingSince = [row.enabled ? progress?.retryingSince : undefined, untriedSince].filter(
    (at) => at instanceof Date,
  );
  const [oldestWaitingAt = null] = waitingSince.toSorted((one, other) => one.getTime() - other.getTime());
  const pausedUntil = row.enabled ? (progress?.pausedUntil ?? null) : null;
  return { ...row, lastSuccessAt, lastFailureAt, oldestWaitingAt, pausedUntil };
}
