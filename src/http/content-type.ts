// Handles the Content-Type of the caller. The framework refuses values that are not a media type,
// but some clients send them (decisions §1 "Bodies"), so they are replaced before the framework
// reads them.
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
