// Files of millions of rows for the commands that import numbers.
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

const rowsOfChunk = 10_000;

/** `rowOf`: the row of an index from 0, with its line feed. */
export async function writeRows(file: string, count: number, rowOf: (index: number) => string): Promise<void> {
  const chunks = function* (): Iterable<string> {
    for (let start = 0; start < count; start += rowsOfChunk) {
      const length = Math.min(rowsOfChunk, count - start);
      yield Array.from({ length }, (_, index) => rowOf(start + index)).join("");
    }
  };
  await pipeline(Readable.from(chunks()), createWriteStream(file));
}
