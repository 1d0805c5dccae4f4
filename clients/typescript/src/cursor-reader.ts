// Reads a list of the gateway page by page, for `for await`.
import { pause } from "./pause.ts";

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string;
}

export interface CursorReaderOptions {
  /** Where to begin: a `cursor` that was kept. Absent: at the first. */
  readonly after?: string | undefined;
  /** After an empty page, look for more after so many ms. Absent: the loop ends at the end. */
  readonly pollMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Yields the items in the order of the list. `cursor` is the end of the last page that the loop has
 * finished. Keep it, and begin there the next time: a page that was not finished comes again, and
 * nothing is skipped. Without `pollMs` the loop ends when an empty page repeats the cursor.
 */
export class CursorReader<Item> implements AsyncIterable<Item> {
  readonly #readPage: (after: string | undefined) => Promise<Page<Item>>;
  readonly #options: CursorReaderOptions;
  #cursor: string | undefined;

  constructor(readPage: (after: string | undefined) => Promise<Page<Item>>, options: CursorReaderOptions) {
    this.#readPage = readPage;
    this.#options = options;
    this.#cursor = options.after;
  }

  get cursor(): string | undefined {
    return this.#cursor;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    const { pollMs, signal } = this.#options;
    for (;;) {
      signal?.throwIfAborted();
      const { items, nextCursor } = await this.#readPage(this.#cursor);
      yield* items;
      // Only the end of the list repeats the cursor. Another page may be empty, too, but has a new
      // cursor.
      const isRepeated = nextCursor === this.#cursor;
      this.#cursor = nextCursor;
      if (items.length > 0) continue;
      if (pollMs !== undefined) await pause(pollMs, signal);
      else if (isRepeated) return;
    }
  }
}
