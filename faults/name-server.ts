// A name server (RFC 1035) whose answers a case makes up at every question, for gateways that are
// preloaded with own-names.js.
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import path from "node:path";
import { pathToFileURL } from "node:url";

const preload = pathToFileURL(path.join(import.meta.dirname, "own-names.js")).href;
const headerOctets = 12;
/** Type and class behind a name. */
const afterNameOctets = 4;
const typeA = 1;
/** A response, authoritative, that repeats "recursion desired" and says "available". */
const answerFlags = 0x8580;

interface Question {
  readonly name: string;
  readonly type: number;
  /** As it stood in the query. */
  readonly octets: Buffer;
}

function readQuestion(query: Buffer): Question {
  const labels: string[] = [];
  let at = headerOctets;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const octets = query.subarray(headerOctets, at + 1 + afterNameOctets);
  return { name: labels.join("."), type: query.readUInt16BE(at + 1), octets };
}

/** One that counts for no longer than the question. */
function addressRecord(address: string): Buffer {
  const head = Buffer.from("c00c00010001000000000004", "hex");
  return Buffer.concat([head, Buffer.from(address.split(".").map(Number))]);
}

function answerTo(query: Buffer, address: string | undefined): Buffer {
  const { type, octets } = readQuestion(query);
  const records = type === typeA && address !== undefined ? [addressRecord(address)] : [];
  const header = Buffer.alloc(headerOctets);
  header.writeUInt16BE(query.readUInt16BE(0), 0);
  header.writeUInt16BE(answerFlags, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, octets, ...records]);
}

export class NameServer {
  readonly #socket: Socket;

  /** `addressOf` is asked for the IPv4 address at each look; undefined: the name has none. */
  static async start(addressOf: (name: string) => string | undefined): Promise<NameServer> {
    const socket = createSocket("udp4", (query, { port, address }) => {
      const { name, type } = readQuestion(query);
      socket.send(answerTo(query, type === typeA ? addressOf(name.toLowerCase()) : undefined), port, address);
    });
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    return new NameServer(socket);
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** To start the gateway with. */
  get env(): Readonly<Record<string, string>> {
    return { NODE_OPTIONS: `--import=${preload}`, FAULTS_NAME_SERVER: `127.0.0.1:${this.#socket.address().port}` };
  }

  async stop(): Promise<void> {
    await new Promise<void>((done) => this.#socket.close(done));
  }
}
