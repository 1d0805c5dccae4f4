// Checks the Host header field (RFC 9112 §3.2): exactly one in HTTP/1.1, and never two, because two
// readers would not agree on the host.
import type { IncomingMessage } from "node:http";

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
