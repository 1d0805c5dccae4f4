// The short path from acceptance to a link. While a bind of this node has room and no message waits
// for it, a new message is stored together with a claim for that bind and skips the queue. Messages
// that do not fit are queued.
import type { ClaimedMessage } from "../store/message-queue.ts";
import { uuidv7 } from "../platform/uuid.ts";
import type { BindLane } from "./bind-lane.ts";
import type { ConnectorSupervisor } from "./connector-supervisor.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { Patience, stillMs } from "./patience.ts";

/** One-time codes wait for room no longer than this. */
const longestForCodesMs = 25;

export interface HandOverOptions {
  readonly connectors: Pick<ConnectorSupervisor, "dispatchers" | "dispatcherOf">;
  /** This node's registration among the nodes. */
  readonly membership: { readonly nodeId: string };
}

/** A message about to be accepted that is due at once. */
export interface MessageToPlace {
  readonly routeId: number;
  readonly parts: number;
}

interface KeptClaim {
  readonly claimId: string;
  readonly connectorId: number;
  readonly bindNumber: number;
  readonly dispatcher: Dispatcher;
  readonly lane: BindLane;
  parts: number;
}

/**
 * Room reserved for the messages of one accepting statement, until `take` or `release` is called.
 */
export class Reservation {
  readonly nodeId: string;
  readonly claims: KeptClaim[] = [];
  /** For each message the index of its claim; null when it waits in the queue. */
  readonly claimOf: (number | null)[] = [];
  /** Read before the messages are stored: the earliest time from which their validity can count. */
  readonly #keptAt = performance.now();

  constructor(nodeId: string) {
    this.nodeId = nodeId;
  }

  keep(dispatcher: Dispatcher, lane: BindLane, parts: number): void {
    let index = this.claims.findIndex((claim) => claim.lane === lane);
    if (index < 0) {
      const { connectorId } = dispatcher;
      const { bindNumber } = lane;
      index = this.claims.push({ claimId: uuidv7(), connectorId, bindNumber, dispatcher, lane, parts: 0 }) - 1;
    }
    const claim = this.claims[index];
    if (claim) claim.parts += parts;
    this.claimOf.push(index);
  }

  /**
   * The claims are on disk with these messages; undefined stands for a message that was not stored.
   */
  take(messages: readonly (ClaimedMessage | undefined)[]): void {
    this.claims.forEach(({ dispatcher, lane, parts, claimId }, index) => {
      const claimed = messages.filter((message, at) => message !== undefined && this.claimOf[at] === index);
      dispatcher.fresh.take({ lane, parts, claimId, keptAt: this.#keptAt }, claimed as ClaimedMessage[]);
    });
  }

  /** Nothing is known to be stored under the claims. */
  release(): void {
    for (const { dispatcher, lane, parts } of this.claims) dispatcher.fresh.release({ lane, parts });
  }
}

export class HandOver {
  readonly #options: HandOverOptions;
  readonly #patience = new Patience();

  constructor(options: HandOverOptions) {
    this.#options = options;
  }

  /**
   * How many messages the binds can take now; Infinity when they go to the queue; a promise when it
   * is worth waiting for room. One-time codes are content with less room and wait for less time.
   */
  allowance(messagesWaiting: number, oneTimeCodes = 0): number | Promise<unknown> {
    let room = 0;
    let [window, settled] = [0, 0];
    const open = this.#options.connectors.dispatchers.filter((dispatcher) => {
      const fresh = dispatcher.fresh.available;
      room += fresh?.room ?? 0;
      window += fresh?.window ?? 0;
      settled += dispatcher.fresh.settled;
      return fresh !== undefined;
    });
    if (open.length === 0) {
      this.#patience.ended();
      return Infinity;
    }
    const third = Math.ceil(window / 3);
    if (room >= Math.min(messagesWaiting, third)) {
      this.#patience.rewarded();
      return room;
    }
    const now = performance.now();
    if (!this.#patience.lasts(now, { window, settled })) return Infinity;
    if (oneTimeCodes > 0) {
      // The other messages still found no room, so their waiting time goes on.
      if (room >= Math.min(oneTimeCodes, third)) return room;
      // The codes go to the queue alone, and are the first to leave it.
      if (this.#patience.waitedMs(now) >= longestForCodesMs) return oneTimeCodes;
    }
    return nextRoom(open, oneTimeCodes > 0 ? longestForCodesMs : stillMs);
  }

  /**
   * Reserves room for as many of the messages as fit; undefined stands for a message that is not
   * due yet.
   */
  reserve(messages: readonly (MessageToPlace | undefined)[]): Reservation {
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
      const lane = dispatcher?.fresh.reserve(parts);
      if (dispatcher && lane) reservation.keep(dispatcher, lane, parts);
      else reservation.claimOf.push(null);
    }
    return reservation;
  }
}

/** Resolves when one of the dispatchers may have more room, or after so long. */
function nextRoom(dispatchers: readonly Dispatcher[], mostMs: number): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      for (const stopListening of listening) stopListening();
      resolve();
    };
    // Timers may be early by a fraction.
    const timer = setTimeout(end, mostMs + 1);
    const listening = dispatchers.map((dispatcher) => dispatcher.fresh.onRoom(end));
  });
}
