/**
 * Connects as an ESME, with or without TLS, and binds. The result is either a bound session or a
 * BindError that says which step failed. No half-open connection stays behind.
 */
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { commandStatus, commandStatusName, interfaceVersion34 } from "./constants.ts";
import type { BindCommand } from "./pdu.ts";
import { SmppSession } from "./session.ts";
import { socketErrorText } from "./socket.ts";
import type { CloseReason, SessionHandlers, SessionSettings } from "./session-options.ts";

export interface TlsSettings {
  /** PEM. Without it, the system's certificate authorities are used. */
  readonly ca?: string | Buffer;
  /** PEM, of this side. */
  readonly cert?: string;
  readonly key?: string;
  readonly minVersion?: "1.0" | "1.1" | "1.2" | "1.3";
  /** Whether the certificate must be valid for the host. */
  readonly verify: boolean;
  readonly servername?: string;
}

export interface ConnectOptions extends Partial<SessionSettings>, SessionHandlers<SmppSession> {
  readonly host: string;
  readonly port: number;
  readonly systemId: string;
  readonly password: string;
  readonly systemType?: string;
  readonly bindType: "transceiver" | "transmitter" | "receiver";
  readonly tls?: false | TlsSettings;
  readonly addressTon?: number;
  readonly addressNpi?: number;
  readonly addressRange?: string;
  readonly interfaceVersion?: number;
  /** The address of this machine that the connection comes from. */
  readonly localAddress?: string;
  readonly connectTimeoutMs?: number;
}

export class BindError extends Error {
  override readonly name = "BindError";
  /**
   * connect: no connection. timeout: no connection or no answer in time. refused: see
   * `commandStatus`. closed: the connection ended.
   */
  readonly kind: "connect" | "timeout" | "refused" | "closed";
  readonly commandStatus: number | undefined;

  constructor(kind: BindError["kind"], message: string, { status, cause }: { status?: number; cause?: Error } = {}) {
    super(message, cause && { cause });
    this.kind = kind;
    this.commandStatus = status;
  }
}

const defaultConnectTimeoutMs = 10_000;
/**
 * Of each address of a host that has several. Node.js gives one up after 250 ms, which is less than
 * the way to a distant SMSC takes.
 */
const attemptTimeoutMs = 2500;

const bindCommands: Readonly<Record<ConnectOptions["bindType"], BindCommand>> = {
  transceiver: "bind_transceiver",
  transmitter: "bind_transmitter",
  receiver: "bind_receiver",
};

/** Rejects with a BindError. Aborting `signal` rejects with kind "closed". */
export async function connectAndBind(options: ConnectOptions, signal?: AbortSignal): Promise<SmppSession> {
  return bindOver(await openSocket(options, signal), options, signal);
}

/** Binds over a connected socket, which is closed if that fails. Rejects with a BindError. */
export async function bindOver(socket: Socket, options: ConnectOptions, signal?: AbortSignal): Promise<SmppSession> {
  const session = new SmppSession(socket, { ...options, role: "esme" });
  const giveUp = (): void => session.destroy();
  signal?.addEventListener("abort", giveUp, { once: true });
  try {
    const reply = await session.bind({
      command: bindCommands[options.bindType],
      system_id: options.systemId,
      password: options.password,
      system_type: options.systemType ?? "",
      interface_version: options.interfaceVersion ?? interfaceVersion34,
      addr_ton: options.addressTon ?? 0,
      addr_npi: options.addressNpi ?? 0,
      address_range: options.addressRange ?? "",
    });
    if (reply.kind === "timeout") throw new BindError("timeout", "the bind was not answered in time");
    if (reply.kind === "closed") throw new BindError("closed", closedBeforeAnswer(await session.closed));
    const status = reply.pdu.command_status;
    if (session.bound === undefined || status !== commandStatus.ESME_ROK) {
      throw new BindError("refused", `the bind was refused: ${commandStatusName(status)}`, { status });
    }
    return session;
  } catch (error) {
    session.close();
    throw error;
  } finally {
    signal?.removeEventListener("abort", giveUp);
  }
}

/**
 * Over TLS 1.3, what the other side finds wrong with the handshake comes after it. A port for
 * another protocol, such as HTTP, answers with octets of its own.
 */
function closedBeforeAnswer(reason: CloseReason): string {
  const text = "the link was closed before the bind was answered";
  if (reason.kind === "framing_lost") return `${text}: framing lost (command_length ${reason.commandLength})`;
  return reason.kind === "disconnected" && reason.isError === true ? `${text}: ${reason.message}` : text;
}

/**
 * Connects only, without a bind. Rejects with a BindError; its cause is the error of the socket.
 */
export function openSocket(options: ConnectOptions, signal: AbortSignal | undefined): Promise<Socket> {
  const { host, port, localAddress, tls = false, connectTimeoutMs = defaultConnectTimeoutMs } = options;
  if (signal?.aborted === true) return Promise.reject(new BindError("closed", "canceled before connecting"));
  return new Promise((resolve, reject) => {
    const target = {
      ...{ host, port, autoSelectFamilyAttemptTimeout: attemptTimeoutMs },
      ...(localAddress !== undefined && { localAddress, family: isIP(localAddress) }),
    };
    const socket = tls === false ? connectTcp(target) : connectTls({ ...target, ...tlsOptions(host, tls) });
    const connected = tls === false ? "connect" : "secureConnect";
    const fail = (kind: BindError["kind"], message: string, cause?: Error): void => {
      forget();
      socket.on("error", () => undefined);
      socket.destroy();
      reject(new BindError(kind, `${host}:${port}: ${message}`, cause && { cause }));
    };
    const onConnected = (): void => {
      forget();
      resolve(socket);
    };
    const onError = (error: NodeJS.ErrnoException): void => fail("connect", socketErrorText(error), error);
    const onClose = (): void => fail("connect", "the connection was closed");
    const onAbort = (): void => fail("closed", "canceled while connecting");
    const timer = setTimeout(() => fail("timeout", "the connection was not established in time"), connectTimeoutMs);
    const forget = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      socket.off(connected, onConnected).off("error", onError).off("close", onClose);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    socket.once(connected, onConnected).once("error", onError).once("close", onClose);
  });
}

/** OpenSSL takes the old ones only at a lower level of security. */
const oldVersions = { "1.0": "TLSv1", "1.1": "TLSv1.1" } as const;

function tlsOptions(
  host: string,
  { ca, cert, key, verify, minVersion = "1.2", servername }: TlsSettings,
): ConnectionOptions {
  // An IP address is not allowed as an SNI name (RFC 6066 §3).
  const name = servername ?? (isIP(host) === 0 ? host : undefined);
  return {
    rejectUnauthorized: verify,
    ...(minVersion === "1.0" || minVersion === "1.1"
      ? { minVersion: oldVersions[minVersion], ciphers: "DEFAULT@SECLEVEL=0" }
      : { minVersion: minVersion === "1.3" ? "TLSv1.3" : "TLSv1.2" }),
    ...(cert !== undefined && key !== undefined && { cert, key }),
    ...(ca === undefined ? {} : { ca }),
    ...(name === undefined ? {} : { servername: name }),
  };
}

/** The delay before the next attempt to connect and bind. Pure: randomness is an argument. */

const usual = { firstMs: 1000, longestMs: 10_000 };
/** Some SMSCs lock an account after a number of wrong passwords. */
const afterWrongCredentials = { firstMs: 60_000, longestMs: 900_000 };

/**
 * 1 s, doubling up to 10 s; after wrong credentials a minute, doubling up to 15. `attempt` counts
 * consecutive failures from 1. `random` is in [0, 1) and decides the last quarter of the delay, so
 * that many gateways do not bind again in step after an outage.
 */
export function rebindDelayMs(attempt: number, random: number, { wrongCredentials = false } = {}): number {
  const { firstMs, longestMs } = wrongCredentials ? afterWrongCredentials : usual;
  const delay = Math.min(firstMs * 2 ** Math.max(attempt - 1, 0), longestMs);
  return Math.round(delay * (0.75 + random * 0.25));
}
