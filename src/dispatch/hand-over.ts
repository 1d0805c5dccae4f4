// The short way from acceptance to a link: while a bind of this node has room and nothing waits before it, a message is stored under a claim for that
// bind at once, and never enters the queue. Whatever does not fit waits as ever.
import type { ClaimedMessage } from "../store/message-queue.ts";
import { uuidv7 } from "../uuid.ts";
import type { Place } from "./bind-lane.ts";
import type { Dispatcher } from "./dispatcher.ts";

/**
 * A full window is waited for so long before fresh messages go to the queue instead: at full load the links then set the pace, and the way stays the short one.
 */
const patienceMs = 5;

export interface HandOverOptions {
  /** Of all connectors that this node runs. */
  readonly dispatchers: () => readonly Dispatcher[];
  /** The dispatcher of the connector that serves the route at the moment, where this node runs it. */
  readonly dispatcherOf: (routeId: number) => Dispatcher | undefined;
  /** This node as it stands among the others. */
  readonly membership: { readonly nodeId: string };
}

/** A message about to be accepted, due at once. */
export interface MessageAtDoor {
  readonly routeId: number;
  readonly parts: number;
}

interface KeptClaim {
  readonly claimId: string;
  readonly connectorId: number;
  readonly bindNumber: number;
  readonly dispatcher: Dispatcher;
  readonly place: Place;
  parts: number;
}

/** Room kept for the messages of one accepting statement, until one of `take` and `release` is called. */
export class Reservation {
  readonly nodeId: string;
  readonly claims: KeptClaim[] = [];
  /** For each message: the index of its claim; null: it waits in the queue. */
  readonly claimOf: (number | null)[] = [];
  /** From before the messages are stored: their validity runs from then at the earliest. */
  readonly #keptAt = performance.now();

  constructor(nodeId: string) {
    this.nodeId = nodeId;
  }

  keep(dispatcher: Dispatcher, place: Place, parts: number): void {
    let index = this.claims.findIndex((claim) => claim.place === place);
    if (index < 0) {
      const { connectorId } = dispatcher;
      const { bindNumber } = place;
      index = this.claims.push({ claimId: uuidv7(), connectorId, bindNumber, dispatcher, place, parts: 0 }) - 1;
    }
    const claim = this.claims[index];
    if (claim) claim.parts += parts;
    this.claimOf.push(index);
  }

  /** The claims are on disk, with these messages; undefined: one that was not stored after all. */
  take(messages: readonly (ClaimedMessage | undefined)[]): void {
    this.claims.forEach(({ dispatcher, place, parts, claimId }, index) => {
      const claimed = messages.filter((message, at) => message !== undefined && this.claimOf[at] === index);
      dispatcher.take({ place, parts, claimId, keptAt: this.#keptAt }, claimed as ClaimedMessage[]);
    });
  }

  /** Nothing is known to stand under the claims. */
  release(): void {
    for (const { dispatcher, place, parts } of this.claims) dispatcher.release(place, parts);
  }
}

export class HandOver {
  readonly #options: HandOverOptions;
  #waitsSince: number | undefined;

  constructor(options: HandOverOptions) {
    this.#options = options;
  }

  /** How many messages binds would take now; a promise: none, but soon. */
  allowance(messagesWaiting: number): number | Promise<unknown> {
    let room = 0;
    let window = 0;
    const open = this.#options.dispatchers().filter((dispatcher) => {
      const fresh = dispatcher.roomForFresh;
      room += fresh?.room ?? 0;
      window += fresh?.window ?? 0;
      return fresh !== undefined;
    });
    const now = performance.now();
    const isWorthwhile = room >= Math.min(messagesWaiting, Math.ceil(window / 3));
    if (open.length === 0 || isWorthwhile || now - (this.#waitsSince ?? now) >= patienceMs) {
      this.#waitsSince = undefined;
      return isWorthwhile && open.length > 0 ? room : Infinity;
    }
    this.#waitsSince ??= now;
    return nextRoom(open);
  }

  /** Keeps room for as many of the messages as there is; undefined stands for one that is not due yet. */
  reserve(messages: readonly (MessageAtDoor | undefined)[]): Reservation {
    const { dispatcherOf, membership } = this.#options;
    const dispatchers = new Map<number, Dispatcher | undefined>();
    const reservation = new Reservation(membership.nodeId);
    const dispatcherFor = (routeId: number): Dispatcher | undefined => {
      if (!dispatchers.has(routeId)) dispatchers.set(routeId, dispatcherOf(routeId));
      return dispatchers.get(routeId);
    };
    for (const message of messages) {
      const dispatcher = message === undefined ? undefined : dispatcherFor(message.routeId);
      const parts = message?.parts ?? 0;
      const place = dispatcher?.reserve(parts);
      if (dispatcher && place) reservation.keep(dispatcher, place, parts);
      else reservation.claimOf.push(null);
    }
    return reservation;
  }
}

/** Resolves when one of them may have more room, or when patience ends. */
function nextRoom(dispatchers: readonly Dispatcher[]): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      for (const stopListening of listening) stopListening();
      resolve();
    };
    const timer = setTimeout(end, patienceMs);
    const listening = dispatchers.map((dispatcher) => dispatcher.onRoom(end));
  });
}
