// Faults of a setup file, each with its place and, where possible, a hint. All faults are collected
// and reported together; a single one throws nothing.

export type SetupPath = readonly (string | number)[];

export interface SetupFault {
  readonly path: SetupPath;
  readonly message: string;
  readonly hint?: string;
}

/** A fault with its line in the file, if it has one. */
export interface LocatedFault extends SetupFault {
  readonly line?: number;
}

/** The file has faults. Nothing was changed. */
export class SetupFaults extends Error {
  override readonly name = "SetupFaults";
  readonly faults: readonly LocatedFault[];

  constructor(faults: readonly LocatedFault[]) {
    super(`the setup has ${faults.length === 1 ? "a fault" : `${faults.length} faults`}`);
    this.faults = faults;
  }
}

/** `accounts[0].apiKeys[1].key` */
export function formatPath(path: SetupPath): string {
  let text = "";
  for (const step of path) text += typeof step === "number" ? `[${step}]` : `${text === "" ? "" : "."}${step}`;
  return text;
}

export function formatFault({ path, message, hint, line }: LocatedFault): string {
  const place = [line === undefined ? "" : `line ${line}`, formatPath(path)].filter((part) => part !== "").join(", ");
  return `${place === "" ? "" : `${place}: `}${message}${hint === undefined ? "" : ` (${hint})`}`;
}

/** "did you mean prefixes?" for a word close to a known one. */
export function hintFor(word: string, known: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best === undefined ? undefined : `did you mean ${best}?`;
}

/** Number of letters to insert, remove or replace, capped at `limit`. */
function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) >= limit) return limit;
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return Math.min(limit, previous[right.length] ?? limit);
}
