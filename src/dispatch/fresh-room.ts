// Room at the binds of one connector for messages that are being accepted. They are stored together
// with a claim for the bind, and never enter the queue.
import type { ClaimedMessage } from "../store/message-queue.ts";
import type { BindLane } from "./bind-lane.ts";
import type { Claim, Claiming } from "./claiming.ts";
import type { LinkGate } from "./link-gate.ts";
import type { LinkPace } from "./link-pace.ts";

export interface FreshRoomOptions {
  readonly gate: LinkGate;
  readonly pace: LinkPace;
  readonly claiming: Claiming;
  /** By the number of their binds. */
  readonly lanes: ReadonlyMap<number, BindLane>;
  readonly isBound: (lane: BindLane) => boolean;
  /** Routes that the connector serves at the moment. */
  readonly routeIds: () => readonly number[];
  readonly onTaken: (lane: BindLane, claim: Claim) => void;
  /** The claim was stored without any message. */
  readonly onEmptyClaim: (claimId: string) => void;
}

/** Parts for which room is reserved on one lane, until `take` or `release`. */
export interface RoomOnLane {
  readonly lane: BindLane;
  readonly parts: number;
}

export class FreshRoom {
  readonly #options: FreshRoomOptions;
  readonly #listeners = new Set<() => void>();
  /** Parts for which room is reserved. */
  #reserved = 0;
  #settled = 0;

  constructor(options: FreshRoomOptions) {
    this.#options = options;
  }

  /**
   * Parts for which room can be reserved now, and the total window. Undefined when waiting for room
   * is pointless: nothing may be taken, no bind is up, no route leads here (a second choice while
   * the first is up), the rate is limited, or the queue is too long to empty soon.
   */
  get available(): { readonly room: number; readonly window: number } | undefined {
    const { gate, pace, claiming, lanes, isBound, routeIds } = this.#options;
    const now = performance.now();
    if (!gate.isOpen(now) || claiming.isBehind || pace.available(now) !== Infinity) return undefined;
    let room = 0;
    let window = 0;
    for (const lane of lanes.values()) {
      if (!isBound(lane)) continue;
      room += Math.max(0, lane.room);
      window += lane.window;
    }
    if (window === 0 || routeIds().length === 0) return undefined;
    return { room: claiming.queue.mayHold ? 0 : room, window };
  }

  /**
   * Calls the listener whenever there may be more room. Returns the function that removes it.
   */
  onRoom(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** How many parts have been settled so far. */
  get settled(): number {
    return this.#settled;
  }

  /**
   * Tells the listeners how many parts were settled; 0 if there may be more room for another
   * reason.
   */
  tellRoom(parts: number): void {
    this.#settled += parts;
    for (const tell of this.#listeners) tell();
  }

  /**
   * Reserves room for the parts of a message whose route leads here. Undefined when there is none,
   * or when waiting messages may have to go first.
   */
  reserve(parts: number): BindLane | undefined {
    const { gate, pace, claiming, lanes, isBound } = this.#options;
    const now = performance.now();
    if (claiming.queue.mayHold || !gate.isOpen(now)) return undefined;
    if (pace.available(now) < this.#reserved + parts) return undefined;
    for (const lane of lanes.values()) {
      if (!isBound(lane) || !lane.reserve(parts)) continue;
      this.#reserved += parts;
      return lane;
    }
    return undefined;
  }

  /**
   * The messages for which room was reserved at `keptAt` (monotonic, ms) are stored under this
   * claim.
   */
  take(
    { lane, parts, claimId, keptAt }: RoomOnLane & { readonly claimId: string; readonly keptAt: number },
    messages: readonly ClaimedMessage[],
  ): void {
    this.#giveUp({ lane, parts });
    if (messages.length === 0) this.#options.onEmptyClaim(claimId);
    else this.#options.onTaken(lane, { claimId, messages, askedAt: keptAt });
  }

  /** Nothing was stored under the claim. */
  release({ lane, parts }: RoomOnLane): void {
    this.#giveUp({ lane, parts });
    this.#options.claiming.claimFor(lane);
  }

  #giveUp({ lane, parts }: RoomOnLane): void {
    lane.free(parts);
    this.#reserved -= parts;
  }
}
