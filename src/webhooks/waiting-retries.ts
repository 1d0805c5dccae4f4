// The requests of an endpoint that failed and are stored to be tried again: how many there are,
// when the next one is due, and a few that were read. Pure.
import type { StoredRetry } from "../store/webhook-requests.ts";

/** Stored requests of an endpoint; then nothing untried is sent until they become fewer. */
export const mostRetries = 1000;

export class WaitingRetries {
  #loaded: StoredRetry[] = [];
  /** Under way, or ended and not stored yet. A set for each of thousands fills the memory. */
  #taken: Set<string> | undefined;
  #count: number;
  /** Unix ms; undefined: none waits, apart from those that were read. */
  #nextDueMs: number | undefined;
  /** What became due since reading began, which may not have seen it. */
  #dueMeanwhileMs: number | undefined;

  constructor({ count, nextDueMs }: { count: number; nextDueMs: number | undefined }) {
    this.#count = count;
    this.#nextDueMs = nextDueMs;
  }

  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#count >= mostRetries;
  }

  get loaded(): number {
    return this.#loaded.length;
  }

  /** When there is something to read or to send. */
  get nextDueMs(): number | undefined {
    return this.#loaded.length > 0 ? 0 : this.#nextDueMs;
  }

  /** Reading begins: how many rows to read to find at least `wanted` that are not taken. */
  rowsToRead(wanted: number): number {
    this.#dueMeanwhileMs = undefined;
    return wanted + (this.#taken?.size ?? 0);
  }

  /** The stored ones that are due first, in this order; `limit` were asked for. */
  load(
    stored: readonly StoredRetry[],
    { limit, total, nowMs }: { limit: number; total?: number | undefined; nowMs: number },
  ): void {
    const free = stored.filter(({ requestId }) => this.#taken?.has(requestId) !== true);
    this.#loaded = free.filter(({ dueAt }) => dueAt.getTime() <= nowMs);
    const later = free.find(({ dueAt }) => dueAt.getTime() > nowMs);
    this.#nextDueMs = later?.dueAt.getTime() ?? (stored.length >= limit ? nowMs : undefined);
    if (this.#dueMeanwhileMs !== undefined) this.#dueAt(this.#dueMeanwhileMs);
    else if (total !== undefined || stored.length < limit) this.#count = total ?? stored.length;
  }

  take(count: number): readonly StoredRetry[] {
    const taken = this.#loaded.splice(0, count);
    for (const { requestId } of taken) (this.#taken ??= new Set()).add(requestId);
    return taken;
  }

  /** Taken, but not sent. */
  giveBack(requestId: string, nowMs: number): void {
    this.#release(requestId);
    this.#dueAt(nowMs);
  }

  /** Forgets what was read. */
  drop(nowMs: number): void {
    if (this.#loaded.length > 0) this.#dueAt(nowMs);
    this.#loaded = [];
  }

  /** It has failed, and is stored with this time. */
  saved(requestId: string, dueMs: number): void {
    if (!this.#release(requestId)) this.#count += 1;
    this.#dueAt(dueMs);
  }

  /** It has become so many requests. */
  split(requestId: string, parts: number, nowMs: number): void {
    this.#release(requestId);
    this.#count += parts - 1;
    this.#dueAt(nowMs);
  }

  deleted(requestId: string): void {
    if (this.#release(requestId)) this.#count -= 1;
  }

  /** All that is stored is due, or some of it is stored no more: it is read again. */
  lookAgain(nowMs: number): void {
    if (this.#count > 0) this.#dueAt(nowMs);
  }

  /** False: it was not taken. */
  #release(requestId: string): boolean {
    const wasTaken = this.#taken?.delete(requestId) === true;
    if (this.#taken?.size === 0) this.#taken = undefined;
    return wasTaken;
  }

  #dueAt(ms: number): void {
    this.#nextDueMs = Math.min(this.#nextDueMs ?? ms, ms);
    this.#dueMeanwhileMs = Math.min(this.#dueMeanwhileMs ?? ms, ms);
  }
}
