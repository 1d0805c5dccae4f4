// Wakes a dispatcher when the pace of its link allows more.
import type { LinkPace } from "./link-pace.ts";

export class PaceTimer {
  readonly #pace: LinkPace;
  readonly #wake: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(pace: LinkPace, wake: () => void) {
    this.#pace = pace;
    this.#wake = wake;
  }

  /** Wakes once when `parts` parts may be written. One that is set already comes first. */
  set(parts: number): void {
    if (this.#timer !== undefined || this.#isStopped) return;
    const waitMs = Math.max(1, this.#pace.waitMs(performance.now(), parts));
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#wake();
    }, waitMs);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
