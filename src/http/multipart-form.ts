// Reads the fields of a multipart/form-data body (RFC 7578) that is complete in memory and bounded.
// Pure. Our own code, because streaming parsers repair invalid UTF-8 silently and apply their own
// size limits. File parts count as fields: the URL endpoints take no files, and some clients label
// every part as a file.
import { decodeUtf8, undecodableMark, type PairList, type TextPair } from "./query-string.ts";

const boundaryParameter = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;",]{1,200}))/i;
const nameParameter = /;\s*name=(?:"((?:[^"\\\r\n]|\\.)*)"|([^\s;"]+))/i;

export function boundaryOf(contentType: string): string | undefined {
  const match = boundaryParameter.exec(contentType);
  return match?.[1] ?? match?.[2];
}

/** The fields in order, or undefined if the body is not a form with this boundary. */
export function readMultipart(body: Buffer, boundary: string, maximumPairs: number): PairList | undefined {
  const delimiter = Buffer.from(`--${boundary}`, "latin1");
  const pairs: TextPair[] = [];
  let start = body.indexOf(delimiter);
  while (start !== -1) {
    const begin = start + delimiter.length;
    // "--" after the delimiter closes the form.
    if (body[begin] === 0x2d && body[begin + 1] === 0x2d) return { pairs, hasMore: false };
    if (pairs.length === maximumPairs) return { pairs, hasMore: true };
    const next = body.indexOf(delimiter, begin);
    if (next === -1) return undefined;
    const pair = readPart(body.subarray(begin, next));
    if (pair === undefined) return undefined;
    pairs.push(pair);
    start = next;
  }
  return undefined;
}

/** Browsers write less than a tenth of it. */
const maximumHeadOctets = 8 << 10;

function readPart(part: Buffer): TextPair | undefined {
  const separator = part.subarray(0, maximumHeadOctets).indexOf("\r\n\r\n");
  if (separator === -1) return undefined;
  const head = decodeUtf8(part.subarray(0, separator));
  const disposition = head?.split("\r\n").find((line) => line.toLowerCase().startsWith("content-disposition:"));
  const name = nameParameter.exec(disposition ?? "");
  if (name === null) return undefined;
  // The line break before the next delimiter belongs to the delimiter.
  const end = part.at(-1) === 0x0a && part.at(-2) === 0x0d ? part.length - 2 : part.length;
  const octets = part.subarray(separator + 4, Math.max(end, separator + 4));
  return {
    name: (name[1] ?? name[2] ?? "").replace(/\\(.)/g, "$1"),
    read: () => decodeUtf8(octets) ?? undecodableMark + octets.toString("latin1"),
  };
}
