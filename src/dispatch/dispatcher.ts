// Sends the messages of one connector: claims waiting ones for each bind that has room, or takes
// them directly when they are accepted, has their parts written, and has the results recorded. One
// instance per connector and node.
import type { ConnectorLink } from "../connectors/connector.ts";
import type { PartTaken } from "../store/progress.ts";
import type { ActiveMessage, MessageOutcome } from "./active-message.ts";
import { BindLane } from "./bind-lane.ts";
import { ClaimIntake, type ClaimIntakeOptions } from "./claim-intake.ts";
import { type Claim, Claiming, type ClaimingOptions } from "./claiming.ts";
import { FreshRoom } from "./fresh-room.ts";
import { LinkGate } from "./link-gate.ts";
import { LinkPace } from "./link-pace.ts";
import { PaceTimer } from "./pace-timer.ts";
import { PartWriter, type PartWriterOptions } from "./part-writer.ts";
import { Settler, type SettlerOptions } from "./settler.ts";
import type { Due } from "./wake-up.ts";

export interface DispatcherOptions
  extends
    SettlerOptions,
    Pick<ClaimIntakeOptions, "db" | "laneElsewhere" | "isOptedOut">,
    Pick<ClaimingOptions, "membership" | "routeIds">,
    Pick<PartWriterOptions, "nextWindow"> {
  readonly link: ConnectorLink;
  /** This node's initial share of the connector's rate, in parts per second; 0 means no limit. */
  readonly partsPerSecond: number;
}

/** How often the queue is polled: a notice that something is due may be lost. */
export const pollEveryMs = 250;

export class Dispatcher {
  readonly connectorId: number;
  /** Room for messages that are being accepted. */
  readonly fresh: FreshRoom;
  readonly #options: DispatcherOptions;
  readonly #lanes = new Map<number, BindLane>();
  readonly #gate: LinkGate;
  readonly #pace: LinkPace;
  readonly #claiming: Claiming;
  readonly #intake: ClaimIntake;
  readonly #writer: PartWriter;
  readonly #settler: Settler;
  readonly #paceTimer: PaceTimer;
  #poll: NodeJS.Timeout | undefined;

  constructor(options: DispatcherOptions) {
    this.connectorId = options.connector.id;
    this.#options = options;
    this.#gate = new LinkGate({ isLeaseHeld: () => options.membership.isLeaseHeld });
    this.#pace = new LinkPace(options.partsPerSecond, performance.now());
    this.#paceTimer = new PaceTimer(this.#pace, () => this.wake());
    this.#settler = new Settler(options);
    const shared = {
      ...options,
      gate: this.#gate,
      pace: this.#pace,
      isBound: (lane: BindLane) => this.#isBound(lane),
      onTooFast: (parts: number) => this.#paceTimer.set(parts),
      onSettled: (lane: BindLane, active: ActiveMessage, outcome: MessageOutcome, taken?: PartTaken) =>
        void this.#settle(lane, active, outcome, taken),
    };
    this.#claiming = new Claiming({
      ...shared,
      onClaimed: (lane, claim) => {
        this.#take(lane, claim);
        setImmediate(() => this.wake());
      },
      onClaimEnded: () => this.fresh.tellRoom(0),
    });
    this.#intake = new ClaimIntake({ ...shared, onReady: (lane) => this.#write(lane) });
    this.#writer = new PartWriter({
      ...shared,
      record: (settlement) => void this.#settler.record(settlement),
      onTurnedAway: () => this.#giveBackAll(),
    });
    this.fresh = new FreshRoom({
      ...shared,
      claiming: this.#claiming,
      lanes: this.#lanes,
      onTaken: (lane, claim) => this.#take(lane, claim),
      onEmptyClaim: (claimId) => void this.#settler.record({ finishedClaim: claimId }),
    });
  }

  start(): void {
    this.#poll = setInterval(() => this.#look(), pollEveryMs);
    this.wake();
  }

  /**
   * Stops claiming, gives back what is not written, and waits for the claims in progress. Answers
   * can still arrive afterwards.
   */
  async stop(): Promise<void> {
    this.#gate.stop();
    clearInterval(this.#poll);
    this.#paceTimer.stop();
    await this.#claiming.ended();
    await this.#intake.ended();
    this.#giveBackAll();
  }

  /** Claims with messages that may not be settled on disk yet. */
  get openClaims(): readonly string[] {
    return this.#settler.claims.ids;
  }

  addBind(bindNumber: number): void {
    if (this.#lanes.has(bindNumber)) return;
    this.#lanes.set(bindNumber, new BindLane(bindNumber, this.#options.connector.settings.window));
  }

  /** Changes this node's share of the connector's rate; more than 0. */
  limitTo(partsPerSecond: number): void {
    this.#pace.limitTo(partsPerSecond, performance.now());
  }

  /** The bind is gone, or about to go: gives back what was claimed for it and not written. */
  removeBind(bindNumber: number): void {
    this.bindLost(bindNumber);
    this.#lanes.delete(bindNumber);
  }

  /** Submits nothing until it is told otherwise; answers still arrive. */
  pause(paused: boolean): void {
    if (!this.#gate.pause(paused)) return;
    if (paused) this.#giveBackAll();
    else this.wake();
  }

  /** The link of a bind was lost. */
  bindLost(bindNumber: number): void {
    const lane = this.#lanes.get(bindNumber);
    if (lane) this.#giveBack(lane);
  }

  // A notice of another node may be lost.
  #look(): void {
    for (const lane of this.#lanes.values()) lane.urgent = true;
    this.wake();
  }

  /** Something may be due, or a bind may have room. */
  wake(due?: Due): void {
    if (due) this.#claiming.queue.note();
    for (const lane of this.#lanes.values()) {
      if (due) lane.noteDue();
      if (due?.urgent === true) lane.urgent = true;
      this.#writer.write(lane);
      this.#claiming.claimFor(lane);
    }
  }

  #isBound(lane: BindLane): boolean {
    return this.#lanes.get(lane.bindNumber) === lane && this.#options.link.isBound(lane.bindNumber);
  }

  #take(lane: BindLane, claim: Claim): void {
    this.#settler.claims.open(claim.claimId, claim.messages.length);
    this.#intake.take(lane, claim);
  }

  #write(lane: BindLane): void {
    const mayWrite = this.#gate.mayWrite && this.#isBound(lane) && !this.#pace.isResting(performance.now());
    if (mayWrite) this.#writer.write(lane);
    else this.#giveBack(lane);
  }

  // Messages that are claimed and not written go back when the link rests, too: they must not
  // overtake those that the SMSC turned away.
  #giveBackAll(): void {
    for (const lane of this.#lanes.values()) this.#giveBack(lane);
  }

  #giveBack(lane: BindLane): void {
    for (const active of lane.takeWaiting()) {
      const settled = active.giveBack();
      if (settled) void this.#settle(lane, active, settled);
    }
  }

  async #settle(lane: BindLane, active: ActiveMessage, outcome: MessageOutcome, taken?: PartTaken): Promise<void> {
    await this.#settler.settle(active, outcome, taken);
    if (outcome.kind === "deferred" || (outcome.kind === "held" && outcome.rest)) this.#claiming.queue.note();
    lane.free(active.claimedParts);
    this.fresh.tellRoom(active.claimedParts);
    this.#claiming.claimFor(lane);
  }
}
