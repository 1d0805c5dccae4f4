// What a socket shows when it is looked at: how much of an unfinished head it holds, and since when no octet of an answer is taken.
import type { Socket } from "node:net";
import { isInHead } from "../raw-query.ts";
import type { Claim } from "./shared-budget.ts";

/** What Node.js keeps beside the public interface of a server's socket. */
interface SocketInside {
  readonly _handle?: { readonly writeQueueSize: number } | null;
  /** Called after each read, also of those that Node.js passes straight to its parser. */
  _unrefTimer?: () => void;
}

/** Calls back after each read of the socket, and now and then besides. */
export function onRead(socket: Socket & SocketInside, read: () => void): void {
  const prolong = socket._unrefTimer?.bind(socket);
  socket._unrefTimer = () => {
    prolong?.();
    read();
  };
}

export class SocketWatch {
  readonly #socket: Socket & SocketInside;
  readonly #head: Claim;
  #requests = 0;
  #requestsSeen = 0;
  #octetsRead = 0;
  #octetsQueued = 0;
  #untakenSince: number | undefined;

  constructor(socket: Socket, head: Claim) {
    this.#socket = socket;
    this.#head = head;
  }

  /** To be called when a head is complete: from then on its request counts for it. */
  countRequest(): void {
    this.#requests += 1;
    if (this.holdsHead) this.#head.set(0);
  }

  /** Octets that came since it was looked at. */
  get unseen(): number {
    return this.#socket.bytesRead - this.#octetsRead;
  }

  /** Whether an unfinished head was seen at the last look. */
  get holdsHead(): boolean {
    return this.#head.amount > 0;
  }

  /** Counts no less than the head holds; octets of earlier requests only where these came since the last look. */
  lookAtHead(): void {
    const { bytesRead } = this.#socket;
    const more = bytesRead - this.#octetsRead;
    if (more === 0 && this.#head.amount === 0) return;
    this.#octetsRead = bytesRead;
    const isOther = this.#requests !== this.#requestsSeen;
    this.#requestsSeen = this.#requests;
    if (!isInHead(this.#socket)) this.#head.set(0);
    else this.#head.set(isOther ? more : this.#head.amount + more);
  }

  /** For how many milliseconds nothing was taken of what waits to be taken. */
  lookAtAnswers(nowMs: number): number {
    const octetsQueued = this.#socket._handle?.writeQueueSize ?? 0;
    const isTaken = octetsQueued === 0 || octetsQueued !== this.#octetsQueued;
    this.#octetsQueued = octetsQueued;
    if (isTaken) this.#untakenSince = undefined;
    else this.#untakenSince ??= nowMs;
    return this.#untakenSince === undefined ? 0 : nowMs - this.#untakenSince;
  }

  end(): void {
    this.#head.release();
  }
}
