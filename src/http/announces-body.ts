// Whether octets of a body follow the head of a request (RFC 9112 §6.3).
import type { IncomingHttpHeaders } from "node:http";

export function announcesBody(headers: IncomingHttpHeaders): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
