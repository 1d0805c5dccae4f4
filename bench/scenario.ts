// What a scenario is: one named function that runs real parts and returns figures. It judges
// nothing; goals.ts does.

export interface Size {
  /** Everything in full, as the goals name it; else a million rows in all. */
  readonly full: boolean;
  readonly warmUpSeconds: number;
  /** The counted time of each load. */
  readonly seconds: number;
  /** How often candidates take turns. */
  readonly rounds: number;
  /** Of a checkout with its packages, to compare with. */
  readonly earlierFolder?: string | undefined;
}

export interface Workbench extends Size {
  /** A line for who waits. */
  progress(line: string): void;
  /** Notes the most memory that a gateway process had, in MiB. */
  noteMemory(mebibytes: number): void;
}

export interface Scenario<Figures> {
  readonly name: string;
  readonly title: string;
  /** It is left out where no earlier version is given. */
  readonly needsEarlier?: boolean;
  run(bench: Workbench): Promise<Figures>;
}
