/**
 * This side's requests between sending and reply: a window of them is in flight, others wait for a
 * place. Each gets exactly one reply. Knows the writer of the session, but no socket and no state.
 */

import type { Alarm, SessionClock } from "./session-clock.ts";
import type { OutgoingRequest, ResponsePdu } from "./pdu.ts";
import type { PduWriter } from "./pdu-writer.ts";
import { type PendingRequest, type Requester, RequestWindow } from "./request-window.ts";
import { takesWindowPlace } from "./session-state.ts";

export interface OutgoingRequestsOptions {
  /** Maximum number of requests in flight. */
  readonly window: number;
  readonly lastSequenceNumber: number;
  readonly writer: PduWriter;
  readonly clock: SessionClock;
  readonly alarm: Alarm;
  /** Whether the session takes requests that need a place. */
  readonly isOpen: () => boolean;
  /** A request was answered, in time or late; its requester has not been told yet. */
  readonly onAnswered: () => void;
  /** There are free places again, after there was none, or the socket can be written again. */
  readonly onFree: () => void;
  /** No request with a place is in flight any more. */
  readonly onIdle: () => void;
}

/** A request that waits for a free place in the window. */
export interface WaitingRequest {
  readonly request: OutgoingRequest;
  readonly requester: Requester;
  readonly timeoutMs: number;
  /** Called if the request cannot be encoded. */
  readonly onInvalid: (error: unknown) => void;
}

export class OutgoingRequests {
  readonly #options: OutgoingRequestsOptions;
  readonly #window: RequestWindow;
  readonly #waiting: WaitingRequest[] = [];
  #hasFreed = false;
  /** No place was free, or none could be used, since `onFree`. */
  #wasFull = false;
  #awaited: { readonly then: () => void; readonly timer: NodeJS.Timeout } | undefined;

  constructor(options: OutgoingRequestsOptions) {
    this.#options = options;
    this.#window = new RequestWindow(options.window, options.lastSequenceNumber);
  }

  /** How many requests that need a place may be sent now. */
  get free(): number {
    const { isOpen, writer } = this.#options;
    return writer.isBlocked || !isOpen() ? 0 : this.#window.free;
  }

  /** Requests with a place that have no reply yet. */
  get inFlight(): number {
    return this.#window.placesTaken;
  }

  /** Infinity when nothing is in flight. */
  get nextDeadline(): number {
    return this.#window.nextDeadline();
  }

  /** Whether a request of the command may be sent now. */
  hasRoomFor(command: OutgoingRequest["command"]): boolean {
    return !takesWindowPlace(command) || this.free > 0;
  }

  /** Throws a RangeError for values that cannot be encoded; then nothing happened. */
  send(request: OutgoingRequest, requester: Requester, timeoutMs: number): void {
    const { writer, clock, alarm } = this.#options;
    const sequenceNumber = this.#window.nextSequenceNumber();
    const { command } = request;
    const takesPlace = takesWindowPlace(command);
    const writeNumber = writer.request(request, sequenceNumber, takesPlace);
    const deadline = clock.now() + timeoutMs;
    this.#window.add(sequenceNumber, { command, requester, deadline, writeNumber, takesPlace });
    if (this.#window.free === 0) this.#wasFull = true;
    alarm.bringForward(deadline);
  }

  /** Sends it when there is a place for it. Throws like `send`. */
  sendOrAwait(waiting: WaitingRequest): void {
    const { request, requester, timeoutMs } = waiting;
    if (this.hasRoomFor(request.command)) this.send(request, requester, timeoutMs);
    else this.#waiting.push(waiting);
  }

  /** The peer only has to answer. */
  enquire(timeoutMs: number): void {
    this.send({ command: "enquire_link" }, { onReply: () => undefined }, timeoutMs);
  }

  /** Gives a response to the one who asked. False if nobody did. */
  settle(response: ResponsePdu): boolean {
    const request = this.#window.settle(response);
    if (request !== undefined) {
      this.#options.onAnswered();
      if (request.takesPlace) this.#hasFreed = true;
      request.requester.onReply({ kind: "response", pdu: response });
      return true;
    }
    const late = this.#window.takeLate(response);
    if (late === undefined) return false;
    this.#options.onAnswered();
    if (takesWindowPlace(late.command)) late.requester.onLate?.(response);
    return true;
  }

  /** Takes out the requests that are past their deadline; the caller passes them to `giveUp`. */
  expire(now: number): readonly PendingRequest[] {
    return this.#window.expire(now);
  }

  giveUp(expired: readonly PendingRequest[]): void {
    for (const { takesPlace, requester } of expired) {
      if (takesPlace) this.#hasFreed = true;
      requester.onReply({ kind: "timeout" });
    }
  }

  /**
   * Calls it when every request with a place has its reply, at the latest after the time; not at
   * all if the session ends before.
   */
  whenAnswered(withinMs: number, then: () => void): void {
    this.#stopAwaiting();
    this.#awaited = { then, timer: setTimeout(then, withinMs) };
    this.#tellAnswered();
  }

  /** The window is usable again. Told by `announceFreed`. */
  noteFreed(): void {
    this.#hasFreed = true;
    this.#wasFull = true;
  }

  /** Sends waiting requests if places have become free, and reports when some are left after there was none. */
  announceFreed(): void {
    if (this.#awaited !== undefined) this.#tellAnswered();
    if (!this.#hasFreed) return;
    if (this.inFlight === 0) this.#options.onIdle();
    if (this.#options.writer.isBlocked) return;
    this.#hasFreed = false;
    while (this.free > 0) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      try {
        this.send(next.request, next.requester, next.timeoutMs);
      } catch (error) {
        next.onInvalid(error);
      }
    }
    if (!this.#wasFull || this.free === 0) return;
    this.#wasFull = false;
    this.#options.onFree();
  }

  refuseWaiting(): void {
    for (const { requester } of this.#waiting.splice(0)) requester.onReply({ kind: "closed", written: false });
  }

  /** The session has ended. */
  close(): void {
    this.#stopAwaiting();
    for (const { requester, writeNumber } of this.#window.removeAll())
      requester.onReply({ kind: "closed", written: writeNumber < this.#options.writer.writeNumber });
    this.refuseWaiting();
  }

  #tellAnswered(): void {
    const awaited = this.#awaited;
    if (awaited === undefined || this.inFlight > 0) return;
    this.#stopAwaiting();
    awaited.then();
  }

  #stopAwaiting(): void {
    clearTimeout(this.#awaited?.timer);
    this.#awaited = undefined;
  }
}
