// The events that an endpoint has still to get for the first time: a queue of bounded length, and
// the place in the log up to which it was filled. While the endpoint keeps up, the node's reader
// fills it; one that is behind reads its own account's log. What is not sent yet can be dropped and
// read again.
import { comparePositions, type LogPage, type LogRow, type Position } from "../store/event-log.ts";
import { SettledPlaces } from "./settled-places.ts";

/** Rows of one endpoint. */
export const mostQueued = 1000;

interface Queued {
  readonly row: LogRow;
  /** By the caller's clock. */
  readonly atMs: number;
}

export class UntriedEvents {
  readonly places: SettledPlaces;
  #queue: Queued[] = [];
  #readTo: Position;
  #isBehind = true;

  constructor(beginning: Position) {
    this.places = new SettledPlaces(beginning);
    this.#readTo = beginning;
  }

  get length(): number {
    return this.#queue.length;
  }

  /** The node's reader does not fill it. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  get readTo(): Position {
    return this.#readTo;
  }

  /** When the first of them came. */
  get oldestAtMs(): number | undefined {
    return this.#queue[0]?.atMs;
  }

  /** From the node's reader, in the order of the log. */
  offer(row: LogRow, atMs: number): void {
    if (this.#isBehind || comparePositions(row.position, this.#readTo) <= 0) return;
    if (this.#queue.length >= mostQueued) {
      this.#isBehind = true;
      return;
    }
    this.#queue.push({ row, atMs });
    this.#readTo = row.position;
  }

  /** What was read from the account's log after `readTo`. */
  add({ rows, position }: Pick<LogPage, "rows" | "position">, atMs: number): void {
    for (const row of rows) this.#queue.push({ row, atMs });
    this.#readTo = position;
  }

  /** From here on the node's reader fills it, if it has not read further than this endpoint. */
  join(head: Position): void {
    if (comparePositions(this.#readTo, head) >= 0) this.#isBehind = false;
  }

  take(count: number): readonly LogRow[] {
    return this.#queue.splice(0, count).map(({ row }) => row);
  }

  /** There is nothing for this endpoint up to that place. Only while nothing of it is waiting. */
  advance(head: Position): void {
    if (this.#isBehind || comparePositions(head, this.#readTo) <= 0) return;
    this.#readTo = head;
  }

  /** Forgets what has not been sent; it is read again. */
  drop(): void {
    this.#queue = [];
    this.#isBehind = true;
    this.#readTo = this.places.begun;
  }
}
