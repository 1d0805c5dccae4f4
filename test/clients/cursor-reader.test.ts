// The loop over pages, with pages as the gateway may answer them.
import { expect, it } from "vitest";
import { CursorReader, type Page } from "../../clients/typescript/src/cursor-reader.ts";

async function read(pages: readonly Page<number>[]): Promise<{ items: number[]; asked: (string | undefined)[] }> {
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
