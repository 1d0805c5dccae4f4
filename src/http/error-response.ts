// The only place that turns an error into an answer (API spec 7). An internal failure becomes a
// number that only our log explains.
import { randomInt } from "node:crypto";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { TooManyAttempts } from "../credentials/failed-attempts.ts";
import { SemaphoreFull } from "../platform/semaphore.ts";
import {
  ApiError,
  errorCatalogue,
  findingCatalogue,
  serverErrorText,
  findingText,
  type ErrorName,
} from "../texts/errors.ts";
import { localize, type AnswerLanguage, type LocalizedText, type TextValues } from "../texts/localize.ts";
import { DatabaseUnavailable, TransactionConflict } from "../store/database-errors.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { languageOf } from "./language.ts";
import { OutcomeUnknown } from "./outcome-unknown.ts";
import { failedMessages } from "../events/representations.ts";

export const jsonType = "application/json; charset=utf-8";

/** Retry-After while the database is unreachable. */
const databaseRetrySeconds = 2;

/** Error numbers fit into a signed 32-bit integer (decisions §5). */
const firstErrorId = 1_000_000_000;
const lastErrorId = 2_147_483_647;

/** `limits`: settings of the service that a text may mention. */
export function errorBody(error: ApiError, language: AnswerLanguage, limits: TextValues = {}): string {
  const { code } = errorCatalogue[error.errorName];
  const { validationErrors, messages, values, text: given, lastChange } = error.details;
  const text = localize(given ?? errorCatalogue[error.errorName], language, { ...limits, ...values });
  let body = `{"errorCode":${code},"errorMessage":${JSON.stringify(text)}`;
  if (validationErrors !== undefined) {
    const elements = validationErrors.map((finding) => ({
      field: finding.field,
      errorMessage: findingText(finding, language),
    }));
    body += `,"validationErrors":${JSON.stringify(elements)}`;
  }
  if (messages !== undefined) body += `,"messages":${failedMessages(messages, language)}`;
  if (lastChange !== undefined) body += `,"lastChange":${JSON.stringify(lastChange)}`;
  return `${body}}`;
}

function limitsOf(request: FastifyRequest, language: AnswerLanguage): TextValues {
  return { bodyLimit: sizeOf(request.server.initialConfig.bodyLimit ?? 0, language) };
}

const mebibyte = 1 << 20;
const kibibyte = 1 << 10;

const sizes = {
  mebibyte: { en: "{size} MiB", fa: "{size} مگابایت (MiB)" },
  kibibyte: { en: "{size} KiB", fa: "{size} کیلوبایت (KiB)" },
  octet: { en: "{size} B", fa: "{size} بایت" },
} as const satisfies Record<string, LocalizedText>;

function sizeOf(octets: number, language: AnswerLanguage): string {
  if (octets % mebibyte === 0) return localize(sizes.mebibyte, language, { size: octets / mebibyte });
  if (octets % kibibyte === 0) return localize(sizes.kibibyte, language, { size: octets / kibibyte });
  return localize(sizes.octet, language, { size: octets });
}

/** The error for requests that the framework itself refuses, by HTTP status. */
const frameworkErrors: Readonly<Record<number, ErrorName>> = {
  400: "malformedRequest",
  404: "notFound",
  405: "methodNotAllowed",
  408: "requestTimeout",
  413: "tooLarge",
  414: "tooLarge",
  415: "unsupportedMediaType",
  431: "tooLarge",
};

/** The error from the catalogue; undefined for an internal failure. */
export function asApiError(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  // No call that writes gets here with its outcome in doubt. The intake resolves an uncertain
  // commit itself. Cancelling, other changes by clients, and all calls of the console answer that
  // the outcome is unknown.
  if (error instanceof DatabaseUnavailable)
    return ApiError.unavailable(databaseRetrySeconds, findingCatalogue["database.away"]);
  // Two changes waited for each other, and the database has rolled this one back.
  if (error instanceof TransactionConflict) return ApiError.unavailable(1);
  if (error instanceof SemaphoreFull) return ApiError.unavailable(1);
  if (error instanceof TooManyAttempts) return ApiError.tooManyRequests(error.seconds);
  if (!(error instanceof Error)) return undefined;
  const { code, statusCode } = error as Partial<FastifyError>;
  if (code?.startsWith("FST_") !== true) return undefined;
  const name = frameworkErrors[statusCode ?? 500];
  return name === undefined ? undefined : new ApiError(name);
}

export function answerError(telemetry: Telemetry, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const language = languageOf(request.headers["accept-language"]);
  const apiError = asApiError(error);
  void reply.type(jsonType);
  if (apiError !== undefined) {
    // The framework closes the connection after every refused body. Node.js discards the rest of it
    // instead, so that a caller who is still writing can read the answer.
    if (reply.hasHeader("connection")) reply.removeHeader("connection");
    addHelp(request, reply, apiError.code);
    void reply.code(apiError.status).headers(apiError.details.headers ?? {});
    void reply.send(errorBody(apiError, language, limitsOf(request, language)));
    return;
  }
  const errorId = randomInt(firstErrorId, lastErrorId + 1);
  telemetry.emit("http.failed", { errorId, error });
  addHelp(request, reply, 500);
  const text = error instanceof OutcomeUnknown ? findingCatalogue["console.outcomeUnknown"] : serverErrorText;
  const errorMessage = localize(text, language, { errorId: String(errorId) });
  void reply.code(500).send(JSON.stringify({ errorCode: errorId, errorMessage }));
}

/** Links to the page of the error, where this node serves it. */
function addHelp({ server }: FastifyRequest, reply: FastifyReply, code: number): void {
  const page = `/docs/errors/${code}`;
  if (server.knownPaths.pathOf(page) !== undefined) void reply.header("link", `<${page}>; rel="help"`);
}
