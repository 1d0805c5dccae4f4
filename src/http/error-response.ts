// The only place that turns an error into an answer (API spec 7). What is not the caller's doing becomes a number that only our own
// log explains.
import { randomInt } from "node:crypto";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { WorkQueueFull } from "../credentials/work-queue.ts";
import {
  ApiError,
  errorCatalogue,
  findingCatalogue,
  serverErrorWording,
  word,
  wordFinding,
  type ErrorName,
  type Language,
  type WordingValues,
} from "../errors.ts";
import { DatabaseUnavailable } from "../store/database-errors.ts";
import type { Telemetry } from "../telemetry.ts";
import { languageOf } from "./language.ts";
import { failedMessages } from "./representations.ts";

export const jsonType = "application/json; charset=utf-8";

/** Retry-After when the database is away: it is looked for again that often. */
const databaseRetrySeconds = 2;

/** Error numbers fit into 32 bits with sign (decisions §5). */
const firstErrorId = 1_000_000_000;
const lastErrorId = 2_147_483_647;

/** `limits`: what the wording may mention of the service's own settings. */
export function errorBody(error: ApiError, language: Language, limits: WordingValues = {}): string {
  const { code } = errorCatalogue[error.errorName];
  const { validationErrors, messages, values, wording } = error.details;
  const text = word(wording ?? errorCatalogue[error.errorName], language, { ...limits, ...values });
  let body = `{"errorCode":${code},"errorMessage":${JSON.stringify(text)}`;
  if (validationErrors !== undefined) {
    const elements = validationErrors.map((finding) => ({
      field: finding.field,
      errorMessage: wordFinding(finding, language),
    }));
    body += `,"validationErrors":${JSON.stringify(elements)}`;
  }
  if (messages !== undefined) body += `,"messages":${failedMessages(messages, language)}`;
  return `${body}}`;
}

function limitsOf(request: FastifyRequest): WordingValues {
  return { bodyLimit: sizeOf(request.server.initialConfig.bodyLimit ?? 0) };
}

const mebibyte = 1 << 20;
const kibibyte = 1 << 10;

function sizeOf(octets: number): string {
  if (octets % mebibyte === 0) return `${octets / mebibyte} MiB`;
  return octets % kibibyte === 0 ? `${octets / kibibyte} KiB` : `${octets} B`;
}

/** What the framework itself refuses, by its status. */
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

/** The error as one of the catalogue; undefined for what is our own failure. */
export function asApiError(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  // Intake settles what is in doubt itself; of what else meets this, only canceling writes, and it looks after its own.
  if (error instanceof DatabaseUnavailable)
    return ApiError.unavailable(databaseRetrySeconds, findingCatalogue["database.away"]);
  if (error instanceof WorkQueueFull) return ApiError.unavailable(1);
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
    // The framework closes the connection after any body that is refused; what may follow one of another kind is a next request.
    if (apiError.errorName === "unsupportedMediaType") reply.removeHeader("connection");
    void reply.code(apiError.status).headers(apiError.details.headers ?? {});
    void reply.send(errorBody(apiError, language, limitsOf(request)));
    return;
  }
  const errorId = randomInt(firstErrorId, lastErrorId + 1);
  telemetry.emit("http.failed", { errorId, error });
  const errorMessage = word(serverErrorWording, language, { errorId });
  void reply.code(500).send(JSON.stringify({ errorCode: errorId, errorMessage }));
}
