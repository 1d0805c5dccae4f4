// Part of the scenario "events": two block lists that count for everybody, and hold nobody who is
// written to.
import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { applyFile, runCommand } from "./measured-change.ts";
import type { Workbench } from "./scenario.ts";

/** By prefix: no load writes to these. */
const lists = { first: "0990", second: "0991" } as const;
const rowsOfChunk = 10_000;

/** Of each list. */
function numbersIn({ full }: Pick<Workbench, "full">): number {
  return full ? 5_000_000 : 500_000;
}

export async function useBlockLists(bench: Pick<Workbench, "full">, url: string): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), "hodhod-bench-"));
  try {
    for (const [name, prefix] of Object.entries(lists)) {
      const file = path.join(folder, name);
      await writeNumbers(file, prefix, numbersIn(bench));
      await runCommand(["block-list", "import", name, file], url);
    }
    const blockLists = Object.keys(lists).map((name) => ({ name }));
    await applyFile(path.join(folder, "setup.json"), { blockLists }, url);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function writeNumbers(file: string, prefix: string, count: number): Promise<void> {
  const rows = function* (): Iterable<string> {
    for (let start = 0; start < count; start += rowsOfChunk) {
      const length = Math.min(rowsOfChunk, count - start);
      yield Array.from({ length }, (_, index) => `${prefix}${String(start + index).padStart(7, "0")}\n`).join("");
    }
  };
  await pipeline(Readable.from(rows()), createWriteStream(file));
}
