// Keeps reports of what may happen thousands of times a second rare: of each key one a minute, with
// how often it happened since the one before.

const everyMs = 60_000;

export class ReportLimiter {
  /** The configuration bounds the keys. */
  readonly #keys = new Map<string, { reportedAt: number; count: number }>();

  add(key: string, count = 1): void {
    const entry = this.#keys.get(key) ?? { reportedAt: -Infinity, count: 0 };
    entry.count += count;
    this.#keys.set(key, entry);
  }

  /** How many to report now; 0: none, or the report before was less than a minute ago. */
  take(key: string): number {
    const entry = this.#keys.get(key);
    const now = performance.now();
    if (entry === undefined || entry.count === 0 || now - entry.reportedAt < everyMs) return 0;
    const { count } = entry;
    Object.assign(entry, { reportedAt: now, count: 0 });
    return count;
  }
}
