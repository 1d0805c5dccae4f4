// Whose password is checked next, of all workers: one queue with the lanes and bounds of one node.
// The parent gives turns and computes nothing.
import type { Place } from "../credentials/fair-lanes.ts";
import { checkQueue } from "../credentials/password-check.ts";
import { WorkQueueFull } from "../credentials/work-queue.ts";

/** The turns of one process, all of which it loses when it ends. */
export interface TurnHolder {
  isGone: boolean;
  readonly ends: Map<number, () => void>;
}

export class PasswordTurns {
  readonly #queue: ReturnType<typeof checkQueue>;
  readonly #holders = new Map<number, TurnHolder>();

  constructor(workers: number) {
    this.#queue = checkQueue(workers);
  }

  /** All 0 when no worker checks a password. */
  get load(): { readonly running: number; readonly waiting: number; readonly lanes: number } {
    return this.#queue.load;
  }

  /** Resolves when its turn has come: false if the queue is full. */
  take(worker: number, id: number, place: Place): Promise<boolean> {
    const holder = this.#holders.get(worker) ?? { isGone: false, ends: new Map<number, () => void>() };
    this.#holders.set(worker, holder);
    return new Promise((resolve, reject) => {
      const hold = (): Promise<void> => {
        if (holder.isGone) return Promise.resolve();
        return new Promise((end) => {
          holder.ends.set(id, end);
          resolve(true);
        });
      };
      this.#queue.run(place, hold).catch((error: unknown) => {
        if (error instanceof WorkQueueFull) resolve(false);
        else reject(error instanceof Error ? error : new Error(String(error)));
      });
    });
  }

  end(worker: number, id: number): void {
    const ends = this.#holders.get(worker)?.ends;
    ends?.get(id)?.();
    ends?.delete(id);
  }

  demote(lane: string): void {
    this.#queue.demote(lane);
  }

  /** The process of this worker has ended. What waits for it goes when its turn comes. */
  leave(worker: number): void {
    const holder = this.#holders.get(worker);
    if (holder === undefined) return;
    this.#holders.delete(worker);
    holder.isGone = true;
    for (const end of holder.ends.values()) end();
  }
}
