// What the package gives.
export type {
  FailedMessage,
  MessageState,
  Operations,
  PreviewedMessage,
  ReceivedMessage,
  SentMessage,
  UnknownMessage,
} from "./api-types.ts";
export { HodhodClient, isFinal } from "./client.ts";
export type {
  Endpoint,
  EndpointAttempt,
  EventOptions,
  ListOptions,
  OptOutOptions,
  PageOptions,
  ReadOptions,
  Replay,
  SendOptions,
  WaitOptions,
} from "./client.ts";
export { CursorReader, type CursorReaderOptions } from "./cursor-reader.ts";
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  HodhodError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
  TimeoutError,
  UnexpectedAnswerError,
  ValidationError,
  WaitTimeoutError,
  WebhookVerificationError,
} from "./errors.ts";
export type { RefusedMessage, ValidationFinding, WebhookFault } from "./errors.ts";
export type { CallOptions, ClientOptions, Credentials, Fetch } from "./transport.ts";
export { verifyWebhook } from "./webhooks.ts";
export type {
  OptOut,
  VerificationOptions,
  WebhookDelivery,
  WebhookEvent,
  WebhookEventData,
  WebhookEventType,
  WebhookHeaders,
  WebhookRequest,
} from "./webhooks.ts";
