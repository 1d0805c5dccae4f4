// The Range header of files that the framework serves. Its reader takes quadratic time: 9 s for a
// mebibyte of commas. A server may ignore the header (RFC 9110 §14.2).
import type { IncomingMessage } from "node:http";

/** Browsers ask for one range. */
const maximumHeaderCharacters = 200;

/** Removes a Range header that is too long; the whole file is sent then. */
export function dropLongRange({ headers }: Pick<IncomingMessage, "headers">): void {
  if ((headers.range?.length ?? 0) > maximumHeaderCharacters) delete headers.range;
}
