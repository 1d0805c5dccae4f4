// Whether a request names its host as it must (RFC 9112 §3.2): once in HTTP/1.1, and in no version twice, since two readers
// would not agree on whom it is for.
import type { IncomingMessage } from "node:http";

export function namesHostWrongly({ httpVersion, headers, rawHeaders }: IncomingMessage): boolean {
  if (headers.host === undefined) return httpVersion === "1.1";
  let count = 0;
  // Names stand at the even places. Node.js keeps the first of several hosts, and says so nowhere else.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === "host") count += 1;
  }
  return count > 1;
}
