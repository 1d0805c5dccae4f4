// What runs have measured, kept as JSON beside the plots: the raw figures that docs/benchmarks.md
// is written from.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Measured } from "./goals.ts";

export interface Recorded {
  /** ISO 8601. */
  readonly at: string;
  readonly command: string;
  readonly machine: string;
  /** The commit that was measured, where git knows it. */
  readonly commit?: string;
  readonly tookSeconds: number;
  /** The most that a gateway process had, in MiB; absent where none ran by itself. */
  readonly memory?: number;
  readonly figures: unknown;
}

/** By scenario. */
export type Records = Readonly<Record<string, Recorded>>;

/** Nothing, where no run was kept yet. */
export function readRecords(file: string): Records {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Records) : {};
}

export function writeRecords(file: string, records: Records): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(records, rounded, 1)}\n`);
}

/** Digits that say nothing would only hide changes. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;
}

export function measuredOf(records: Records): Measured {
  const entries = Object.entries(records);
  return {
    figures: Object.fromEntries(entries.map(([name, { figures }]) => [name, figures])),
    memory: Object.fromEntries(entries.flatMap(([name, { memory }]) => (memory === undefined ? [] : [[name, memory]]))),
  };
}
