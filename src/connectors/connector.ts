// A link to an operator as the rest of the product sees it, and the values that cross it. Knows no protocol.
import type { Encoding } from "../sms/data-coding.ts";
import type { PartNumber } from "../sms/message-parts.ts";
import type { SubmitReply } from "../sms/submit-outcome.ts";

/** One part of a message (or, where long messages go as one payload, all of it), ready to be handed to an SMSC. */
export interface PartToSubmit {
  readonly sender: string;
  /** 989… */
  readonly recipient: string;
  readonly text: string;
  readonly encoding: Encoding;
  readonly part: PartNumber;
  readonly parts: number;
  readonly reference: number;
  /** What is left of the message's validity, seconds, at least 1. */
  readonly validSeconds: number;
}

/** A delivery receipt as the SMSC gave it. */
export interface DeliveryReceipt {
  readonly smscMessageId: string;
  /** Digits of the subscriber's number, or "". */
  readonly recipient: string;
  readonly state: string;
  readonly error: string | undefined;
}

/** One message, or one part of a message, from a subscriber. */
export interface InboundPart {
  readonly sender: string;
  readonly recipient: string;
  readonly text: string;
  readonly concatenation: { readonly reference: number; readonly total: number; readonly number: number } | undefined;
  /** SHA-256 of all that makes one deliver_sm equal to another. */
  readonly fingerprint: Buffer;
}

/** A link's session as far as what came by it is concerned. Compared by identity. */
export interface InboundSession {
  /** Resolves when it is over: no answer leaves by it any more. */
  readonly closed: Promise<unknown>;
}

/** How an inbound part came. The same session and sequence number are the same request, sent again. */
export interface InboundArrival {
  readonly session: InboundSession;
  readonly sequenceNumber: number;
}

/** Where a connector hands over what the SMSC sends. A promise that rejects makes the SMSC send it again. */
export interface ConnectorEvents {
  /** Whether this process may write parts to the SMSC at all, asked when they leave it. Absent: always. */
  readonly maySubmit?: () => boolean;
  /** Resolves when the receipt is on disk. */
  receiveReceipt(receipt: DeliveryReceipt): Promise<void>;
  /** Resolves, with a token for `confirmInbound`, when the part is on disk. */
  receiveInbound(part: InboundPart, arrival: InboundArrival): Promise<bigint>;
  /** Our answer to that part has left. */
  confirmInbound(token: bigint): void;
  bindChanged(bindNumber: number, state: "connecting" | "bound" | "closed" | "refused", reason?: string): void;
  /** A bind has room again. */
  windowFree(bindNumber: number): void;
  /** The answer to a part that had been given up as unknown. */
  lateReply(part: PartToSubmit, context: unknown, reply: SubmitReply): void;
}

export interface Connector {
  /** Begins to connect, and connects again whenever the link is lost, until `closeBind`. */
  openBind(bindNumber: number): void;
  /** Takes nothing more, waits up to `drainMs` for the answers that are due, unbinds. */
  closeBind(bindNumber: number, drainMs: number): Promise<void>;
  isBound(bindNumber: number): boolean;
  /** Parts that a bind takes now. */
  windowFree(bindNumber: number): number;
  inFlight(bindNumber: number): number;
  /** False when the bind has no room: nothing happened. Else exactly one reply follows. */
  submit(bindNumber: number, part: PartToSubmit, context: unknown, onReply: (reply: SubmitReply) => void): boolean;
}
