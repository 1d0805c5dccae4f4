// Answers input that never became a request: malformed HTTP, headers beyond the limit, a request
// that did not arrive in time. Only a socket exists then, no reply object.
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { ApiError, findingCatalogue, type ErrorName } from "../texts/errors.ts";
import { errorBody, jsonType } from "./error-response.ts";
import { takeRefusal } from "./raw-query.ts";

const names: Readonly<Record<string, ErrorName>> = {
  HPE_HEADER_OVERFLOW: "tooLarge",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "tooLarge",
  ERR_HTTP_REQUEST_TIMEOUT: "requestTimeout",
};

/** A peer that keeps writing is disconnected after this time. */
const lingerMs = 2_000;

/**
 * `afterAnswers`: waits for the answers to earlier requests of the connection, which must not be
 * lost.
 */
export function answerBrokenRequest(
  error: Error & { readonly code?: string },
  socket: Socket,
  afterAnswers: (then: () => void) => void,
): void {
  if (takeRefusal(error, socket)) return;
  if (error.code === "ECONNRESET" || !socket.writable || socket.destroyed) socket.destroy();
  else afterAnswers(() => answerAndClose(error, socket));
}

function answerAndClose(error: Error & { readonly code?: string }, socket: Socket): void {
  const name = names[error.code ?? ""] ?? "malformedRequest";
  const apiError = new ApiError(name, name === "tooLarge" ? { text: findingCatalogue["head.tooLarge"] } : {});
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
