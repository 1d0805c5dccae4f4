// One HTTP call over a connection of its own, octet by octet: what no client library would send,
// and the answer as it came.
import { connect } from "node:net";
import { readAnswer } from "../test/support/raw-http.ts";
import { octetsOf, textOfOctets } from "./value.ts";

export interface HttpCall {
  readonly [key: string]: string | readonly (readonly [string, string])[];
  readonly method: string;
  /** Path and query, one character an octet. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  /** One character an octet. */
  readonly body: string;
  /**
   * How the length of the body is told: "length", "chunked", "none", or a length that is a lie:
   * "short", "long".
   */
  readonly framing: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** The request as it goes over the wire; the server is asked to close behind it. */
export function wireOf({ method, target, headers, body, framing }: HttpCall): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const [framed, octets] = frame(body, framing);
  return octetsOf(`${method} ${target} HTTP/1.1\r\nHost: fuzz\r\nConnection: close\r\n${lines}${framed}\r\n${octets}`);
}

/** A sound call with a JSON body, as it goes over the wire. */
export function jsonCall(
  method: string,
  target: string,
  headers: HttpCall["headers"],
  body: object | undefined,
): Buffer {
  const octets = body === undefined ? "" : textOfOctets(Buffer.from(JSON.stringify(body)));
  return wireOf({ method, target, headers, body: octets, framing: body === undefined ? "none" : "length" });
}

function frame(body: string, framing: string): readonly [headers: string, octets: string] {
  switch (framing) {
    case "chunked": {
      const chunk = body === "" ? "" : `${body.length.toString(16)}\r\n${body}\r\n`;
      return ["Transfer-Encoding: chunked\r\n", `${chunk}0\r\n\r\n`];
    }
    case "short":
      return [`Content-Length: ${Math.floor(body.length / 2)}\r\n`, body];
    case "long":
      return [`Content-Length: ${body.length + 7}\r\n`, body];
    case "none":
      return ["", body];
    default:
      return [body === "" ? "" : `Content-Length: ${body.length}\r\n`, body];
  }
}

/**
 * Undefined when the server closed without an answer, or did not answer within `timeoutMs`: where
 * a call is not whole the server waits for the rest, as it must.
 */
export async function exchange(port: number, octets: Buffer, timeoutMs: number): Promise<HttpAnswer | undefined> {
  const socket = connect({ port, host: "127.0.0.1" });
  const giveUp = setTimeout(() => socket.destroy(), timeoutMs);
  socket.on("error", () => undefined);
  socket.write(octets);
  const { status, head, body } = await readAnswer(socket);
  clearTimeout(giveUp);
  socket.destroy();
  if (head === "") return undefined;
  const lines = head.split("\r\n").slice(1);
  return { status, headers: new Map(lines.map(splitHeader)), body };
}

function splitHeader(line: string): readonly [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}
