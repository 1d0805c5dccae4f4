// What the parts of a dispatcher know of its link in common: the windows of its binds, its pace, what
// waits in the queue, and whether anything may be taken at all. Times are milliseconds of
// `performance.now`.
import type { BindWindow } from "./bind-window.ts";
import { LinkPace } from "./link-pace.ts";

// How many parts wait in the queue for a connector, as far as its dispatcher knows. They go before
// messages that are accepted now. Pure.

interface Claim {
  readonly asked: number;
  readonly expected: number;
  readonly counted: number;
  readonly uncounted: number;
}

export class QueueEstimate {
  #waiting = Infinity;
  /** Parts that entered the queue since the start, and notices of an unknown number. */
  #counted = 0;
  #uncounted = 0;

  /** In parts; Infinity where nobody counted them. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Messages entered the queue. `parts`: Infinity if nobody counted them. */
  note(parts: number): void {
    if (parts === Infinity) this.#uncounted += 1;
    else this.#counted += parts;
    this.#waiting += parts;
  }

  /** A claim begins. It asks for one part more than is known, so that it shows when that is all. */
  ask(mostParts: number): Claim {
    const asked = Math.min(mostParts, this.#waiting + 1);
    return { asked, expected: this.#waiting, counted: this.#counted, uncounted: this.#uncounted };
  }

  /**
   * The claim took so many parts. If it had capacity for more, only what came after it began can
   * still wait. If it took more than was known, nobody knows how many there are. A claim that was
   * filled may have locked more than it took, and claims of other binds skipped those rows: at least
   * one is left for them to look for.
   */
  answered({ asked, expected, counted, uncounted }: Claim, taken: number): void {
    if (taken < asked) this.#waiting = uncounted === this.#uncounted ? this.#counted - counted : Infinity;
    else if (taken > expected) this.#waiting = Infinity;
    else this.#waiting = Math.max(1, this.#waiting - taken);
  }
}

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
}
