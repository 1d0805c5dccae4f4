// Reads a list of the gateway page by page, for `for await`.
import { pause } from "./pause.ts";

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string;
}

export interface CursorReaderOptions {
  /** Where to begin: a `cursor` that was kept. Absent: at the first. */
  readonly after?: string | undefined;
  /** At the end of the list, look for more after so many ms. Absent: the loop ends there. */
  readonly pollMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * In the order of the list. `cursor` is the place up to which the loop has come back for more: keep
 * it, and begin there the next time. What the loop had not finished comes again then; nothing is
 * skipped.
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
      // Only the end repeats the cursor: another page may be empty, and leads on.
      const isEnd = items.length === 0 && nextCursor === this.#cursor;
      this.#cursor = nextCursor;
      if (!isEnd) continue;
      if (pollMs === undefined) return;
      await pause(pollMs, signal);
    }
  }
}
