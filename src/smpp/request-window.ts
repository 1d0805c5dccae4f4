/**
 * The requests in flight of one session, by sequence_number, with their deadlines. Requests that
 * timed out are remembered, so that a late answer still finds its request. Has no clock and no
 * socket.
 */

import { commandStatus, maximumSequenceNumber } from "./constants.ts";
import type { RequestPdu, ResponsePdu } from "./pdu.ts";

/** The outcome of a request. */
export type SmppReply =
  | { readonly kind: "response"; readonly pdu: ResponsePdu }
  /** Written, but not answered in time. The peer may have accepted it. */
  | { readonly kind: "timeout" }
  /** The link is closed. `written` is false only if no octet of the request reached the socket. */
  | { readonly kind: "closed"; readonly written: boolean };

/** Who sent a request. It gets exactly one reply. */
export interface Requester {
  onReply(reply: SmppReply): void;
  /** The answer to a message whose reply was a timeout. Absent: nobody asks. */
  onLate?(response: ResponsePdu): void;
}

export interface PendingRequest {
  readonly command: RequestPdu["command"];
  readonly requester: Requester;
  /** On the clock of the session, in milliseconds. */
  readonly deadline: number;
  /** Number of the socket write that contains it. */
  readonly writeNumber: number;
  readonly takesPlace: boolean;
}

export interface LateRequest {
  readonly command: RequestPdu["command"];
  readonly requester: Requester;
}

interface RememberedRequest extends LateRequest {
  readonly forgetAt: number;
}

/** Throttled SMSCs have been seen to answer minutes late. */
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

  /** Requests in flight that take a place: all but those about the session itself. */
  get placesTaken(): number {
    return this.#placesTaken;
  }

  /** Counts from 1 to 0x7FFFFFFF, then starts again. Skips numbers that can still be answered. */
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

  /**
   * Removes and returns the request that this response answers; undefined if none is in flight or
   * its command differs.
   */
  settle(response: ResponsePdu): PendingRequest | undefined {
    const request = this.#pending.get(response.sequence_number);
    if (request === undefined || !answers(response, request.command)) return undefined;
    this.#pending.delete(response.sequence_number);
    if (request.takesPlace) this.#placesTaken -= 1;
    return request;
  }

  /** Removes and returns a request that had timed out. */
  takeLate(response: ResponsePdu): LateRequest | undefined {
    const request = this.#late.get(response.sequence_number);
    if (request === undefined || !answers(response, request.command)) return undefined;
    this.#late.delete(response.sequence_number);
    return request;
  }

  /** Removes the requests that are past their deadline, and remembers them. */
  expire(now: number): PendingRequest[] {
    const expired: PendingRequest[] = [];
    for (const [sequenceNumber, request] of this.#pending) {
      if (request.deadline > now) continue;
      this.#pending.delete(sequenceNumber);
      if (request.takesPlace) this.#placesTaken -= 1;
      const { command, requester } = request;
      this.#late.set(sequenceNumber, { command, requester, forgetAt: now + lateMemoryMs });
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

  /** Requests expire in insertion order, so the oldest come first. */
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

/** Whether the request succeeded. */
export function isAcceptance(reply: SmppReply): boolean {
  return (
    reply.kind === "response" &&
    reply.pdu.command !== "generic_nack" &&
    reply.pdu.command_status === commandStatus.ESME_ROK
  );
}
