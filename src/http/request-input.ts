// Reads the whole body of a request, up to a limit.
import type { IncomingMessage } from "node:http";
import { ApiError } from "../texts/errors.ts";
import type { FastifyRequest } from "fastify";

/** Bodies up to this size are not counted: even those of all connections need little memory. */
const octetsWorthCounting = 16 << 10;

/** The octets of memory that the body may take; 0 if they are not worth counting. */
export function octetsToCount({ headers }: Pick<IncomingMessage, "headers">, maximum: number): number {
  const octets = headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : maximum;
  return octets > octetsWorthCounting ? Math.min(octets, maximum) : 0;
}

const noOctets = Buffer.alloc(0);

/** Refuses at once, and leaves the rest unread. */
export function readBody(
  request: IncomingMessage,
  maximum: number,
  done: (error: Error | null, body?: Buffer) => void,
): void {
  const encoding = request.headers["content-encoding"] ?? "identity";
  let body: Buffer = noOctets;
  let length = 0;
  let isOver = false;
  const end = (error?: ApiError): void => {
    if (isOver) return;
    isOver = true;
    if (error === undefined) done(null, body.subarray(0, length));
    else done(error);
  };
  if (encoding.toLowerCase() !== "identity") end(new ApiError("unsupportedMediaType"));
  else if (Number(request.headers["content-length"] ?? 0) > maximum) end(new ApiError("tooLarge"));
  else {
    request.on("data", (piece: Buffer) => {
      if (isOver) return;
      if (length + piece.length > maximum) end(new ApiError("tooLarge"));
      else if (length === 0) body = piece;
      else body = append(body, length, piece);
      length += piece.length;
    });
    request.on("end", () => end());
    const broken = (): void => {
      if (!isOver) end(new ApiError("malformedRequest"));
    };
    request.on("error", broken).on("close", broken);
  }
}

/** Copied, because a list of tiny pieces would take a hundred times their length. */
function append(body: Buffer, length: number, piece: Buffer): Buffer {
  let room = body;
  if (length + piece.length > body.length) {
    room = Buffer.allocUnsafeSlow(Math.max(length + piece.length, 2 * body.length));
    body.copy(room, 0, 0, length);
  }
  piece.copy(room, length);
  return room;
}

// What is checked and corrected in the head of a request before the framework reads it.

const mediaType = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

/**
 * The longest boundary of a form has 200 characters (query-string.ts). The framework caches
 * values, so long ones of 1 MiB would add up.
 */
const maximumLabelCharacters = 400;

/** Replaces a value that is not a media type or is too long. Called before the body is read. */
export function softenContentType({ headers }: IncomingMessage): void {
  const label = headers["content-type"];
  if (label === undefined || label === "application/json") return;
  if (label.length > maximumLabelCharacters || !mediaType.test(label)) headers["content-type"] = "text/plain";
}

export function contentTypeOf(request: FastifyRequest): string {
  return request.headers["content-type"] ?? "";
}

export function namesHostWrongly({ httpVersion, headers, rawHeaders }: IncomingMessage): boolean {
  if (headers.host === undefined) return httpVersion === "1.1";
  let count = 0;
  // Even indexes hold names. Node.js keeps only the first of several Host fields elsewhere.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === "host") count += 1;
  }
  return count > 1;
}

/** Browsers ask for one range. */
const maximumHeaderCharacters = 200;

/** Removes a Range header that is too long; the whole file is sent then. */
export function dropLongRange({ headers }: Pick<IncomingMessage, "headers">): void {
  if ((headers.range?.length ?? 0) > maximumHeaderCharacters) delete headers.range;
}
