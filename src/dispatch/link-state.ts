// What the parts of a dispatcher know of its link in common: the windows of its binds, its pace, what
// waits in the queue, and whether anything may be taken at all. Times are milliseconds of
// `performance.now`.
import type { BindWindow } from "./bind-window.ts";
import { LinkPace } from "./link-pace.ts";
import { QueueEstimate } from "./queue-estimate.ts";

export interface LinkStateOptions {
  readonly isBound: (bindNumber: number) => boolean;
  /** Without its lease this node may take nothing: another may have the binds already. */
  readonly isLeaseHeld: () => boolean;
  /** This node's initial share of the connector's rate, in parts per second; 0 means no limit. */
  readonly partsPerSecond: number;
  /** The pace allows more than before. */
  readonly onPace: () => void;
}

export class LinkState {
  readonly windows = new Map<number, BindWindow>();
  readonly queue = new QueueEstimate();
  readonly pace: LinkPace;
  readonly #options: LinkStateOptions;
  #isStopped = false;
  #isPaused = false;
  #restUntil = 0;
  /** Parts of messages that are being accepted. */
  #reserved = 0;
  #paceTimer: NodeJS.Timeout | undefined;

  constructor(options: LinkStateOptions) {
    this.#options = options;
    this.pace = new LinkPace(options.partsPerSecond, performance.now());
  }

  isBound(window: BindWindow): boolean {
    return this.windows.get(window.bindNumber) === window && this.#options.isBound(window.bindNumber);
  }

  /** Messages may be taken for the link now. */
  mayTake(now: number): boolean {
    return this.mayWrite && now >= this.#restUntil && this.#options.isLeaseHeld();
  }

  /** What is taken already may be written, as long as the lease holds. */
  get mayWrite(): boolean {
    return !this.#isStopped && !this.#isPaused;
  }

  /** For good. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#paceTimer);
  }

  /** Returns whether this changed anything. */
  pause(isPaused: boolean): boolean {
    const isChange = isPaused !== this.#isPaused;
    this.#isPaused = isPaused;
    return isChange;
  }

  /** A claim failed: nothing is taken until then. */
  rest(until: number): void {
    this.#restUntil = until;
  }

  /** Calls `onPace` once when so many parts may be written. An earlier call stands. */
  awaitPace(parts: number): void {
    if (this.#paceTimer !== undefined || this.#isStopped) return;
    const waitMs = Math.max(1, this.pace.waitMs(performance.now(), parts));
    this.#paceTimer = setTimeout(() => {
      this.#paceTimer = undefined;
      this.#options.onPace();
    }, waitMs);
  }

  /**
   * Reserves capacity for the parts of a message that is being accepted. Undefined when there is
   * none beside what waits in the queue.
   */
  reserve(parts: number): BindWindow | undefined {
    const now = performance.now();
    if (!this.mayTake(now)) return undefined;
    let [capacity, asked] = [0, 0];
    let chosen: BindWindow | undefined;
    for (const window of this.windows.values()) {
      asked += window.asked;
      if (!this.isBound(window)) continue;
      capacity += Math.max(0, window.capacity);
      if (window.capacity >= parts) chosen ??= window;
    }
    const needed = parts + Math.max(0, this.queue.waiting - asked);
    if (capacity < needed || this.pace.available(now) < this.#reserved + needed) return undefined;
    chosen?.hold(parts);
    if (chosen !== undefined) this.#reserved += parts;
    return chosen;
  }

  /** What was reserved is claimed, or was not stored. */
  release(window: BindWindow, parts: number): void {
    window.free(parts);
    this.#reserved -= parts;
  }
}
