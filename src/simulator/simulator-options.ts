/**
 * What the simulated SMSC can be set to, and the events it announces. Types only.
 */

import type { IncomingRequest } from "../smpp/incoming-requests.ts";
import type { BindPdu } from "../smpp/pdu.ts";
import type { CloseReason } from "../smpp/session-options.ts";
import type { Behaviour } from "./behaviours.ts";
import type { MessageIdFormat } from "./message-id.ts";
import type { SubmittedMessage } from "./submitted-message.ts";

export interface SimulatedSmscOptions {
  readonly host?: string;
  /** 0: any free port. */
  readonly port?: number;
  /** What this side calls itself in bind responses. */
  readonly name?: string;
  /** Credentials to insist on; absent: any. */
  readonly systemId?: string;
  readonly password?: string;
  /** Instead of the whole table; [] delivers everything. */
  readonly behaviours?: readonly Behaviour[];
  /** Share (0 to 1) of all other messages that get a behaviour drawn at random. */
  readonly faultShare?: number;
  /** Of that draw. */
  readonly seed?: number;
  readonly submitDelayMs?: number;
  readonly receiptDelayMs?: number;
  /** How late "answered late" is: beyond the patience of the other side. */
  readonly lateAnswerMs?: number;
  /** Until a receipt that got a temporary error, or no answer, is sent again. */
  readonly retryDelayMs?: number;
  readonly responseTimeoutMs?: number;
  readonly messageIdFormat?: MessageIdFormat;
  readonly receiptIdFormat?: MessageIdFormat;
  /** First message id, as a number; default: made from the clock, so that a restarted SMSC does not repeat itself. */
  readonly firstMessageId?: number;
  readonly maxBinds?: number;
  /** submit_sm above this in one second get ESME_RTHROTTLED; 0: no limit. */
  readonly submitsPerSecond?: number;
  /** deliver_sm in flight per bind. */
  readonly window?: number;
  readonly enquireLinkSeconds?: number;
  readonly supportsQuery?: boolean;
  /** How many of the latest messages `submitted` and query_sm remember. */
  readonly memory?: number;
  readonly tls?: { readonly key: string | Buffer; readonly cert: string | Buffer };
}

export interface SimulatedSmscEvents {
  bind: [bind: BindPdu];
  bindRefused: [bind: BindPdu];
  unbind: [link: { readonly systemId: string; readonly reason: CloseReason }];
  submit: [message: SubmittedMessage];
  /** Acknowledged, refused for good (`commandStatus` tells), or given up (undefined). */
  receiptAnswered: [
    receipt: { readonly message: SubmittedMessage; readonly state: string; readonly commandStatus: number | undefined },
  ];
  moAnswered: [mo: { readonly text: string; readonly commandStatus: number | undefined }];
  request: [pdu: IncomingRequest];
}

export interface MobileOriginatedOptions {
  readonly from: string;
  /** The line. */
  readonly to: string;
  readonly text?: string;
  /** Instead of text: the octets as they are, with their `dataCoding`. */
  readonly bytes?: Buffer;
  readonly dataCoding?: number;
  /** User data header, its length octet included. */
  readonly udh?: Buffer;
  /** Of the account to deliver to; default: whoever is bound. */
  readonly systemId?: string;
  /** Which of its binds that receive, in the order in which they were made; default: the first. */
  readonly bind?: number;
}

export interface Counters {
  readonly submits: number;
  readonly accepted: number;
  readonly refused: number;
  readonly receiptsAcknowledged: number;
  readonly receiptsWaiting: number;
}
