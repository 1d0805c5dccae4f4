/**
 * What a session can be set to, what it announces and why it ends. Types, defaults and their reading.
 */

import type { IncomingRequest } from "./incoming-requests.ts";
import type { AlertNotification, BindPdu, OutgoingRequest, Outbind, ResponsePdu, SmppAnswer } from "./pdu.ts";
import type { BindAnswer } from "./protocol-answers.ts";
import type { LateRequest } from "./request-window.ts";
import type { SmppSession } from "./session.ts";
import type { SessionRole } from "./session-state.ts";
import type { TimerSettings } from "./session-timers.ts";

/** A bind as its sender writes it down. */
export type OutgoingBind = Extract<OutgoingRequest, { readonly command: BindPdu["command"] }>;

export interface SessionSettings {
  /** Requests of ours that may wait for their answers at a time. */
  readonly window: number;
  readonly responseTimeoutMs: number;
  /** 0: none are sent. */
  readonly enquireLinkSeconds: number;
  /** 0: never. */
  readonly inactivitySeconds: number;
  /** SMSC role: how long a peer may stay unbound; 0: for ever. */
  readonly sessionInitMs: number;
  /** Requests of the peer that may wait for `onRequest`; further ones get a temporary error. */
  readonly maximumUnanswered: number;
  /** For tests of the wrap at 0x7FFFFFFF. */
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

export interface SessionHandlers {
  /** Asked at the last moment before requests leave this process. False: the session ends without them. Absent: they may. */
  readonly mayRequest?: () => boolean;
  /** May answer later; a rejected promise is answered with a temporary error. Without it every request is. */
  readonly onRequest?: (pdu: IncomingRequest, session: SmppSession) => SmppAnswer | Promise<SmppAnswer>;
  /** The answer to `pdu` has been handed to the operating system. */
  readonly onAnswered?: (pdu: IncomingRequest, answer: SmppAnswer, session: SmppSession) => void;
  /** SMSC role: judges a bind. Without it every bind is taken. */
  readonly onBind?: (pdu: BindPdu, session: SmppSession) => BindAnswer | Promise<BindAnswer>;
}

export interface SessionOptions extends Partial<SessionSettings>, SessionHandlers {
  readonly role: SessionRole;
}

/** Only the side that waits for the bind limits that wait. */
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
  | { readonly kind: "disconnected"; readonly message: string }
  | { readonly kind: "timer"; readonly timer: "session_init" | "enquire_link" | "inactivity" }
  | { readonly kind: "framing_lost"; readonly commandLength: number };

export interface ProtocolFault {
  readonly reason: string;
  readonly commandId: number;
  readonly sequenceNumber: number;
  /** What the peer was answered; undefined for a response, which is never answered. */
  readonly answered: number | undefined;
}

export interface SessionEvents {
  /** SMSC role: a bind was taken. */
  bound: [bind: BindPdu];
  /** Places became free, or the socket takes octets again. */
  windowFree: [];
  /** The answer to a message that had timed out, with the context it was submitted with. */
  lateResponse: [late: LateRequest & { readonly response: ResponsePdu }];
  alertNotification: [pdu: AlertNotification];
  outbind: [pdu: Outbind];
  protocolFault: [fault: ProtocolFault];
  /** Once, after every request in flight has had its reply. */
  close: [reason: CloseReason];
}
