// Part of the scenario "events": two block lists that count for everybody, and hold nobody who is
// written to.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { applyFile } from "./measured-change.ts";
import { writeRows } from "./number-files.ts";
import { runCommand } from "./processes.ts";
import type { Workbench } from "./scenario.ts";

/** By prefix: no load writes to these. */
const lists = { first: "0990", second: "0991" } as const;

/** Of each list. */
function numbersIn({ full }: Pick<Workbench, "full">): number {
  return full ? 5_000_000 : 500_000;
}

export async function useBlockLists(bench: Pick<Workbench, "full">, url: string): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), "hodhod-bench-"));
  try {
    for (const [name, prefix] of Object.entries(lists)) {
      const file = path.join(folder, name);
      await writeRows(file, numbersIn(bench), (index) => `${prefix}${String(index).padStart(7, "0")}\n`);
      await runCommand(["block-list", "import", name, file], url);
    }
    const blockLists = Object.keys(lists).map((name) => ({ name }));
    await applyFile(path.join(folder, "setup.json"), { blockLists }, url);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
