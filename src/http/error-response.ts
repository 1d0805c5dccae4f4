// The only place that turns an error into an answer. An internal failure becomes a
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
  type FindingKey,
} from "../texts/errors.ts";
import { localize, type AnswerLanguage, type TextValues } from "../texts/localize.ts";
import { DatabaseUnavailable, TransactionConflict } from "../store/database-errors.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { languageOf } from "./accept-headers.ts";
import { failedMessages } from "../events/representations.ts";
import type { ServerParts } from "./server-parts.ts";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";

export const jsonType = "application/json; charset=utf-8";

/** Retry-After while the database is unreachable. */
const databaseRetrySeconds = 2;

/** Error numbers fit into a signed 32-bit integer. */
export const firstErrorId = 1_000_000_000;
export const lastErrorId = 2_147_483_647;

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

/** Of this server. */
function limitsOf({ server }: FastifyRequest): TextValues {
  return { bodyLimit: Math.floor((server.initialConfig.bodyLimit ?? 0) / 1024) };
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
    void reply.send(errorBody(apiError, language, limitsOf(request)));
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
  if (server.hasRoute({ method: "GET", url: "/docs/errors/:code" }))
    void reply.header("link", `</docs/errors/${code}>; rel="help"`);
}

// What follows a change: this node follows it at once, and if the database was lost while it was
// committed, nobody knows whether it was done. 503 would say that nothing was stored.

class OutcomeUnknown extends Error {
  constructor(cause: Error) {
    super("the database was lost while a change was committed", { cause });
    this.name = "OutcomeUnknown";
  }
}

/** The error of a change, as it may be answered. */
export function unknownIfInDoubt(error: unknown): unknown {
  return error instanceof DatabaseUnavailable && error.inDoubt ? new OutcomeUnknown(error) : error;
}

/** The result of a change, or its error as it may be answered. */
export function withUnknownOutcome<Result>(change: Promise<Result>): Promise<Result> {
  return change.catch((error: unknown) => {
    throw unknownIfInDoubt(error);
  });
}

/**
 * The next call to this node finds the change. Call it when the change is committed. Never rejects:
 * if the change cannot be read now, this node gets it a moment later, like all others.
 */
export async function followChange({ parts }: { readonly parts: Pick<ServerParts, "directory"> }): Promise<void> {
  await parts.directory.refresh().catch(() => undefined);
}

// Answers input that never became a request: malformed HTTP, headers beyond the limit, a request
// that did not arrive in time. Only a socket exists then, no reply object.

const names: Readonly<Record<string, ErrorName>> = {
  HPE_HEADER_OVERFLOW: "tooLarge",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "tooLarge",
  ERR_HTTP_REQUEST_TIMEOUT: "requestTimeout",
};

/** As "clientError" of the server has it. */
interface BrokenRequest extends Error {
  readonly code?: string;
  readonly rawPacket?: unknown;
  readonly bytesParsed?: number;
}

function textKeyOf({ code, rawPacket, bytesParsed = 0 }: BrokenRequest, name: ErrorName): FindingKey | undefined {
  if (name === "tooLarge") return "head.tooLarge";
  const isRaw = code === "HPE_INVALID_URL" && Buffer.isBuffer(rawPacket) && (rawPacket[bytesParsed] ?? 0) > 0x7f;
  return isRaw ? "head.rawOctets" : undefined;
}

/** A peer that keeps writing is disconnected after this time. */
const lingerMs = 2_000;

/**
 * `afterAnswers`: waits for the answers to earlier requests of the connection, which must not be
 * lost.
 */
export function answerBrokenRequest(
  error: BrokenRequest,
  socket: Socket,
  afterAnswers: (then: () => void) => void,
): void {
  if (error.code === "ECONNRESET" || !socket.writable || socket.destroyed) socket.destroy();
  else afterAnswers(() => answerAndClose(error, socket));
}

function answerAndClose(error: BrokenRequest, socket: Socket): void {
  const name = names[error.code ?? ""] ?? "malformedRequest";
  const key = textKeyOf(error, name);
  const apiError = new ApiError(name, key && { text: findingCatalogue[key] });
  const body = errorBody(apiError, "en");
  const head = [
    `HTTP/1.1 ${apiError.status} ${STATUS_CODES[apiError.status] ?? ""}`,
    `content-type: ${jsonType}`,
    `content-length: ${Buffer.byteLength(body)}`,
    "cache-control: no-store",
    "x-content-type-options: nosniff",
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  socket.resume();
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
