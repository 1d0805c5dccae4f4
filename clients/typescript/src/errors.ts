// Everything the client throws, apart from the reason of an abort signal, which is thrown as it is.
import type { BatchError } from "./api-types.ts";

export type ValidationFinding = NonNullable<BatchError["validationErrors"]>[number];
export type RefusedMessage = NonNullable<BatchError["messages"]>[number];

/** The base of all errors of this package. */
export class HodhodError extends Error {
  override name = "HodhodError";
  /**
   * Of a send: the key of its tries. A later call with the same message and this key sends nothing
   * twice.
   */
  idempotencyKey?: string;
}

/** No answer came: the call may have been carried out or not. */
export class ConnectionError extends HodhodError {
  override name = "ConnectionError";
}

/** No whole answer came in time: the call may have been carried out or not. */
export class TimeoutError extends ConnectionError {
  override name = "TimeoutError";
}

/** What answered is not a Hodhod gateway, or something between it and this client answered. */
export class UnexpectedAnswerError extends HodhodError {
  override name = "UnexpectedAnswerError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface ApiErrorFields {
  /** HTTP status. */
  readonly status: number;
  /** See docs/errors.md of the gateway. Decide by it, never by the message. */
  readonly errorCode: number;
  readonly errorMessage: string;
  readonly validationErrors?: readonly ValidationFinding[];
  readonly messages?: readonly RefusedMessage[];
  readonly retryAfterSeconds?: number;
}

/** The gateway refused the call. */
export class ApiError extends HodhodError {
  override name = "ApiError";
  readonly status: number;
  readonly errorCode: number;
  /** With errorCode 1001: what is wrong with each field. */
  readonly validationErrors: readonly ValidationFinding[];
  /** Of a call with several messages that were all refused. */
  readonly messages: readonly RefusedMessage[];
  readonly retryAfterSeconds: number | undefined;

  constructor(fields: ApiErrorFields) {
    const findings = fields.validationErrors ?? [];
    const details = findings.map(({ field, errorMessage }) => `; ${field}: ${errorMessage}`).join("");
    super(`${fields.errorCode}: ${fields.errorMessage}${details}`);
    this.status = fields.status;
    this.errorCode = fields.errorCode;
    this.validationErrors = findings;
    this.messages = fields.messages ?? [];
    this.retryAfterSeconds = fields.retryAfterSeconds;
  }
}

/** 401: the key, token or credentials are wrong. */
export class AuthenticationError extends ApiError {
  override name = "AuthenticationError";
}

/** 403: no permission for the method (1005), or this address is not allowed (1006). */
export class PermissionDeniedError extends ApiError {
  override name = "PermissionDeniedError";
}

/** 1001: values are malformed; `validationErrors` names the fields. */
export class ValidationError extends ApiError {
  override name = "ValidationError";
}

/**
 * 409 or 422: an idempotency key is in use (1205) or names another call (1206), or a replay is
 * under way (1209).
 */
export class ConflictError extends ApiError {
  override name = "ConflictError";
}

/** 429: too many calls. */
export class RateLimitError extends ApiError {
  override name = "RateLimitError";
}

/** 500 (give `errorCode` to support), or 503 (nothing was stored). */
export class ServerError extends ApiError {
  override name = "ServerError";
}

/** `waitForFinal` waited as long as it may. */
export class WaitTimeoutError extends HodhodError {
  override name = "WaitTimeoutError";
}

export type WebhookFault = "secret" | "headers" | "timestamp" | "signature" | "body";

/** The request is not one that this gateway signed, or not one of now. Answer it 400. */
export class WebhookVerificationError extends HodhodError {
  override name = "WebhookVerificationError";
  /** What is wrong; "secret" means the secrets given by your program. */
  readonly fault: WebhookFault;

  constructor(fault: WebhookFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

/** The class that fits a refusal. */
export function apiError(fields: ApiErrorFields): ApiError {
  const { status, errorCode } = fields;
  if (errorCode === 1001) return new ValidationError(fields);
  if (status === 401) return new AuthenticationError(fields);
  if (status === 403) return new PermissionDeniedError(fields);
  if (status === 409 || status === 422) return new ConflictError(fields);
  if (status === 429) return new RateLimitError(fields);
  return status >= 500 ? new ServerError(fields) : new ApiError(fields);
}
