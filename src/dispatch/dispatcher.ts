// Sends the messages of one connector: claims waiting ones for each bind that has capacity, or takes
// them directly when they are accepted, has their parts written, and has the results recorded. One
// instance per connector and node.
import type { ConnectorLink } from "../connectors/connector.ts";
import { BindWindow } from "./bind-window.ts";
import { type Claim, Claiming, type ClaimingOptions } from "./claiming.ts";
import { LinkState } from "./link-state.ts";
import { PartWriter, type PartWriterOptions } from "./part-writer.ts";
import { ClaimPreparer, type ClaimPreparerOptions } from "./prepare-claimed.ts";
import { Settler, type SettlerOptions } from "./settler.ts";
import type { Due } from "./wake-up.ts";

export interface DispatcherOptions
  extends
    Omit<SettlerOptions, "state" | "onFreed">,
    Pick<ClaimPreparerOptions, "db" | "variantElsewhere">,
    Pick<ClaimingOptions, "membership" | "routeIds">,
    Pick<PartWriterOptions, "directory"> {
  readonly link: ConnectorLink;
  /** This node's initial share of the connector's rate, in parts per second; 0 means no limit. */
  readonly partsPerSecond: number;
}

export class Dispatcher {
  readonly connectorId: number;
  readonly #options: DispatcherOptions;
  readonly #state: LinkState;
  readonly #claiming: Claiming;
  readonly #preparer: ClaimPreparer;
  readonly #writer: PartWriter;
  readonly #settler: Settler;
  /** Parts of messages that are being accepted. */
  #reserved = 0;

  constructor(options: DispatcherOptions) {
    this.connectorId = options.connector.id;
    this.#options = options;
    this.#state = new LinkState({
      isBound: (bindNumber) => options.link.isBound(bindNumber),
      isLeaseHeld: () => options.membership.isLeaseHeld,
      partsPerSecond: options.partsPerSecond,
      onPace: () => this.wake(),
    });
    this.#settler = new Settler({
      ...options,
      state: this.#state,
      onFreed: (window) => this.#claiming.claimFor(window),
    });
    const shared = { ...options, state: this.#state, settler: this.#settler };
    this.#claiming = new Claiming({
      ...shared,
      onClaimed: (window, claim) => {
        this.#preparer.take(window, claim);
        setImmediate(() => this.wake());
      },
    });
    this.#preparer = new ClaimPreparer({
      ...shared,
      onReady: (window) => {
        const { mayWrite, pace } = this.#state;
        if (mayWrite && this.#state.isBound(window) && !pace.isResting(performance.now())) this.#writer.write(window);
        else this.#giveBack(window);
      },
    });
    this.#writer = new PartWriter({ ...shared, onThrottled: () => this.#giveBackAll() });
  }

  start(): void {
    this.wake();
  }

  /** The queue may hold something of which no notification has come. */
  poll(): void {
    // One bind with capacity looks for all: if it finds something, the others are woken.
    for (const window of this.#state.windows.values()) {
      if (!this.#state.isBound(window) || window.capacity <= 0) continue;
      window.urgent = true;
      break;
    }
    this.wake();
  }

  /**
   * Stops claiming, gives back what is not written, and waits for the claims in progress. Answers
   * can still arrive afterwards.
   */
  async stop(): Promise<void> {
    this.#state.stop();
    await this.#claiming.ended();
    await this.#preparer.ended();
    this.#giveBackAll();
  }

  /** Claims with messages that may not be settled on disk yet. */
  get openClaims(): readonly string[] {
    return this.#settler.openClaims;
  }

  addBind(bindNumber: number): void {
    const { windows } = this.#state;
    if (windows.has(bindNumber)) return;
    windows.set(bindNumber, new BindWindow(bindNumber, this.#options.connector.settings.window));
  }

  /** Changes this node's share of the connector's rate; more than 0. */
  limitTo(partsPerSecond: number): void {
    this.#state.pace.limitTo(partsPerSecond, performance.now());
  }

  /** The bind is gone, or about to go: gives back what was claimed for it and not written. */
  removeBind(bindNumber: number): void {
    this.bindLost(bindNumber);
    this.#state.windows.delete(bindNumber);
  }

  /** Submits nothing until it is called again; answers still arrive. */
  pause(paused: boolean): void {
    if (!this.#state.pause(paused)) return;
    if (paused) this.#giveBackAll();
    else this.wake();
  }

  /** The link of a bind was lost. */
  bindLost(bindNumber: number): void {
    const window = this.#state.windows.get(bindNumber);
    if (window) this.#giveBack(window);
  }

  /** Something may be due, or a bind may have capacity. */
  wake(due?: Due): void {
    if (due) this.#state.queue.note(due.parts ?? Infinity);
    for (const window of this.#state.windows.values()) {
      if (due) window.noteDue();
      if (due?.urgent === true) window.urgent = true;
      this.#writer.write(window);
      this.#claiming.claimFor(window);
    }
  }

  /**
   * Reserves capacity for the parts of a message that is being accepted, until one of the following calls.
   * Undefined when there is none besides what the waiting messages of the queue need.
   */
  reserve(parts: number): BindWindow | undefined {
    const { windows, queue, pace } = this.#state;
    const now = performance.now();
    if (!this.#state.mayTake(now)) return undefined;
    let [capacity, asked] = [0, 0];
    let chosen: BindWindow | undefined;
    for (const window of windows.values()) {
      asked += window.asked;
      if (!this.#state.isBound(window)) continue;
      capacity += Math.max(0, window.capacity);
      if (window.capacity >= parts) chosen ??= window;
    }
    const needed = parts + Math.max(0, queue.waiting - asked);
    if (capacity < needed || pace.available(now) < this.#reserved + needed) return undefined;
    chosen?.hold(parts);
    if (chosen !== undefined) this.#reserved += parts;
    return chosen;
  }

  /** The claim for which the parts were reserved is stored with these messages. */
  takeReserved(window: BindWindow, parts: number, claim: Claim): void {
    this.#free(window, parts);
    if (claim.messages.length === 0) this.#settler.record({ finishedClaim: claim.claimId });
    else this.#preparer.take(window, claim);
  }

  /** Nothing was stored. */
  releaseReserved(window: BindWindow, parts: number): void {
    this.#free(window, parts);
    this.#claiming.claimFor(window);
  }

  #free(window: BindWindow, parts: number): void {
    window.free(parts);
    this.#reserved -= parts;
  }

  // Messages that are claimed and not written go back when the link pauses, too: they must not
  // overtake those that the SMSC rejected for now.
  #giveBackAll(): void {
    for (const window of this.#state.windows.values()) this.#giveBack(window);
  }

  #giveBack(window: BindWindow): void {
    for (const active of window.takeWaiting()) {
      const settled = active.giveBack();
      if (settled) this.#settler.settle(window, active, settled);
    }
  }
}
