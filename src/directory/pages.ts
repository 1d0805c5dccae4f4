// Reads what may be many rows page by page, each while the one before it is put in place: neither
// the database nor the gateway waits for the other. The event loop turns between any two pages.

/** All rows, in the order of their keys. */
export async function* pagesOf<Row, Key>(
  first: Key,
  read: (after: Key) => Promise<readonly Row[]>,
  keyOf: (row: Row) => Key,
): AsyncGenerator<readonly Row[]> {
  for (let reading = begun(read(first)); ;) {
    const page = await reading;
    const last = page.at(-1);
    if (last === undefined) return;
    reading = begun(read(keyOf(last)));
    yield page;
  }
}

/** The rows of these keys. */
export async function* pagesIn<Row, Key>(
  keys: readonly Key[],
  size: number,
  read: (keys: readonly Key[]) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  const readFrom = (start: number): Promise<readonly Row[]> | undefined =>
    start < keys.length ? begun(read(keys.slice(start, start + size))) : undefined;
  let reading = readFrom(0);
  for (let start = size; reading !== undefined; start += size) {
    const page = await reading;
    reading = readFrom(start);
    yield page;
  }
}

/** Of work that is awaited later, or not at all if something else fails first. */
function begun<Value>(work: Promise<Value>): Promise<Value> {
  work.catch(() => undefined);
  return work;
}
