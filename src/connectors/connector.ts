// A link to an operator as the rest of the code sees it, and the values that cross it. Knows no
// protocol.
import type { ReceiptVerdict } from "../sms/message-status.ts";
import type { GivenTlv } from "../sms/template.ts";
import type { Encoding } from "../sms/text-kind.ts";
import type { PartNumber } from "../sms/segmentation.ts";
import type { SubmitReply } from "../sms/submit-outcome.ts";

/** One part of a message, or all of it where long messages go as one payload, ready for an SMSC. */
export interface PartToSubmit {
  readonly sender: string;
  /** 989… */
  readonly recipient: string;
  readonly text: string;
  readonly encoding: Encoding;
  readonly part: PartNumber;
  readonly parts: number;
  readonly reference: number;
  /** The remaining validity of the message in seconds, at least 1. */
  readonly validSeconds: number;
  /** Of the template that the message was made from. */
  readonly tlvs?: readonly GivenTlv[];
}

/** A delivery receipt as the SMSC sent it. */
export interface DeliveryReceipt {
  readonly smscMessageId: string;
  /** Digits of the subscriber's number, or "". */
  readonly recipient: string;
  /** The line has the form of a subscriber's number, too, so the number may be the line's. */
  readonly isRecipientUnsure?: boolean;
  /** In the SMSC's words, and what it means. */
  readonly state: string;
  readonly verdict: ReceiptVerdict;
  readonly error: string | undefined;
  /** The first 200 octets of its text, as it came. */
  readonly text?: string;
}

/** One message, or one part of a message, from a subscriber. */
export interface InboundPart {
  readonly sender: string;
  readonly recipient: string;
  readonly text: string;
  readonly concatenation: { readonly reference: number; readonly total: number; readonly number: number } | undefined;
  /** SHA-256 over everything that distinguishes one deliver_sm from another. */
  readonly fingerprint: Buffer;
}

/** The session on which something arrived. Compared by identity. */
export interface InboundSession {
  /** Resolves when it has ended, so that no answer can be sent on it. */
  readonly closed: Promise<unknown>;
}

/**
 * How an inbound part arrived. The same session and sequence number mean the same request, sent
 * again.
 */
export interface InboundArrival {
  readonly session: InboundSession;
  readonly sequenceNumber: number;
}

/** Receives what the SMSC sends. If a promise rejects, the SMSC sends it again. */
export interface ConnectorEvents {
  /**
   * Whether this process may submit parts at all, asked just before they are written. Absent:
   * always.
   */
  readonly maySubmit?: () => boolean;
  /** Resolves when the receipt is stored. */
  receiveReceipt(receipt: DeliveryReceipt): Promise<unknown>;
  /** Resolves with a token for `confirmInbound` when the part is stored. */
  receiveInbound(part: InboundPart, arrival: InboundArrival): Promise<bigint>;
  /** The answer to that part has been sent. */
  confirmInbound(token: bigint): void;
  bindChanged(bindNumber: number, state: "connecting" | "bound" | "closed" | "refused", reason?: string): void;
  /** A bind has room again after it had none. */
  windowFree(bindNumber: number): void;
  /** The operator did what the link's protocol forbids; `fault` says it in the protocol's words. */
  faultFound(bindNumber: number, fault: string): void;
}

export interface ConnectorLink {
  /** Connects, and reconnects whenever the link is lost, until `closeBind`. */
  openBind(bindNumber: number): void;
  /** Accepts no more parts, waits up to `drainMs` for pending answers, and unbinds. */
  closeBind(bindNumber: number, drainMs: number): Promise<void>;
  isBound(bindNumber: number): boolean;
  inFlight(bindNumber: number): number;
  /** False if the bind has no room; then nothing happened. Otherwise exactly one reply follows, later. */
  submit(bindNumber: number, part: PartToSubmit, submitter: Submitter): boolean;
}

/** Who had a part submitted. */
export interface Submitter {
  onReply(reply: SubmitReply): void;
  /** The answer to a part whose reply was `unknown`. */
  onLateReply(reply: SubmitReply): void;
}

// Why a bind of a link went down or did not come up, as one of a few kinds that can be told in any
// language. The text of an error stays beside it, as the operator's engineer knows it.

export const linkErrorKinds = [
  "timeout",
  "closed",
  "nameUnknown",
  "nothingListens",
  "unreachable",
  "certificate",
  "clientCertificate",
  "notTls",
  "wrongPassword",
  "wrongSystemId",
  "wrongSystemType",
  "alreadyBound",
  "refused",
  "unbound",
  "silent",
  "garbled",
  "other",
] as const;
export type LinkErrorKind = (typeof linkErrorKinds)[number];
