// Whose password is checked next, of all workers: one queue with the lanes and bounds of one node.
// The parent gives turns and computes nothing.
import type { LanePlace } from "../credentials/fair-lanes.ts";
import { checkQueue } from "../credentials/password-check.ts";
import { WorkQueueFull } from "../credentials/work-queue.ts";

/** The turns of one process, all of which it loses when it ends. */
export interface TurnHolder {
  isGone: boolean;
  readonly ends: Map<number, () => void>;
  /** Turns that have not come, and are not given up. */
  readonly awaited: Set<number>;
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
  take(worker: number, id: number, place: LanePlace): Promise<boolean> {
    const holder = this.#holders.get(worker) ?? newHolder();
    this.#holders.set(worker, holder);
    holder.awaited.add(id);
    return new Promise((resolve, reject) => {
      const hold = (): Promise<void> => {
        if (holder.isGone || !holder.awaited.delete(id)) {
          if (!holder.isGone) resolve(false);
          return Promise.resolve();
        }
        return new Promise((end) => {
          holder.ends.set(id, end);
          resolve(true);
        });
      };
      this.#queue.run(place, hold).catch((error: unknown) => {
        holder.awaited.delete(id);
        if (error instanceof WorkQueueFull) resolve(false);
        else reject(error instanceof Error ? error : new Error(String(error)));
      });
    });
  }

  /** The turn is over, or given up before it came. */
  end(worker: number, id: number): void {
    const holder = this.#holders.get(worker);
    if (holder === undefined) return;
    holder.awaited.delete(id);
    holder.ends.get(id)?.();
    holder.ends.delete(id);
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

function newHolder(): TurnHolder {
  return { isGone: false, ends: new Map(), awaited: new Set() };
}
