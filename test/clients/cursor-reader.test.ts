// The loop over pages, with pages as the gateway may answer them.
import { expect, it } from "vitest";
import { CursorReader, type Page } from "../../clients/typescript/src/cursor-reader.ts";

interface Reading {
  readonly items: readonly number[];
  readonly asked: readonly (string | undefined)[];
}

async function read(pages: readonly Page<number>[]): Promise<Reading> {
  const asked: (string | undefined)[] = [];
  const reader = new CursorReader<number>(async (after) => {
    const page = pages[asked.length];
    asked.push(after);
    if (page === undefined) throw new Error("it went on behind the end");
    return page;
  }, {});
  const items: number[] = [];
  for await (const item of reader) items.push(item);
  return { items, asked };
}

it("goes on behind an empty page that leads on, and ends where the cursor is repeated", async () => {
  const pages = [
    { items: [], nextCursor: "a" },
    { items: [1, 2], nextCursor: "b" },
    { items: [], nextCursor: "c" },
    { items: [3], nextCursor: "d" },
    { items: [], nextCursor: "d" },
  ];
  expect(await read(pages)).toEqual({ items: [1, 2, 3], asked: [undefined, "a", "b", "c", "d"] });
});

it("pauses after each empty page if it shall poll", async () => {
  let asked = 0;
  const stop = new AbortController();
  const reader = new CursorReader<number>(
    () => {
      asked += 1;
      // A loop that does not pause is never that far.
      if (asked === 1) setImmediate(() => stop.abort(new Error("stopped")));
      if (asked > 1000) throw new Error("it never pauses");
      return Promise.resolve({ items: [], nextCursor: String(asked) });
    },
    { pollMs: 60_000, signal: stop.signal },
  );
  const reading = reader[Symbol.asyncIterator]().next();
  await expect(reading).rejects.toThrow("stopped");
  expect(asked).toBe(1);
});
