// The fast path from acceptance to a link. Where a bind of this node has capacity besides what waits
// in the queue, a new message is stored together with a claim for that bind and skips the queue. All
// others are queued. No call waits for capacity.
import type { DirectClaims } from "../store/accept-calls.ts";
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
  /** Those that were stored under it. */
  readonly stored: ClaimedMessage[];
}

/**
 * Capacity that is reserved for the messages of one accepting statement, until `take` or `release`
 * is called. The intake declares the same as what it needs (`CapacityAtBinds`).
 */
export interface Reservation extends DirectClaims {
  /** The claims are on disk with these messages; undefined: one that was not stored. */
  take(messages: readonly (ClaimedMessage | undefined)[]): void;
  /** Nothing is known to be stored under the claims. */
  release(): void;
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
    // Before the messages are stored: the earliest time from which their validity can count.
    const reservedAt = performance.now();
    const dispatchers = new Map<number, Dispatcher | undefined>();
    const claims: ReservedClaim[] = [];
    const claimOf: (number | null)[] = [];
    for (const message of messages) {
      if (message === undefined) {
        claimOf.push(null);
        continue;
      }
      const { routeId, parts } = message;
      if (!dispatchers.has(routeId)) dispatchers.set(routeId, connectors.dispatcherOf(routeId));
      const dispatcher = dispatchers.get(routeId);
      const window = dispatcher?.reserve(parts);
      if (dispatcher === undefined || window === undefined) {
        claimOf.push(null);
        continue;
      }
      let index = 0;
      while (index < claims.length && claims[index]?.window !== window) index += 1;
      const { connectorId } = dispatcher;
      const { bindNumber } = window;
      const claim = (claims[index] ??= {
        claimId: uuidv7(),
        connectorId,
        bindNumber,
        dispatcher,
        window,
        parts: 0,
        stored: [],
      });
      claim.parts += parts;
      claimOf.push(index);
    }
    return {
      nodeId: membership.nodeId,
      claims,
      claimOf,
      take: (messages) => {
        for (let place = 0; place < messages.length; place += 1) {
          const message = messages[place];
          if (message !== undefined) claims[claimOf[place] ?? -1]?.stored.push(message);
        }
        for (const { dispatcher, window, parts, claimId, stored } of claims)
          dispatcher.takeReserved(window, parts, { claimId, messages: stored, askedAt: reservedAt });
      },
      release: () => {
        for (const { dispatcher, window, parts } of claims) dispatcher.releaseReserved(window, parts);
      },
    };
  }
}
