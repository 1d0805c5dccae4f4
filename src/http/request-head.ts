// What is checked and corrected in the head of a request before the framework reads it.
import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";

const mediaType = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

/**
 * The longest boundary of a form has 200 characters (multipart-form.ts). The framework caches
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
