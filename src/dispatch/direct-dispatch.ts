// The fast path from acceptance to a link. Where a bind of this node has capacity besides what waits
// in the queue, a new message is stored together with a claim for that bind and skips the queue. All
// others are queued. No call waits for capacity.
import type { ClaimedMessage } from "../store/message-queue.ts";
import { uuidv7 } from "../platform/uuid.ts";
import type { BindWindow } from "./bind-window.ts";
import type { ConnectorSupervisor } from "./connector-supervisor.ts";
import type { Dispatcher } from "./dispatcher.ts";

export interface DirectDispatchOptions {
  readonly connectors: Pick<ConnectorSupervisor, "dispatcherOf">;
  /** This node's registration among the nodes. */
  readonly membership: { readonly nodeId: string };
}

/** A message about to be accepted that is due at once. */
export interface MessageToDispatch {
  readonly routeId: number;
  readonly parts: number;
}

interface ReservedClaim {
  readonly claimId: string;
  readonly connectorId: number;
  readonly bindNumber: number;
  readonly dispatcher: Dispatcher;
  readonly window: BindWindow;
  parts: number;
}

/**
 * Capacity that is reserved for the messages of one accepting statement, until `take` or `release`
 * is called.
 */
export class Reservation {
  readonly nodeId: string;
  readonly claims: ReservedClaim[] = [];
  /** For each message the index of its claim; null when it waits in the queue. */
  readonly claimOf: (number | null)[] = [];
  /** Read before the messages are stored: the earliest time from which their validity can count. */
  readonly #reservedAt = performance.now();

  constructor(nodeId: string) {
    this.nodeId = nodeId;
  }

  add(dispatcher: Dispatcher, window: BindWindow, parts: number): void {
    let index = this.claims.findIndex((claim) => claim.window === window);
    if (index < 0) {
      const { connectorId } = dispatcher;
      const { bindNumber } = window;
      index = this.claims.push({ claimId: uuidv7(), connectorId, bindNumber, dispatcher, window, parts: 0 }) - 1;
    }
    const claim = this.claims[index];
    if (claim) claim.parts += parts;
    this.claimOf.push(index);
  }

  /**
   * The claims are on disk with these messages; undefined stands for a message that was not stored.
   */
  take(messages: readonly (ClaimedMessage | undefined)[]): void {
    this.claims.forEach(({ dispatcher, window, parts, claimId }, index) => {
      const claimed = messages.filter((message, at) => message !== undefined && this.claimOf[at] === index);
      const claim = { claimId, messages: claimed as ClaimedMessage[], askedAt: this.#reservedAt };
      dispatcher.takeReserved(window, parts, claim);
    });
  }

  /** Nothing is known to be stored under the claims. */
  release(): void {
    for (const { dispatcher, window, parts } of this.claims) dispatcher.releaseReserved(window, parts);
  }
}

export class DirectDispatch {
  readonly #options: DirectDispatchOptions;

  constructor(options: DirectDispatchOptions) {
    this.#options = options;
  }

  /**
   * Reserves capacity for as many of the messages as fit; undefined stands for a message that is
   * not due yet.
   */
  reserve(messages: readonly (MessageToDispatch | undefined)[]): Reservation {
    const { connectors, membership } = this.#options;
    const dispatchers = new Map<number, Dispatcher | undefined>();
    const reservation = new Reservation(membership.nodeId);
    const dispatcherFor = (routeId: number): Dispatcher | undefined => {
      if (!dispatchers.has(routeId)) dispatchers.set(routeId, connectors.dispatcherOf(routeId));
      return dispatchers.get(routeId);
    };
    for (const message of messages) {
      const dispatcher = message === undefined ? undefined : dispatcherFor(message.routeId);
      const parts = message?.parts ?? 0;
      const window = dispatcher?.reserve(parts);
      if (dispatcher && window) reservation.add(dispatcher, window, parts);
      else reservation.claimOf.push(null);
    }
    return reservation;
  }
}
