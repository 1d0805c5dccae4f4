// Answers input that never became a request: malformed HTTP, headers beyond the limit, a request
// that did not arrive in time. Only a socket exists then, no reply object.
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { ApiError, findingCatalogue, type ErrorName, type FindingKey } from "../texts/errors.ts";
import { errorBody, jsonType } from "./error-response.ts";

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
