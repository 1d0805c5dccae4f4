/**
 * Settings, handlers and events of a session, and the reasons why it ends. Stands below the
 * session: what its handlers are given of it is a parameter.
 */

import type { IncomingRequest } from "./incoming-requests.ts";
import type { AlertNotification, BindPdu, OutgoingRequest, Outbind, SmppAnswer } from "./pdu.ts";
import type { BindAnswer, ProtocolFault, SessionRole } from "./session-state.ts";
import type { TimerSettings } from "./session-timers.ts";

/** A bind as the sender writes it. */
export type OutgoingBind = Extract<OutgoingRequest, { readonly command: BindPdu["command"] }>;

export interface SessionSettings {
  /** Maximum number of our requests in flight. */
  readonly window: number;
  readonly responseTimeoutMs: number;
  /** 0: sends no enquire_link. */
  readonly enquireLinkSeconds: number;
  /** 0: never. */
  readonly inactivitySeconds: number;
  /** SMSC role: how long a peer may stay unbound; 0: no limit. */
  readonly sessionInitMs: number;
  /**
   * Maximum number of the peer's requests that wait for `onRequest`. Further ones get a temporary
   * error.
   */
  readonly maximumUnanswered: number;
  /** Lets tests reach the wrap at 0x7FFFFFFF. */
  readonly lastSequenceNumber: number;
}

export const defaultSettings: SessionSettings = {
  window: 100,
  responseTimeoutMs: 10_000,
  enquireLinkSeconds: 30,
  inactivitySeconds: 120,
  sessionInitMs: 10_000,
  maximumUnanswered: 5000,
  lastSequenceNumber: 0,
};

export interface SessionHandlers<Session> {
  /**
   * Called just before requests are written. False ends the session without writing them. Absent:
   * always allowed.
   */
  readonly mayRequest?: (() => boolean) | undefined;
  /**
   * May answer later. A rejected promise is answered with a temporary error; without this handler,
   * so is every request.
   */
  readonly onRequest?: (pdu: IncomingRequest, session: Session) => SmppAnswer | Promise<SmppAnswer>;
  /** SMSC role: decides about a bind. Without it every bind is accepted. */
  readonly onBind?: (pdu: BindPdu, session: Session) => BindAnswer | Promise<BindAnswer>;
}

export interface SessionOptions<Session> extends Partial<SessionSettings>, SessionHandlers<Session> {
  readonly role: SessionRole;
}

/** Only the side that waits for the bind limits the wait. */
export function timerSettings(role: SessionRole, settings: SessionSettings): TimerSettings {
  return {
    sessionInitMs: role === "smsc" ? settings.sessionInitMs : 0,
    enquireLinkMs: settings.enquireLinkSeconds * 1000,
    inactivityMs: settings.inactivitySeconds * 1000,
    responseTimeoutMs: settings.responseTimeoutMs,
  };
}

export type CloseReason =
  | { readonly kind: "closed_here" }
  | { readonly kind: "unbound_by_peer" }
  /** `isError`: by an error of the socket, whose text `message` is. */
  | { readonly kind: "disconnected"; readonly message: string; readonly isError?: true }
  | { readonly kind: "timer"; readonly timer: "session_init" | "enquire_link" | "inactivity" }
  | { readonly kind: "framing_lost"; readonly commandLength: number };

export interface SessionEvents {
  /** SMSC role: a bind was accepted. */
  bound: [bind: BindPdu];
  /** The window has free places again after it was full, or the socket can be written again. */
  windowFree: [];
  /** Nothing is in flight any more that takes a place in the window. */
  idle: [];
  alertNotification: [pdu: AlertNotification];
  outbind: [pdu: Outbind];
  protocolFault: [fault: ProtocolFault];
  /** Emitted once, after every request in flight has its reply. */
  close: [reason: CloseReason];
}
