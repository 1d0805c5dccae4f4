// Writes log lines in JSON (pino), one line per telemetry event. Lines never contain message text,
// phone numbers of a body, or credentials: secret parameters of URLs lose their values, and
// database errors lose the values of rows.
import { pino, type DestinationStream, type Logger, type LoggerOptions } from "pino";
import type { Config } from "./config.ts";
import type { Telemetry, TelemetryEvents, TelemetryName } from "./telemetry.ts";
import { writeSync } from "node:fs";

const censored = "***";
const secretKeys = [
  "authorization",
  "x-api-key",
  "apiKey",
  "password",
  "passwordHash",
  "accessToken",
  "token",
  "secret",
  "content",
  "contents",
  "text",
  "databaseUrl",
  "databaseDirectUrl",
  "DATABASE_URL",
];
// Redaction covers keys at the top level and the next two levels. Nothing deeper is logged.
const redactPaths = secretKeys.flatMap((key) => {
  const quoted = /^\w+$/.test(key) ? `.${key}` : `["${key}"]`;
  return [quoted.replace(/^\./, ""), `*${quoted}`, `*.*${quoted}`];
});

/** `worker`: which worker of a gateway writes; each of its lines says so. */
export function createLogger(
  config: Pick<Config, "logLevel">,
  destination: DestinationStream,
  worker?: number,
): Logger {
  const options: LoggerOptions = {
    level: config.logLevel,
    base: worker === undefined ? null : { worker },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: redactPaths, censor: censored },
    serializers: {
      err: (error: unknown) => serializeError(error),
      error: (error: unknown) => serializeError(error),
      url: redactUrl,
    },
  };
  return pino(options, destination);
}

/** A URL without the values of its secret and personal parameters (hard case 56). */
export function redactUrl(url: unknown): unknown {
  if (typeof url !== "string") return url;
  return url.replace(
    /([?&](?:[^=&]*(?:apikey|password|token|secret|user|number|content|parameter|text)[^=&]*)=)[^&#]*/gi,
    `$1${censored}`,
  );
}

interface LoggedError {
  type: string;
  message: string;
  code?: string;
  stack?: string;
  constraint?: string;
  table?: string;
  cause?: LoggedError;
}

/**
 * Type, message, code and stack of an error and its causes. Other fields (rows, requests,
 * parameters) are omitted.
 */
export function serializeError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: withoutValues(String(error)) };
  const fields = error as Error & { code?: unknown; constraint?: unknown; table?: unknown };
  const message = withoutValues(error.message);
  return {
    type: error.name,
    message,
    ...(typeof fields.code === "string" || typeof fields.code === "number" ? { code: String(fields.code) } : {}),
    ...(typeof fields.constraint === "string" ? { constraint: fields.constraint } : {}),
    ...(typeof fields.table === "string" ? { table: fields.table } : {}),
    ...(error.stack === undefined ? {} : { stack: stackLines(error.stack) }),
    ...(error.cause === undefined || depth >= 4 ? {} : { cause: serializeError(error.cause, depth + 1) }),
  };
}

/**
 * PostgreSQL repeats an invalid value after a colon: `invalid input syntax for type uuid: "…"`.
 * Connection URLs contain passwords.
 */
function withoutValues(message: string): string {
  return message.replace(/: ".*"/s, `: "${censored}"`).replace(/(\w+:\/\/[^:@/\s]*:)[^@\s]*@/g, `$1${censored}@`);
}

/** Only the frames, because the head of a stack repeats the message. */
function stackLines(stack: string): string {
  return stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim())
    .join("\n");
}

type Level = "error" | "warn" | "info" | "debug";
type LinesOfEvents = {
  readonly [K in TelemetryName]?: (event: TelemetryEvents[K]) => { level: Level; message: string };
};

type LineOf = (event: object) => { level: Level; message: string };

/** Other events are for metrics only: a line per message would hide the rest. */
const lines: LinesOfEvents = {
  "batch.accepted": () => ({ level: "debug", message: "batch accepted" }),
  "batch.refused": () => ({ level: "debug", message: "batch refused" }),
  "http.answered": ({ status }) => ({ level: status >= 500 ? "warn" : "debug", message: "request completed" }),
  "http.failed": () => ({ level: "error", message: "request failed" }),
  "login.failed": () => ({ level: "warn", message: "wrong passwords or codes" }),
  // A bind that ends has a reason; one that we close says nothing.
  "bind.changed": ({ state, reason }) => ({ level: reason === undefined ? "info" : "warn", message: `bind ${state}` }),
  "address.missing": () => ({
    level: "warn",
    message: "this machine does not have the localAddress of the connector; another node has to hold its binds",
  }),
  "link.fault": () => ({ level: "warn", message: "the operator broke the protocol of the link" }),
  "receipt.dropped": () => ({
    level: "warn",
    message: "the connector has too many receipts that match no message, the oldest were dropped",
  }),
  "inbound.stray": () => ({
    level: "warn",
    message: "message from a connector that the line does not list; stored unassigned",
  }),
  "replies.settled": ({ outcome }) =>
    outcome === "refused"
      ? { level: "warn", message: "replies to inbound messages were refused" }
      : { level: "debug", message: "replies to inbound messages sent or dropped" },
  "webhook.paused": () => ({ level: "warn", message: "an endpoint fails; its events wait" }),
  "webhook.recovered": () => ({ level: "info", message: "an endpoint works again" }),
  "webhook.disabled": () => ({ level: "warn", message: "an endpoint was disabled" }),
  "service.failed": () => ({ level: "error", message: "background task failed; it will be retried" }),
  "service.recovered": () => ({ level: "info", message: "background task recovered" }),
  "configuration.reloaded": () => ({ level: "info", message: "configuration reloaded" }),
  "database.lost": () => ({ level: "error", message: "database unreachable" }),
  "database.back": () => ({ level: "info", message: "database reachable again" }),
  "postgres.exited": () => ({ level: "error", message: "embedded PostgreSQL ended unexpectedly; restarting it" }),
  "postgres.started": () => ({ level: "info", message: "embedded PostgreSQL started" }),
  "worker.started": () => ({ level: "info", message: "worker started" }),
  "worker.ready": () => ({ level: "info", message: "worker ready" }),
  "worker.ended": ({ code }) =>
    code === 0
      ? { level: "warn", message: "worker was stopped; it is replaced" }
      : { level: "error", message: "worker ended unexpectedly; it is replaced" },
  "log.lost": () => ({ level: "warn", message: "lines before this one are missing: they could not be written" }),
  "node.lease": ({ held }) => ({
    level: held ? "info" : "error",
    message: held ? "node lease held" : "node lease lost",
  }),
  "node.clock": ({ isRight }) => ({
    level: isRight ? "info" : "warn",
    message: isRight
      ? "the clock of this node is right again"
      : "the clock of this node differs from that of the database",
  }),
};

/** Writes log lines for events until the returned function is called. */
export function logTelemetry(logger: Logger, telemetry: Telemetry): () => void {
  const offs = (Object.keys(lines) as (keyof typeof lines)[]).map((name) => logEvents(name, logger, telemetry));
  return () => {
    for (const off of offs) off();
  };
}

function logEvents(name: keyof typeof lines, logger: Logger, telemetry: Telemetry): () => void {
  return telemetry.on(name, (event) => {
    const line = (lines[name] as LineOf | undefined)?.(event);
    if (line && logger.isLevelEnabled(line.level))
      logger[line.level]({ event: name, ...printable(event) }, line.message);
  });
}

/** Converts bigint values, which JSON does not have, to text. */
function printable(event: object): object {
  return Object.fromEntries(
    Object.entries(event).map(([key, value]) => [
      key,
      typeof value === "bigint" ? value.toString() : (value as unknown),
    ]),
  );
}

// The file or stream that log lines go to. A line is written before the caller continues, so that a
// process that is killed or crashes has written all its lines. What cannot be written, as on a full
// disk or to a slow reader, does not stop the gateway: it waits in memory, and is lost when there
// is no room left.

export const standardOutput = 1;

/** Characters of lines that may wait. */
const mostWaiting = 8 << 20;
/** A pipe whose reader is slow has room again after about this time. */
const busyPauseMs = 10;
/** At the end of the process a slow reader is waited for this often. */
const lastTries = 100;

export class LogOutput implements DestinationStream {
  readonly #fd: number;
  readonly #telemetry: Telemetry | undefined;
  #waiting = "";
  /** What is left of lines of which a part may be written. */
  #current: Buffer = Buffer.alloc(0);
  /** The reader is slow: the next try is under way. */
  #isPausing = false;
  #isClosed = false;
  /** Lost lines that the log does not report yet. */
  #lost = 0;

  /** Lost lines are reported as an event of `telemetry`. */
  constructor(fd: number, telemetry?: Telemetry) {
    this.#fd = fd;
    this.#telemetry = telemetry;
    process.once("exit", () => this.#writeRest());
  }

  write(line: string): void {
    if (this.#isClosed) return;
    // A disk that was full may have room again.
    if (!this.#hasRoomFor(line) && !this.#isPausing) this.#writeWaiting();
    if (!this.#hasRoomFor(line)) {
      this.#lose();
      return;
    }
    this.#waiting += line;
    if (this.#isPausing || this.#writeWaiting() !== "EAGAIN") return;
    this.#isPausing = true;
    this.#pause();
  }

  #hasRoomFor(line: string): boolean {
    return this.#waiting.length + line.length <= mostWaiting;
  }

  #lose(): void {
    this.#lost += 1;
    this.#telemetry?.emit("log.lineLost", {});
  }

  #pause(): void {
    setTimeout(() => {
      this.#isPausing = this.#writeWaiting() === "EAGAIN";
      if (this.#isPausing) this.#pause();
    }, busyPauseMs).unref();
  }

  /**
   * Writes the waiting lines. Returns the code of the error that left some of it: it is tried again soon,
   * or with the next line.
   */
  #writeWaiting(): string | undefined {
    try {
      while (this.#current.length > 0 || this.#waiting !== "") {
        if (this.#current.length === 0) this.#current = this.#takeWaiting();
        this.#current = this.#current.subarray(writeSync(this.#fd, this.#current));
        // The line that reports it is written by this loop, too.
        if (this.#current.length === 0 && this.#waiting === "") this.#tellLost();
      }
      return undefined;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException; // only Node.js throws here
      if (code === "EPIPE") this.#close();
      return code;
    }
  }

  /** The log itself reports its gap, when all waiting lines are written. */
  #tellLost(): void {
    const lines = this.#lost;
    this.#lost = 0;
    if (lines > 0) this.#telemetry?.emit("log.lost", { lines });
  }

  /** Nobody reads on. */
  #close(): void {
    this.#isClosed = true;
    this.#waiting = "";
    this.#current = Buffer.alloc(0);
  }

  #takeWaiting(): Buffer {
    const taken = Buffer.from(this.#waiting);
    this.#waiting = "";
    return taken;
  }

  /** The process ends: what cannot be written now is lost. */
  #writeRest(): void {
    for (let tries = 0; tries < lastTries && this.#writeWaiting() === "EAGAIN"; tries += 1)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, busyPauseMs);
  }
}
