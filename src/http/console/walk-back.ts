// Walks back in time over the rows of all accounts, in windows that grow where little was sent and shrink where much was. A call reads a
// bounded number of rows; where it stops, the next one goes on.
import { uuidFloor, uuidv7Time } from "../../uuid.ts";

export interface Walked<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string | undefined;
  /** Set where the walk stopped before its end. */
  readonly searchedTo?: Date;
}

export interface WalkBounds {
  /** Ids from `from` up to but without `before`. */
  readonly from: string;
  readonly before: string;
  /** Items at most. */
  readonly limit: number;
  /** Rows at most. */
  readonly scan: number;
}

export interface Walk {
  readonly fromMs: number;
  /** An id. */
  readonly before: string;
  readonly count: number;
}

/** A call ends after this time, with what it found: the page goes on by itself, and a call takes less than 100 ms at full load. */
export const walkMs = 60;
/** Rows that one statement reads at most. */
export const rowsAtATime = 5_000;
/** Rows that one call reads. */
const rowsAtMost = 20_000;
const firstWindowMs = 1_000;
const step = 8;

export async function walkBack<Item extends { readonly id: string }>(
  { fromMs, before, count }: Walk,
  read: (bounds: WalkBounds) => Promise<{ readonly found: readonly Item[]; readonly scanned: number }>,
): Promise<Walked<Item>> {
  const begunAt = performance.now();
  const items: Item[] = [];
  let end = before;
  let windowMs = firstWindowMs;
  let scan = rowsAtATime;
  let rows = 0;
  for (;;) {
    // Nothing lies far ahead of the clock.
    const startMs = Math.max(fromMs, Math.min(uuidv7Time(end), Date.now()) - windowMs);
    const from = uuidFloor(Math.max(0, startMs));
    if (from >= end) return { items };
    const { found, scanned } = await read({ from, before: end, limit: count - items.length, scan });
    rows += scanned;
    if (scanned >= scan) {
      // Which rows were read is not known, so they are read anew.
      if (windowMs > 1) windowMs = Math.ceil(windowMs / step);
      else scan *= step;
      continue;
    }
    items.push(...found);
    if (items.length >= count) return { items, nextCursor: items.at(-1)?.id };
    if (startMs <= fromMs) return { items };
    end = from;
    if (rows >= rowsAtMost || performance.now() - begunAt > walkMs) {
      return { items, nextCursor: end, searchedTo: new Date(startMs) };
    }
    // Where nothing was sent for long, a few windows must lead to the next message.
    if (scanned < scan / step) windowMs *= scanned === 0 ? step * step : step;
  }
}
