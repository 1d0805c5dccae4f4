// The label of a body as the caller wrote it. The framework refuses labels that are no media type at all, and clients with such
// labels exist (decisions §1 "Bodies"), so these are put aside before it looks.
import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";

const mediaType = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

/** The longest boundary of a form has 200 characters (multipart-form.ts). The framework keeps labels: 2 MiB each would add up. */
const maximumLabelCharacters = 400;

/** Replaces a label that is no media type, or too long for one; to be called before the body is read. */
export function softenContentType({ headers }: IncomingMessage): void {
  const label = headers["content-type"];
  if (label === undefined || label === "application/json") return;
  if (label.length > maximumLabelCharacters || !mediaType.test(label)) headers["content-type"] = "text/plain";
}

export function contentTypeOf(request: FastifyRequest): string {
  return request.headers["content-type"] ?? "";
}
