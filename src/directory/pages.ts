// Reads what may be many rows page by page. The event loop turns between any two pages.

/** All rows, in the order of their keys. */
export async function* pagesOf<Row, Key>(
  first: Key,
  read: (after: Key) => Promise<readonly Row[]>,
  keyOf: (row: Row) => Key,
): AsyncGenerator<readonly Row[]> {
  for (let after = first; ;) {
    const page = await read(after);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = keyOf(last);
  }
}

/** The rows of these keys. */
export async function* pagesIn<Row, Key>(
  keys: readonly Key[],
  size: number,
  read: (keys: readonly Key[]) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let start = 0; start < keys.length; start += size) yield await read(keys.slice(start, start + size));
}
