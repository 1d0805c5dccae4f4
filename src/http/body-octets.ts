// Which octets of a body follow the head of a request (RFC 9112 §6.3).
import type { IncomingHttpHeaders } from "node:http";

/** Undefined: the body comes in chunks, or in another coding. */
export function bodyOctetsOf(headers: IncomingHttpHeaders): number | undefined {
  return headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : undefined;
}

export function announcesBody(headers: IncomingHttpHeaders): boolean {
  return bodyOctetsOf(headers) !== 0;
}
