// Accepts queries with unencoded octets above 0x7f (`curl '…?content=سلام'`), which the parser of
// Node.js refuses with HPE_INVALID_URL. The parser alone still decides where a message begins and
// ends. When it refuses such an octet, it is reset to the start of that message and gets the
// request line again, with the octets of the query percent-encoded. It never gets octets of another
// message twice. From then on all input of the connection passes through here, because a query may
// arrive in any number of pieces.
//
// It also stops the parser between two messages: one read of 64 KiB may hold thousands of them. And
// it gives the parser what follows a message that offers an upgrade, which Node.js would drop.
import type { IncomingMessage, Server } from "node:http";
import { Socket } from "node:net";
import { bodyOctetsOf } from "./body-octets.ts";
import { OctetHold } from "./octet-hold.ts";

/** Internal fields of the parser of Node.js, in versions 20 to 24. */
interface Parser {
  readonly constructor: { readonly REQUEST: number; readonly kOnMessageBegin: number; readonly kOnExecute: number };
  [callback: number]: ((result: unknown) => void) | null | undefined;
  onIncoming: ((request: IncomingMessage, keepAlive: unknown) => unknown) | null;
  _consumed: boolean;
  unconsume(): void;
  execute(octets: Buffer): unknown;
  /** When `onIncoming` has returned `stopHere`; the piece was answered with HPE_PAUSED. */
  resume(): void;
  remove(): void;
  initialize(kind: number, resource: object, maximumHead: number, leniency: number, connections: object): void;
  getCurrentBuffer(): Buffer;
}

const readerKey = Symbol("raw query");

interface ServerSocket extends Socket {
  readonly parser?: Parser | null;
  /** Node.js is not reading now, because too many octets of its answers are unsent. */
  readonly _paused?: boolean;
  [readerKey]?: RawQueryReader;
}

interface Stream {
  readonly on: (this: Socket, event: "data", listener: (octets: Buffer) => void) => unknown;
}

interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

const newline = 0x0a;
const space = 0x20;
const hash = 0x23;
const percent = 0x25;
const questionMark = 0x3f;
const notLenient = 0;
/** What `onIncoming` answers of a head: the body follows, or stop (HPE_PAUSED of llhttp). */
const goOn = 0;
const stopHere = 21;
/** An empty line before a request is skipped (RFC 9112 §2.2). */
const emptyLine: Buffer = Buffer.from("\r\n");
const firstRawOctet = 0x80;
const nothing: Buffer = Buffer.alloc(0);

/**
 * No other method known to Node.js ends with one of these names, so octets before them belong to
 * another message.
 */
const methods: readonly Buffer[] = ["GET", "POST", "HEAD"].map((method) => Buffer.from(method));

/** Call it before the server listens. `maximumHead`: maximum octets of a head for the parser. */
export function readRawQueries(server: Server, maximumHead: number): void {
  let connections: object | undefined;
  server.on("connection", (socket: ServerSocket) => {
    connections ??= connectionsOf(server);
    const { parser } = socket;
    if (parser && connections)
      socket[readerKey] = new RawQueryReader(socket, parser, { server, connections, maximumHead });
  });
}

/**
 * Returns whether the error is none: a raw octet in a query, which is repaired, or a message after
 * which the parser was to stop. If not, nothing more is read from the socket.
 */
export function takeRefusal(error: ParserError, socket: ServerSocket): boolean {
  return socket[readerKey]?.take(error) === true;
}

/**
 * Call it with a request that has just arrived: the messages after it stay octets. They are parsed
 * when the socket, which the caller has paused, is resumed.
 */
export function stopParsingAfter(socket: ServerSocket): void {
  socket[readerKey]?.stopAfterMessage();
}

/** Whether a head has arrived partly. */
export function isInHead(socket: ServerSocket): boolean {
  return socket[readerKey]?.isInHead === true;
}

/**
 * The list in which Node.js looks for heads and requests that take too long. It exists once the
 * server listens.
 */
function connectionsOf(server: Server): object | undefined {
  const key = Object.getOwnPropertySymbols(server).find(({ description }) => description === "http.server.connections");
  return key === undefined ? undefined : (Reflect.get(server, key) as object | undefined);
}

interface ParserSettings {
  readonly server: Server;
  readonly connections: object;
  readonly maximumHead: number;
}

/** Of a request that offers an upgrade, which stays in memory until its octets have arrived. */
type Offer = Pick<IncomingMessage, "complete">;
const completeOffer: Offer = { complete: true };

class RawQueryReader {
  isInHead = false;
  readonly #socket: ServerSocket;
  readonly #parser: Parser;
  readonly #settings: ParserSettings;
  /**
   * In an incomplete head: the octets since the last line break. In a raw query: the unencoded
   * request line so far.
   */
  readonly #line = new OctetHold();
  /** The parser is at the start of a message whose request line is collected here. */
  #isInQuery = false;
  #rawOctets = 0;
  #isRefused = false;
  /**
   * Passes octets to the parser. Absent while the parser reads directly from the socket, without
   * JavaScript.
   */
  #parse: ((octets: Buffer) => void) | undefined;
  /** Octets that the parser did not take. */
  #left = nothing;
  /** The parser stops after the head that it is reading. */
  #mustStop = false;
  /** It has stopped there. */
  #hasStopped = false;
  /** Octets of the body of the message at whose head it stopped; undefined: nobody knows. */
  #bodyOctets: number | undefined;
  /**
   * The latest request, if it offers an upgrade. Then the parser takes nothing behind it in its
   * piece, and until the end of the next head it answers a count instead of an error.
   */
  #offer: Offer | undefined;
  /** What the parser answered to the latest piece that it got from here: a count or an error. */
  #taken: unknown;

  constructor(socket: ServerSocket, parser: Parser, settings: ParserSettings) {
    this.#socket = socket;
    this.#parser = parser;
    this.#settings = settings;
    this.#followHeads();
  }

  take({ code, rawPacket, bytesParsed = -1 }: ParserError): boolean {
    if (code === "HPE_PAUSED" && this.#hasStopped && rawPacket !== undefined) {
      this.#stop(rawPacket.subarray(bytesParsed));
      return true;
    }
    const isTaken = code === "HPE_INVALID_URL" && rawPacket !== undefined && this.#takeRawOctet(rawPacket, bytesParsed);
    this.#isRefused = !isTaken;
    return isTaken;
  }

  stopAfterMessage(): void {
    this.#mustStop = true;
  }

  #followHeads(): void {
    const parser = this.#parser;
    const { kOnMessageBegin, kOnExecute } = parser.constructor;
    const { onIncoming, [kOnExecute]: onExecute } = parser;
    parser[kOnMessageBegin] = () => {
      this.isInHead = true;
    };
    parser.onIncoming = (request, keepAlive) => {
      this.isInHead = false;
      this.#offer = request.headers.upgrade === undefined ? undefined : request;
      const answer = onIncoming?.(request, keepAlive);
      if (!this.#mustStop || answer !== goOn) return answer;
      this.#mustStop = false;
      this.#hasStopped = true;
      this.#bodyOctets = bodyOctetsOf(request.headers);
      return stopHere;
    };
    // Called after each piece that the parser has read from the socket.
    parser[kOnExecute] = (result) => {
      onExecute?.(result);
      if (this.#parse !== undefined || this.#socket.parser !== parser) return;
      const octets = parser.getCurrentBuffer();
      const isGoingOn = this.#offer !== undefined && this.#goOnAfter(this.#offer, octets, result);
      if (!isGoingOn) this.#endPiece(octets);
    };
  }

  #endPiece(octets: Buffer): void {
    this.#letOfferGo();
    if (this.isInHead) this.#note(octets);
    else this.#line.clear();
  }

  #letOfferGo(): void {
    if (this.#offer?.complete === true) this.#offer = completeOffer;
  }

  #note(octets: Buffer): void {
    const lineBreak = octets.lastIndexOf(newline);
    if (lineBreak !== -1) this.#line.clear();
    this.#line.add(octets.subarray(lineBreak + 1));
  }

  /** `end`: where the parser met an error. */
  #takeRawOctet(octets: Buffer, end: number): boolean {
    if ((octets[end] ?? 0) < firstRawOctet) return false;
    this.#note(octets.subarray(0, end));
    const start = startOfRequest(this.#line.octets);
    if (start === -1) return false;
    this.#line.dropFirst(start);
    this.#isInQuery = true;
    this.#setParserBack();
    this.#goOnWith(octets.subarray(end));
    return true;
  }

  /** Returns whether the parser has not taken the piece, or not yet. */
  #goOnAfter(offer: Offer, octets: Buffer, taken: unknown): boolean {
    if (typeof taken !== "number" || (taken === octets.length && !this.#hasStopped)) return false;
    if (this.#hasStopped) this.#stop(octets.subarray(taken));
    else if (this.isInHead && this.#takeRawOctet(octets, taken)) return true;
    else if (!this.isInHead && offer.complete && taken > 0) this.#goOnWith(octets.subarray(taken));
    else this.#refuse();
    return true;
  }

  /** The parser has met an error that it does not tell. */
  #refuse(): void {
    this.#isRefused = true;
    this.#settings.server.emit("clientError", new Error("malformed"), this.#socket);
  }

  #stop(left: Buffer): void {
    this.#hasStopped = false;
    this.#line.clear();
    this.#parser.resume();
    const body = left.subarray(0, this.#bodyOctets ?? 0);
    // The message would otherwise wait for its end, and time out.
    if (body.length > 0) this.#parser.execute(body);
    else if (this.#bodyOctets === 0) this.#parser.execute(emptyLine);
    // Node.js resumes the socket with the end of each message.
    this.#socket.pause();
    this.#goOnWith(left.subarray(body.length));
  }

  #goOnWith(left: Buffer): void {
    this.#letOfferGo();
    this.#taken = undefined;
    if (this.#parse !== undefined) {
      // #read is running and continues with what is left.
      this.#left = left;
      return;
    }
    this.#parse = this.#takeReading();
    this.#read(left);
  }

  /** Makes the parser forget the head that it has begun. Its timeouts start again. */
  #setParserBack(): void {
    const { connections, maximumHead } = this.#settings;
    // Before its time changes, because the list is sorted by time.
    this.#parser.remove();
    this.#parser.initialize(this.#parser.constructor.REQUEST, {}, maximumHead, notLenient, connections);
    this.isInHead = true;
  }

  /**
   * From now on #read gets the octets of the socket. Returns the function with which Node.js
   * processes octets from JavaScript.
   */
  #takeReading(): (octets: Buffer) => void {
    const socket = this.#socket;
    const listeners = socket.listeners("data") as ((octets: Buffer) => void)[];
    socket.removeAllListeners("data");
    this.#parser.unconsume();
    this.#parser._consumed = false;
    // Not `socket.on`: Node.js has replaced it with one that disables its own handling of pauses.
    const prototype: Stream = Socket.prototype;
    prototype.on.call(socket, "data", (octets: Buffer) => this.#read(octets));
    socket.prependListener("end", () => {
      if (this.#isInQuery) this.#give(this.#endQuery());
    });
    const parser = this.#parser;
    const execute = parser.execute.bind(parser);
    return (octets) => {
      parser.execute = (piece) => (this.#taken = execute(piece));
      for (const listener of listeners) listener(octets);
      parser.execute = execute;
    };
  }

  #read(octets: Buffer): void {
    let rest = octets;
    while (rest.length > 0 && !this.#isRefused && this.#socket.parser === this.#parser) {
      if (this.#socket._paused === true || this.#socket.isPaused()) {
        this.#socket.pause();
        // A copy: a short rest must not hold the whole piece in memory.
        this.#socket.unshift(Buffer.from(rest));
        return;
      }
      rest = this.#isInQuery ? this.#readQuery(rest) : this.#give(rest);
    }
  }

  /** Collects the query. Returns the octets after it. */
  #readQuery(octets: Buffer): Buffer {
    const { end, rawOctets } = measureQuery(octets);
    this.#line.add(octets.subarray(0, end));
    this.#rawOctets += rawOctets;
    // The parser refuses a query that is too long, like other lines.
    const isTooLong = this.#line.length + 2 * this.#rawOctets > this.#settings.maximumHead;
    if (end < octets.length || isTooLong) this.#give(this.#endQuery());
    return octets.subarray(end);
  }

  #endQuery(): Buffer {
    const encoded = percentEncode(this.#line.octets, this.#rawOctets);
    this.#line.clear();
    this.#rawOctets = 0;
    this.#isInQuery = false;
    return encoded;
  }

  /**
   * Returns the octets that the parser has not taken: those from a raw octet on, if it is repaired,
   * those after a message at which it stopped, and those after one that offers an upgrade.
   */
  #give(octets: Buffer): Buffer {
    this.#parse?.(octets);
    if (this.#offer !== undefined && this.#left.length === 0) this.#goOnAfter(this.#offer, octets, this.#taken);
    const left = this.#left;
    // Also an empty rest would hold the whole piece in memory while the connection is idle.
    this.#left = nothing;
    if (left.length === 0) this.#endPiece(octets);
    return left;
  }
}

/** The start of the request whose query the octets end in; -1 if they do not end in a query. */
function startOfRequest(octets: Buffer): number {
  const end = octets.lastIndexOf(space);
  const target = octets.subarray(end + 1);
  if (end === -1 || !target.includes(questionMark) || target.includes(hash)) return -1;
  const method = methods.find((each) => octets.subarray(Math.max(0, end - each.length), end).equals(each));
  return method === undefined ? -1 : end - method.length;
}

/** How many of the octets belong to the query at their start, and how many of those are raw. */
function measureQuery(octets: Buffer): { readonly end: number; readonly rawOctets: number } {
  let rawOctets = 0;
  for (let index = 0; index < octets.length; index += 1) {
    const octet = octets[index] ?? 0;
    if (octet <= space || octet === hash) return { end: index, rawOctets };
    if (octet >= firstRawOctet) rawOctets += 1;
  }
  return { end: octets.length, rawOctets };
}

const hexDigits = Buffer.from("0123456789ABCDEF");

function percentEncode(octets: Buffer, rawOctets: number): Buffer {
  const encoded = Buffer.allocUnsafe(octets.length + 2 * rawOctets);
  let length = 0;
  for (let index = 0; index < octets.length; index += 1) {
    const octet = octets[index] ?? 0;
    if (octet < firstRawOctet) {
      encoded[length++] = octet;
      continue;
    }
    encoded[length++] = percent;
    encoded[length++] = hexDigits[octet >> 4] ?? 0;
    encoded[length++] = hexDigits[octet & 15] ?? 0;
  }
  return encoded;
}
