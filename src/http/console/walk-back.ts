// Walks back in time over lists: where an index holds their order, slice by slice; over the rows of all
// accounts in windows that grow where little was sent and shrink where much was. A call reads a
// bounded number of rows; where it stops, the next one goes on.
import { isUuid, uuidFloor, uuidv7Time } from "../../platform/uuid.ts";

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

/** Where a walk begins. */
export interface WalkStart {
  /** An id. */
  readonly before: string;
  /** How far the first window reaches; absent: not known yet. */
  readonly windowMs?: number | undefined;
}

export interface Walk extends WalkStart {
  readonly fromMs: number;
  readonly count: number;
}

export interface WalkOfAll extends Walk {
  /** By the database's clock, as the times of ids. */
  readonly now: number;
}

/**
 * A call ends after this time, with what it found: the page continues by itself, and a call takes
 * less than 100 ms at full load.
 */
export const walkMs = 60;
/** Rows that one statement reads at most. */
export const rowsAtATime = 5_000;
/** Rows that one call reads. */
const rowsAtMost = 20_000;
const firstWindowMs = 1_000;
const step = 8;
/** Beyond all times that ids can hold. */
const widestWindowMs = 2 ** 48;

export interface Slice<Item, Key> {
  readonly found: readonly Item[];
  /** Where the walk goes on; undefined: nothing is left. */
  readonly rest: { readonly key: Key; readonly at: Date } | undefined;
}

/** `read`: those before a key, the newest first; the walk takes no more than `limit` of them. */
export async function walkSlices<Item, Key extends string | bigint>(
  { before, count, keyOf }: { readonly before: Key; readonly count: number; readonly keyOf: (item: Item) => Key },
  read: (before: Key, limit: number) => Promise<Slice<Item, Key>>,
): Promise<Walked<Item>> {
  const begunAt = performance.now();
  const items: Item[] = [];
  for (let end = before; ;) {
    const { found, rest } = await read(end, count - items.length);
    items.push(...found);
    const last = items[count - 1];
    if (last !== undefined) return { items: items.slice(0, count), nextCursor: String(keyOf(last)) };
    if (rest === undefined) return { items };
    end = rest.key;
    if (performance.now() - begunAt > walkMs) return { items, nextCursor: String(end), searchedTo: rest.at };
  }
}

export async function walkBack<Item extends { readonly id: string }>(
  { fromMs, before, windowMs: knownMs = firstWindowMs, count, now }: WalkOfAll,
  read: (bounds: WalkBounds) => Promise<{ readonly found: readonly Item[]; readonly scanned: number }>,
): Promise<Walked<Item>> {
  const begunAt = performance.now();
  const items: Item[] = [];
  let end = before;
  let windowMs = knownMs;
  let scan = rowsAtATime;
  let rows = 0;
  for (;;) {
    // Nothing lies far ahead of the clock.
    const startMs = Math.max(fromMs, Math.min(uuidv7Time(end), now) - windowMs);
    const from = uuidFloor(Math.max(0, startMs));
    if (from >= end) return { items };
    const { found, scanned } = await read({ from, before: end, limit: count - items.length, scan });
    rows += scanned;
    if (scanned >= scan) {
      // Which rows were read is not known, so they are read again.
      if (windowMs > 1) windowMs = Math.ceil(windowMs / step);
      else scan *= step;
      continue;
    }
    items.push(...found);
    const last = items.at(-1);
    if (last !== undefined && items.length >= count) return { items, nextCursor: cursorOf(last.id, windowMs) };
    if (startMs <= fromMs) return { items };
    end = from;
    // Where nothing was sent for long, a few windows must lead to the next message.
    if (scanned < scan / step) windowMs = Math.min(widestWindowMs, windowMs * (scanned === 0 ? step * step : step));
    if (rows >= rowsAtMost || performance.now() - begunAt > walkMs) {
      return { items, nextCursor: cursorOf(end, windowMs), searchedTo: new Date(startMs) };
    }
  }
}

// The next call continues with the window of this one. If each call began again with the first
// window, a slow database would never get through a quiet month.
function cursorOf(before: string, windowMs: number): string {
  return `${before}.${windowMs}`;
}

/** Undefined for what is no cursor of a walk, and no id. */
export function readCursor(given: string): WalkStart | undefined {
  const [, before = "", windowMs] = /^([^.]*)(?:\.([1-9][0-9]{0,14}))?$/.exec(given) ?? [];
  if (!isUuid(before)) return undefined;
  return {
    before: before.toLowerCase(),
    ...(windowMs !== undefined && { windowMs: Math.min(Number(windowMs), widestWindowMs) }),
  };
}
