// Pipelines of HTTP requests whose queries hold raw octets, with the same requests percent-encoded,
// and what a server answers to either.
import { connect } from "node:net";
import type { Random } from "./random.ts";
import { octetsOf, textOfOctets } from "./value.ts";

/** One character an octet. */
export interface PipelinedRequest {
  readonly [key: string]: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly version: string;
  readonly header: string;
  readonly body: string;
  readonly framing: string;
}

const texts = ["سلام", "é", "😀", "a=GET /x?", "کد: ۱۲۳", "plain", "", "100%", "%D8%B3", "&&b="];
const bodies = ["", "GET", "{}", "abcPO", "POST /b?\u00d8", "x\nGET /c?y=", "سGET /d?", "\r\n\r\n", "M-"];

export function anyRequest(random: Random): PipelinedRequest {
  const method = random.pick(["GET", "GET", "POST", "HEAD"]);
  const name = random.pick(["content", "apiKey", "c", "a/b?c"]);
  const value = random.list(0, 4, () => octetText(random)).join("");
  return {
    method,
    path: random.pick(["/api/v1/messages/send/url", "/", "/health/live", "//x"]),
    query: `${name}=${value.replace(/[\s#]/g, "+")}`,
    version: random.chance(0.1) ? "1.0" : "1.1",
    header: random.pick([
      "",
      "",
      "Connection: Upgrade\r\nUpgrade: h2c\r\n",
      `X-Odd: GET /x?y=${octetText(random).replace(/[^\x20-\xff]/g, "")}\r\n`,
    ]),
    body: method === "POST" ? textOfOctets(Buffer.from(random.pick(bodies))) : "",
    framing: random.pick(["length", "length", "chunked"]),
  };
}

function octetText(random: Random): string {
  // Invalid UTF-8 is for the reader of the query to judge, not for the parser.
  if (random.chance(0.15)) return random.octets(random.between(1, 4)).replace(/[\x00-\x20\x7f]/g, "_");
  return textOfOctets(Buffer.from(random.pick(texts)));
}

/** All requests but the last ask to go on, which HTTP/1.0 does not by itself. */
export function wireOfPipeline(requests: readonly PipelinedRequest[], encode: boolean): Buffer {
  const texts = requests.map((request, index) => {
    const query = encode ? request.query.replace(/[\x80-\xff]/g, escape) : request.query;
    const connection = index === requests.length - 1 ? "close" : "keep-alive";
    const line = `${request.method} ${request.path}?${query} HTTP/${request.version}\r\n`;
    return `${line}Host: fuzz\r\nConnection: ${connection}\r\n${request.header}${frame(request)}`;
  });
  return octetsOf(texts.join(""));
}

function escape(octet: string): string {
  return `%${octet.charCodeAt(0).toString(16).toUpperCase()}`;
}

function frame({ body, framing, version }: PipelinedRequest): string {
  if (body === "") return "\r\n";
  if (framing === "length" || version === "1.0") return `Content-Length: ${body.length}\r\n\r\n${body}`;
  return `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
}

/**
 * Undefined when the server has not closed within `patienceMs`. Pieces go out in turns of the event
 * loop of their own.
 */
export function converse(port: number, pieces: readonly Buffer[], patienceMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    const giveUp = setTimeout(() => {
      resolve(undefined);
      socket.destroy();
    }, patienceMs);
    socket.on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("close", () => {
      clearTimeout(giveUp);
      resolve(Buffer.concat(chunks).toString("latin1"));
    });
    const [...rest] = pieces;
    const writeNext = (): void => {
      const piece = rest.shift();
      if (piece !== undefined && !socket.destroyed) socket.write(piece, () => setImmediate(writeNext));
    };
    writeNext();
  });
}

/** Cut before each of the places. */
export function cut(octets: Buffer, places: readonly number[]): Buffer[] {
  const marks = [...new Set([0, ...places, octets.length])].sort((a, b) => a - b);
  return marks.slice(1).map((mark, index) => octets.subarray(marks[index], mark));
}
