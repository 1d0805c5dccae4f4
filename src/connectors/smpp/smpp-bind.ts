// One bind slot of an SMPP connector: connects and binds, and does so again with growing delays
// whenever the link is lost, until it is closed. With bindType transmitter-receiver it is a pair of
// sessions that start and end together.
import { setTimeout as delay } from "node:timers/promises";
import { BindError, connectAndBind, type ConnectOptions, rebindDelayMs } from "../../smpp/client.ts";
import { interfaceVersion34 } from "../../smpp/constants.ts";
import type { SmppSession } from "../../smpp/session.ts";
import type { SessionHandlers } from "../../smpp/session-options.ts";
import type { ProtocolFault } from "../../smpp/session-state.ts";
import { closeText, isAboutCredentials } from "./bind-errors.ts";
import type { SmppSettings } from "./smpp-settings.ts";

export interface BindHandlers extends Required<Omit<SessionHandlers<SmppSession>, "onBind">> {
  onState(state: "connecting" | "bound" | "closed" | "refused", reason?: string): void;
  onFault(fault: ProtocolFault): void;
  /** The session that submits is ready. Listeners are attached here. */
  onTransmitter(session: SmppSession): void;
}

/** After a link that lasted this long, the delays of the next attempts begin anew. */
const goodLinkMs = 10_000;
/** How long a transmitter whose receiver is lost waits for the answers that are due. */
const longestDrainMs = 5000;

type Attempt = "bound" | "failed" | "wrongCredentials";

export class SmppBind {
  readonly #settings: SmppSettings;
  readonly #handlers: BindHandlers;
  readonly #closing = new AbortController();
  #transmitter: SmppSession | undefined;
  /** A session that submits nothing more, but still waits for answers. */
  #draining: SmppSession | undefined;
  #sessions: SmppSession[] = [];
  #running: Promise<void> | undefined;

  constructor(settings: SmppSettings, handlers: BindHandlers) {
    this.#settings = settings;
    this.#handlers = handlers;
  }

  /** The session that submits; undefined while not bound. */
  get transmitter(): SmppSession | undefined {
    return this.#transmitter?.state === "unbound" ? undefined : this.#transmitter;
  }

  open(): void {
    this.#running ??= this.#run();
  }

  /** Waits up to `drainMs` for pending answers, then unbinds. */
  async close(drainMs: number): Promise<void> {
    const draining = this.#transmitter ?? this.#draining;
    this.#closing.abort();
    if (draining) await drained(draining, drainMs);
    await Promise.all(this.#sessions.map((session) => session.unbind()));
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    let wrongCredentials = false;
    for (let failures = 0; !signal.aborted;) {
      const startedAt = performance.now();
      const attempt = await this.#bindAndStay();
      const isGood = attempt === "bound" && performance.now() - startedAt > goodLinkMs;
      const isNewFailure = wrongCredentials !== (attempt === "wrongCredentials");
      wrongCredentials = attempt === "wrongCredentials";
      failures = isGood ? 0 : isNewFailure ? 1 : failures + 1;
      const delayMs = rebindDelayMs(failures, Math.random(), { wrongCredentials });
      if (!isAborted(signal)) await delay(delayMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #bindAndStay(): Promise<Attempt> {
    this.#handlers.onState("connecting");
    try {
      await this.#connect();
    } catch (error) {
      this.#dropSessions();
      const refused = error instanceof BindError && error.kind === "refused";
      if (!this.#closing.signal.aborted) {
        this.#handlers.onState(refused ? "refused" : "closed", error instanceof Error ? error.message : String(error));
      }
      return refused && isAboutCredentials(error.commandStatus) ? "wrongCredentials" : "failed";
    }
    // The slot was closed while the bind was in progress, so the new session must end here.
    if (isAborted(this.#closing.signal)) {
      this.#transmitter = undefined;
      await Promise.all(this.#sessions.splice(0).map((session) => session.unbind()));
      return "failed";
    }
    this.#handlers.onState("bound");
    const reason = await Promise.race(this.#sessions.map((session) => session.closed));
    this.#draining = this.#transmitter;
    this.#transmitter = undefined;
    this.#handlers.onState("closed", closeText(reason));
    // In a pair the receiver can be lost alone. Without this wait, the parts that the transmitter
    // has no answer for would be uncertain and would be submitted again.
    if (this.#draining) await drained(this.#draining, longestDrainMs);
    this.#draining = undefined;
    // If the slot was closed meanwhile, `close` unbinds the sessions.
    if (!isAborted(this.#closing.signal)) this.#dropSessions();
    return "bound";
  }

  async #connect(): Promise<void> {
    this.#sessions = [];
    if (this.#settings.bindType === "transceiver") {
      this.#useTransmitter(await this.#begin("transceiver"));
      return;
    }
    // The receiver comes first: nothing is submitted before its receipts can arrive.
    await this.#begin("receiver");
    this.#useTransmitter(await this.#begin("transmitter"));
  }

  async #begin(bindType: ConnectOptions["bindType"]): Promise<SmppSession> {
    const session = await connectAndBind(this.#options(bindType), this.#closing.signal);
    session.on("protocolFault", (fault) => this.#handlers.onFault(fault));
    this.#sessions.push(session);
    return session;
  }

  #useTransmitter(session: SmppSession): void {
    this.#handlers.onTransmitter(session);
    this.#transmitter = session;
  }

  #options(bindType: ConnectOptions["bindType"]): ConnectOptions {
    const { mayRequest, onRequest } = this.#handlers;
    return { ...connectOptions(this.#settings, bindType), mayRequest, onRequest };
  }

  #dropSessions(): void {
    for (const session of this.#sessions.splice(0)) session.close();
  }
}

/** Resolves when nothing is in flight, the session ends, or the time is up. */
function drained(session: SmppSession, drainMs: number): Promise<void> {
  if (session.inFlight === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      session.off("idle", finish);
      resolve();
    };
    const timer = setTimeout(finish, drainMs);
    session.on("idle", finish);
    void session.closed.then(finish);
  });
}

// A function, because the compiler assumes that a property does not change between two reads, and
// this one may change during an await.
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

// How the settings of a connector become a connection and a bind. Pure.

export function connectOptions(settings: SmppSettings, bindType: ConnectOptions["bindType"]): ConnectOptions {
  const { host, port, systemId, password, systemType, window, tls, tlsKey } = settings;
  const { addressRange, addressTon, addressNpi, interfaceVersion, localAddress } = settings;
  const { responseTimeoutMs, enquireLinkSeconds, inactivitySeconds } = settings;
  return {
    host,
    port,
    systemId,
    password,
    systemType,
    bindType,
    window,
    responseTimeoutMs,
    enquireLinkSeconds,
    inactivitySeconds,
    tls: tls !== false && tlsKey !== null ? { ...tls, key: tlsKey } : tls,
    addressRange,
    addressTon,
    addressNpi,
    interfaceVersion: interfaceVersion === "3.3" ? 0x33 : interfaceVersion34,
    ...(localAddress !== "" && { localAddress }),
  };
}
