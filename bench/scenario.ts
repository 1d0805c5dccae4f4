// What a scenario is: one named function that runs real parts and returns results with their goals.

export interface Size {
  /** Everything in full, as the goals name it; else a tenth of it or less. */
  readonly full: boolean;
  readonly warmUpSeconds: number;
  /** The counted time of each load. */
  readonly seconds: number;
  /** How often candidates take turns. */
  readonly rounds: number;
}

export interface Workbench extends Size {
  /** A line for who waits. */
  progress(line: string): void;
  /** Notes the most memory that a gateway process had, in MiB. */
  readonly noteMemory: (mebibytes: number) => void;
}

export type Unit = "" | "×" | "/s" | "ms" | "B" | "MiB";

export interface Result {
  readonly title: string;
  readonly figure: number;
  readonly unit: Unit;
  /** The goal: one of the two. */
  readonly least?: number;
  readonly below?: number;
  /** Under what circumstances, where they vary. */
  readonly condition?: string;
}

export interface Scenario {
  readonly name: string;
  readonly title: string;
  run(bench: Workbench): Promise<readonly Result[]>;
}

export interface Judgement {
  readonly figure: string;
  readonly goal: string;
  readonly isMet: boolean;
}

/** A least figure is reached by being equal to it, a bound only by staying below. */
export function judge({ figure, unit, least, below, condition }: Result): Judgement {
  const isMet = (least === undefined || figure >= least) && (below === undefined || figure < below);
  return {
    figure: withUnit(figure, unit) + (condition === undefined ? "" : ` (${condition})`),
    goal: least === undefined ? `< ${withUnit(below ?? 0, unit)}` : `≥ ${withUnit(least, unit)}`,
    isMet,
  };
}

export function count(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function withUnit(value: number, unit: Unit): string {
  // Three digits: what lies just below a goal shall not read as the goal.
  if (unit === "×") return `${value.toFixed(3)} ×`;
  if (unit === "") return String(Number(value.toPrecision(4)));
  if (unit === "/s") return `${count(value)}/s`;
  return `${unit === "ms" && value < 10 ? value.toFixed(1) : count(value)} ${unit}`;
}
