// A load of HTTP calls over keep-alive connections, one call at a time on each: as cheap for the machine as it can be, since it shares its cores
// with what is measured. Run as a process: prints one JSON line.
import { connect, type Socket } from "node:net";
import { performance } from "node:perf_hooks";

export interface LoadOptions {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** Calls per second over all connections; 0: as many as are answered. */
  readonly callsPerSecond: number;
  /** Requests as they go over the wire, taken in turn. */
  readonly requests: readonly string[];
}

export interface LoadResult {
  readonly answered: number;
  readonly refused: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export async function runLoad({
  port,
  connections,
  seconds,
  callsPerSecond,
  requests,
}: LoadOptions): Promise<LoadResult> {
  const buffers = requests.map((request) => Buffer.from(request));
  const latencies: number[] = [];
  let refused = 0;
  let next = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  const pauseMs = callsPerSecond > 0 ? (connections / callsPerSecond) * 1000 : 0;
  const one = (index: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket: Socket = connect({ host: "127.0.0.1", port });
      let sentAt = 0;
      let dueAt = startedAt + (pauseMs * index) / connections;
      let received: Buffer = Buffer.alloc(0);
      const send = (): void => {
        const now = performance.now();
        if (now >= endsAt) {
          socket.end();
          resolve();
          return;
        }
        if (pauseMs > 0 && now < dueAt) {
          setTimeout(send, dueAt - now);
          return;
        }
        // At a fixed rate a late answer counts from when its call was due, so that a stall is not hidden by calls that were never made.
        sentAt = pauseMs > 0 ? dueAt : now;
        dueAt += pauseMs;
        socket.write(buffers[next++ % buffers.length] ?? "");
      };
      socket.setNoDelay(true);
      socket.on("connect", send);
      socket.on("error", reject);
      socket.on("data", (chunk: Buffer) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        const length = answerLength(received);
        if (length === undefined || received.length < length) return;
        latencies.push(performance.now() - sentAt);
        // "HTTP/1.1 2"
        if (received[9] !== 0x32) refused += 1;
        received = Buffer.alloc(0);
        send();
      });
    });
  await Promise.all(Array.from({ length: connections }, (_, index) => one(index)));
  latencies.sort((left, right) => left - right);
  const at = (share: number): number =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  return {
    answered: latencies.length - refused,
    refused,
    seconds: (performance.now() - startedAt) / 1000,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  };
}

function answerLength(received: Buffer): number | undefined {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const match = /content-length: *(\d+)/i.exec(received.toString("latin1", 0, headEnd));
  return headEnd + 4 + Number(match?.[1] ?? 0);
}

const requestsOf: Record<string, (key: string, count: number) => string[]> = {
  single: (key, count) => Array.from({ length: count }, () => post("/messages/send", key, singleBody())),
  bulk: (key, count) => Array.from({ length: count }, () => post("/messages/send/bulk", key, bulkBody(100))),
  template: (key, count) => Array.from({ length: count }, () => post("/messages/send/template", key, templateBody())),
  kannel: (key, count) => Array.from({ length: count }, () => kannelRequest(key)),
  bare: (_key, count) => Array.from({ length: count }, () => post("/", "", singleBody())),
};

function post(path: string, key: string, body: string): string {
  return (
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${key}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

const text = "سلام، کد ورود شما ۱۲۳۴۵۶ است.";

function recipient(): string {
  return `0912${String(1_000_000 + Math.floor(Math.random() * 8_999_999))}`;
}

function singleBody(): string {
  return JSON.stringify({ senderNumber: "10001234", recipientNumber: recipient(), content: text });
}

function bulkBody(recipients: number): string {
  return JSON.stringify({
    senderNumbers: ["10001234"],
    recipientNumbers: Array.from({ length: recipients }, recipient),
    contents: [text],
  });
}

function templateBody(): string {
  return JSON.stringify({
    recipientNumber: recipient(),
    templateId: "TydSt1skQE",
    parameters: [{ name: "code", value: "123456" }],
  });
}

function kannelRequest(key: string): string {
  const query = new URLSearchParams({
    username: "bench",
    password: key,
    from: "10001234",
    to: `98${recipient().slice(1)}`,
    coding: "2",
    charset: "UTF-8",
    "dlr-mask": "31",
    text,
  });
  return `GET /cgi-bin/sendsms?${query.toString()} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
}

if (process.argv[2] !== undefined) {
  const { kind, key, ...options } = JSON.parse(process.argv[2]) as Omit<LoadOptions, "requests"> & {
    kind: string;
    key: string;
  };
  const make = requestsOf[kind];
  if (!make) throw new Error(`no requests of kind ${kind}`);
  const result = await runLoad({ ...options, requests: make(key, 2000) });
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
