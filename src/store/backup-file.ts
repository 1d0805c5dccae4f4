// The file format of backup and restore, in gzip: one JSON line as the header; for each table one
// JSON line, its rows in COPY's text format, and a line `\.`. The checksum and the length at the end
// of gzip show what is damaged or incomplete. Does not know the database, and keeps at most a few rows
// in memory.
import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { CommandFailed } from "../platform/command-failed.ts";

export interface BackupHeader {
  readonly format: "hodhod-backup";
  readonly version: 1;
  readonly createdAt: string;
  /** The migrations that the database had. */
  readonly migrations: readonly { readonly number: number; readonly name: string; readonly checksum: string }[];
  /** Ordered so that the rows a row refers to come before it. */
  readonly tables: readonly BackupTable[];
  /** Weeks that had a partition. */
  readonly weeks: readonly string[];
  /** Last values of identity columns; unused ones are missing. */
  readonly sequences: readonly { readonly name: string; readonly last: string }[];
}

export interface BackupTable {
  readonly name: string;
  readonly columns: readonly string[];
}

export type BackupItem =
  | { readonly kind: "header"; readonly header: BackupHeader }
  | { readonly kind: "table"; readonly name: string }
  /** Whole lines. */
  | { readonly kind: "rows"; readonly lines: Buffer; readonly count: number }
  | { readonly kind: "tableEnd" };

/** The file is damaged, incomplete, or not a backup. */
export class BackupDamaged extends CommandFailed {
  override readonly name = "BackupDamaged";

  constructor(reason: string) {
    super(`the backup cannot be used: ${reason}`);
  }
}

export const tableEnd = Buffer.from("\\.\n");
const newline = 0x0a;
/**
 * The longest line, which is one row. PostgreSQL limits a field to 1 GB; no row of Hodhod is near
 * that.
 */
const longestLineBytes = 64 * 1024 * 1024;

/** Reads a backup from start to end. Throws BackupDamaged unless it is complete and unchanged. */
export async function* readBackup(file: string): AsyncGenerator<BackupItem> {
  const parser = new BackupParser();
  const source = createReadStream(file);
  const unzipped = source.pipe(createGunzip());
  source.on("error", (error) => unzipped.destroy(error));
  try {
    for await (const chunk of unzipped) yield* parser.feed(chunk as Buffer);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (!code.startsWith("Z_")) throw error;
    throw new BackupDamaged(reasonOf(error as Error, code));
  } finally {
    source.destroy();
  }
  parser.finish();
}

function reasonOf({ message }: Error, code: string): string {
  if (code === "Z_BUF_ERROR") return "its end is missing";
  return message === "incorrect header check" ? "it is not a backup of Hodhod" : "it is damaged";
}

class BackupParser {
  #rest: Buffer = Buffer.alloc(0);
  #isInTable = false;
  #hasHeader = false;

  *feed(chunk: Buffer): Generator<BackupItem> {
    const all = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const whole = all.lastIndexOf(newline) + 1;
    if (all.length - whole > longestLineBytes) throw new BackupDamaged("a line is too long");
    this.#rest = all.subarray(whole);
    let at = 0;
    while (at < whole) {
      if (!this.#isInTable) {
        const end = all.indexOf(newline, at) + 1;
        yield this.#readLine(all.subarray(at, end));
        at = end;
      } else {
        const end = endOfRows(all, at, whole);
        const lines = all.subarray(at, end);
        if (end > at) yield { kind: "rows", lines, count: linesIn(lines) };
        if (end < whole) {
          this.#isInTable = false;
          yield { kind: "tableEnd" };
        }
        at = end + (end < whole ? tableEnd.length : 0);
      }
    }
  }

  finish(): void {
    if (this.#isInTable || this.#rest.length > 0) throw new BackupDamaged("its end is missing");
  }

  #readLine(line: Buffer): BackupItem {
    const value = parseLine(line);
    if (!this.#hasHeader) {
      const header = value as Partial<BackupHeader>;
      if (header.format !== "hodhod-backup") throw new BackupDamaged("it is not a backup of Hodhod");
      if (header.version !== 1) throw new BackupDamaged("a newer version of Hodhod made it");
      this.#hasHeader = true;
      return { kind: "header", header: value as BackupHeader };
    }
    if (!("table" in value) || typeof value.table !== "string") throw new BackupDamaged("it names no table");
    this.#isInTable = true;
    return { kind: "table", name: value.table };
  }
}

function linesIn(octets: Buffer): number {
  let count = 0;
  for (let at = octets.indexOf(newline); at >= 0; at = octets.indexOf(newline, at + 1)) count += 1;
  return count;
}

/**
 * Where the line `\.` begins, or the end of the buffered data. COPY doubles every backslash, so no
 * row equals that line.
 */
function endOfRows(all: Buffer, from: number, whole: number): number {
  for (let at = all.indexOf(tableEnd, from); at >= 0 && at < whole; at = all.indexOf(tableEnd, at + 1)) {
    if (at === from || all[at - 1] === newline) return at;
  }
  return whole;
}

function parseLine(line: Buffer): object {
  try {
    const value: unknown = JSON.parse(line.toString());
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Reported below.
  }
  throw new BackupDamaged("it is not a backup of Hodhod");
}
