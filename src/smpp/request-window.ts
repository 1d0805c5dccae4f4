/**
 * The requests in flight of one session, by sequence_number: places, deadlines, and a memory of those that timed out so that
 * a late answer still finds its request. A value with methods; knows no clock and no socket.
 */

import { commandStatus, maximumSequenceNumber } from "./constants.ts";
import type { OutgoingRequest, RequestPdu, ResponsePdu } from "./pdu.ts";

/** What became of a request. */
export type SmppReply =
  | { readonly kind: "response"; readonly pdu: ResponsePdu }
  /** Written, but not answered in time: the peer may have taken it. */
  | { readonly kind: "timeout" }
  /** The link is gone. `written` is false only if certainly no octet of the request reached the socket. */
  | { readonly kind: "closed"; readonly written: boolean };

export type ReplyHandler<Context> = (reply: SmppReply, context: Context) => void;

export interface PendingRequest {
  readonly command: RequestPdu["command"];
  readonly context: unknown;
  readonly onReply: ReplyHandler<unknown>;
  /** On the clock of the session, in milliseconds. */
  readonly deadline: number;
  /** Number of the socket write that carries it. */
  readonly writeNumber: number;
  readonly takesPlace: boolean;
}

/** A request that waits for a place. */
export interface WaitingRequest {
  readonly request: OutgoingRequest;
  readonly context: unknown;
  readonly timeoutMs: number;
  readonly onReply: ReplyHandler<unknown>;
  /** The wire cannot carry it. */
  readonly onInvalid: (error: unknown) => void;
}

export interface LateRequest {
  readonly command: RequestPdu["command"];
  readonly context: unknown;
}

interface RememberedRequest extends LateRequest {
  readonly forgetAt: number;
}

/** Answers have been seen minutes late, behind a throttled queue of the SMSC. */
const lateMemoryMs = 15 * 60_000;
/** More than a window of 1000 that times out every 10 s for ten minutes. */
const lateMemoryRequests = 100_000;

export class RequestWindow {
  readonly size: number;
  readonly #pending = new Map<number, PendingRequest>();
  readonly #late = new Map<number, RememberedRequest>();
  #placesTaken = 0;
  #lastSequenceNumber: number;

  constructor(size: number, lastSequenceNumber = 0) {
    this.size = size;
    this.#lastSequenceNumber = lastSequenceNumber;
  }

  get free(): number {
    return Math.max(this.size - this.#placesTaken, 0);
  }

  get inFlight(): number {
    return this.#pending.size;
  }

  /** 1 to 0x7FFFFFFF and round again, past the numbers that could still be answered. */
  nextSequenceNumber(): number {
    do {
      this.#lastSequenceNumber = this.#lastSequenceNumber >= maximumSequenceNumber ? 1 : this.#lastSequenceNumber + 1;
    } while (this.#pending.has(this.#lastSequenceNumber) || this.#late.has(this.#lastSequenceNumber));
    return this.#lastSequenceNumber;
  }

  add(sequenceNumber: number, request: PendingRequest): void {
    this.#pending.set(sequenceNumber, request);
    if (request.takesPlace) this.#placesTaken += 1;
  }

  /** The request that this response answers, taken out; undefined if none is in flight or it is of another command. */
  settle(response: ResponsePdu): PendingRequest | undefined {
    const request = this.#pending.get(response.sequence_number);
    if (request === undefined || !answers(response, request.command)) return undefined;
    this.#remove(response.sequence_number, request);
    return request;
  }

  /** A request that had timed out; it is told once. */
  takeLate(response: ResponsePdu): LateRequest | undefined {
    const request = this.#late.get(response.sequence_number);
    if (request === undefined || !answers(response, request.command)) return undefined;
    this.#late.delete(response.sequence_number);
    return request;
  }

  /** Takes out what is past its deadline and remembers it. */
  expire(now: number): PendingRequest[] {
    const expired: PendingRequest[] = [];
    for (const [sequenceNumber, request] of this.#pending) {
      if (request.deadline > now) continue;
      this.#remove(sequenceNumber, request);
      const { command, context } = request;
      this.#late.set(sequenceNumber, { command, context, forgetAt: now + lateMemoryMs });
      expired.push(request);
    }
    this.#forget(now);
    return expired;
  }

  /** Infinity when nothing is in flight. */
  nextDeadline(): number {
    let earliest = Infinity;
    for (const { deadline } of this.#pending.values()) earliest = Math.min(earliest, deadline);
    return earliest;
  }

  removeAll(): PendingRequest[] {
    const requests = [...this.#pending.values()];
    this.#pending.clear();
    this.#late.clear();
    this.#placesTaken = 0;
    return requests;
  }

  #remove(sequenceNumber: number, request: PendingRequest): void {
    this.#pending.delete(sequenceNumber);
    if (request.takesPlace) this.#placesTaken -= 1;
  }

  /** Insertion order is the order of expiry, so the oldest come first. */
  #forget(now: number): void {
    for (const [sequenceNumber, { forgetAt }] of this.#late) {
      if (forgetAt > now && this.#late.size <= lateMemoryRequests) return;
      this.#late.delete(sequenceNumber);
    }
  }
}

function answers(response: ResponsePdu, command: string): boolean {
  return response.command === "generic_nack" || response.command.startsWith(command);
}

/** The request was carried out. */
export function isAcceptance(reply: SmppReply): boolean {
  return (
    reply.kind === "response" &&
    reply.pdu.command !== "generic_nack" &&
    reply.pdu.command_status === commandStatus.ESME_ROK
  );
}
