// The measurable state of a socket: how much of an unfinished head it holds, and since when its
// peer has received nothing of an answer.
import type { Socket } from "node:net";
import { isInHead } from "../raw-query.ts";
import type { BudgetClaim } from "./shared-budget.ts";

/** Internal fields that Node.js keeps in a server's socket. */
interface SocketInside {
  readonly _handle?: { readonly writeQueueSize: number } | null;
  /** Called after each read, including those that Node.js passes directly to its parser. */
  _unrefTimer?: () => void;
}

/** Calls back after each read of the socket, and sometimes in between. */
export function onRead(socket: Socket & SocketInside, read: () => void): void {
  const prolong = socket._unrefTimer?.bind(socket);
  socket._unrefTimer = () => {
    prolong?.();
    read();
  };
}

export class SocketWatch {
  readonly #socket: Socket & SocketInside;
  readonly #head: BudgetClaim;
  #requests = 0;
  #requestsSeen = 0;
  #octetsRead = 0;
  #octetsQueued = 0;
  #untakenSince: number | undefined;

  constructor(socket: Socket, head: BudgetClaim) {
    this.#socket = socket;
    this.#head = head;
  }

  /** Call it when a head is complete. From then on the request counts instead. */
  countRequest(): void {
    this.#requests += 1;
    if (this.holdsHead) this.#head.set(0);
  }

  /** Octets received since the last check. */
  get unseen(): number {
    return this.#socket.bytesRead - this.#octetsRead;
  }

  /** Whether the last check found an unfinished head. */
  get holdsHead(): boolean {
    return this.#head.amount > 0;
  }

  /**
   * Counts at least the size of the head, or what waits to be parsed. Includes octets of earlier
   * requests only if they arrived since the last check.
   */
  lookAtHead(): void {
    const { bytesRead, readableLength } = this.#socket;
    const more = bytesRead - this.#octetsRead;
    if (more === 0 && readableLength === 0 && this.#head.amount === 0) return;
    this.#octetsRead = bytesRead;
    const isOther = this.#requests !== this.#requestsSeen;
    this.#requestsSeen = this.#requests;
    if (!isInHead(this.#socket)) this.#head.set(readableLength);
    else this.#head.set(isOther ? more : this.#head.amount + more);
  }

  /** For how many milliseconds the peer has received nothing of what waits for it. */
  lookAtAnswers(nowMs: number): number {
    const octetsQueued = this.#socket._handle?.writeQueueSize ?? 0;
    const isTaken = octetsQueued === 0 || octetsQueued !== this.#octetsQueued;
    this.#octetsQueued = octetsQueued;
    if (isTaken) this.#untakenSince = undefined;
    else this.#untakenSince ??= nowMs;
    return this.#untakenSince === undefined ? 0 : nowMs - this.#untakenSince;
  }

  /** Nothing waits for the peer: the time of an earlier answer does not count for the next. */
  forgetAnswers(): void {
    this.#octetsQueued = 0;
    this.#untakenSince = undefined;
  }

  end(): void {
    this.#head.release();
  }
}
