// An endpoint of the console's API: like those of the clients' API, but for people who are signed
// in. `ConsoleContext.admit` checks who calls and what they may do before the endpoint is asked.
import type { FastifyReply, FastifyRequest } from "fastify";
import { array, integer, object, oneOf, orAbsent, plainText, time, type TSchema } from "../json-schema.ts";
import type { Operation } from "../../credentials/abilities.ts";
import { ApiError, findingCatalogue } from "../../texts/errors.ts";
import { described, errorResponses, type ErrorStatus } from "../endpoint.ts";
import { rawQueryOf } from "../query-string.ts";
import { readInteger, type GivenParameters } from "../read-parameters.ts";
import { readQueryParameters } from "../url-parameters.ts";

export interface ConsoleEndpoint {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below /console/api. */
  readonly path: string;
  /**
   * Of several, one is enough. `session`: everybody who is signed in, also who has to change the
   * password first. `nobody`: no session is needed.
   */
  readonly needs: Operation | readonly Operation[] | "session" | "nobody";
  /** How often each person may call it, at once and in the long run. */
  readonly rate?: { readonly burst: number; readonly perSecond: number };
  /** Whether calls do not count among the changes that an account may make; GET never does. */
  readonly isFree?: true;
  /** It reads nothing for itself, and lasts: it takes no turns. */
  readonly takesNoTurns?: true;
  readonly schema: ConsoleSchema;
  /**
   * An object to be written as JSON, or a stream, whose headers the endpoint has set. Undefined: it
   * answers by itself (`reply.hijack`).
   */
  answer(call: ConsoleCall): Promise<object | undefined>;
}

export interface ConsoleSchema {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly [string];
  readonly body?: TSchema;
  readonly querystring?: TSchema;
  readonly params?: TSchema;
  readonly headers?: TSchema;
  readonly response: Readonly<Record<number, unknown>>;
}

export interface ConsoleCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

const errorsOfAll: readonly ErrorStatus[] = [401, 403, 413, 429, 500, 503];

const lastChange = object(
  {
    who: orAbsent(plainText("As the audit names them; absent where it was the service, for a customer.")),
    at: time(),
    action: oneOf(["create", "change", "remove"]),
  },
  "Who has changed it meanwhile; absent where the audit does not say.",
);

const stale = object({ errorCode: integer(), errorMessage: plainText(), lastChange: orAbsent(lastChange) });

/**
 * The responses of an endpoint: its answer, the errors that every endpoint has, and those it has
 * besides.
 */
export function consoleResponses(answer: TSchema, ...errors: readonly ErrorStatus[]): Record<number, unknown> {
  return {
    200: described("Done.", answer),
    ...errorResponses([...new Set([...errors, ...errorsOfAll])], { 412: stale }),
  };
}

/** The responses of an endpoint that answers a file. */
export function csvResponses(): Record<number, unknown> {
  const schema = { type: "string" };
  return {
    200: { description: "The file.", content: { "text/csv": { schema } } },
    ...errorResponses([400, 404, ...errorsOfAll]),
  };
}

/**
 * JSON without absent values: null and undefined have no key. Rials are numbers, times ISO 8601.
 */
export function consoleJson(value: object): string {
  return JSON.stringify(value, (_, item: unknown) => {
    if (typeof item === "bigint") return Number(item);
    return item === null ? undefined : item;
  });
}

/** One page of a list: `after` is the `nextCursor` of the page before. */
export function pageOf(item: TSchema, others: Readonly<Record<string, TSchema>> = {}): TSchema {
  const nextCursor = plainText("Give it as `after` for the next page; absent on the last one.");
  return object({ items: array(item), nextCursor: orAbsent(nextCursor), ...others });
}

const nullCharacter = /%00/;

/** Throws 1001 for what no database can look for. */
export function readQuery(request: FastifyRequest): GivenParameters {
  if (!nullCharacter.test(rawQueryOf(request.raw.url ?? ""))) return readQueryParameters(request);
  throw ApiError.invalidParameter("query", "console.nullCharacter");
}

const usualCount = 50;
const maximumCount = 200;

export const pageParameters = {
  after: orAbsent(plainText("nextCursor of the page before.")),
  count: orAbsent(integer({ minimum: 1, maximum: maximumCount, default: usualCount })),
};

/** Throws 1001. */
export function readPageSize(query: GivenParameters): number {
  const given = query.text("count");
  if (given === undefined) return usualCount;
  const count = readInteger(given);
  if (count !== undefined && count >= 1 && count <= maximumCount) return count;
  throw ApiError.invalidParameter("count", "count.range", { maximum: maximumCount });
}

/** ISO 8601: a day (its beginning in UTC) or a time with its zone. */
const timeForm = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** Throws 1001. */
export function readTimeParameter(query: GivenParameters, field: string): Date | undefined {
  const given = query.text(field);
  if (given === undefined) return undefined;
  const at = timeForm.test(given) ? new Date(given) : undefined;
  if (at !== undefined && !Number.isNaN(at.getTime()) && at.getTime() >= 0) return at;
  throw ApiError.invalidParameter(field, "console.time");
}

/** What is not there, or is another account's. */
export function notThere(): ApiError {
  return new ApiError("notFound", { text: findingCatalogue["console.notThere"] });
}
