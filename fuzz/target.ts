// What can be fuzzed: something that makes inputs, and a subject that is held against them.
import type { Random } from "./random.ts";
import type { Value } from "./value.ts";

/** What a target may need of the outside. */
export interface Surroundings {
  /** Of a PostgreSQL server's maintenance database; there is one where the target asks for it. */
  readonly databaseServer: string | undefined;
}

export interface Subject<Input extends Value = Value> {
  /**
   * Throws where the subject does what it must not. Whatever else is thrown is a crash, and found
   * as well.
   */
  check(input: Input): void | Promise<void>;
  /** What is to be told beside the figures, such as how often each answer came. */
  notes?(): string;
  close(): Promise<void>;
}

export interface Target<Input extends Value = Value> {
  readonly name: string;
  readonly title: string;
  /**
   * URL of the module that exports it, alone or in a list: a worker loads what this target needs,
   * not what all others do.
   */
  readonly from: string;
  /** What takes longer is a hang. Generous: other work goes on beside it. */
  readonly budgetMs: number;
  /** What all inputs together may leave on the heap, once garbage is collected. */
  readonly growthMegabytes: number;
  /** How long the subject may hold what is over, before the heap is measured. */
  readonly settleMs?: number;
  readonly needsDatabase?: boolean;
  generate(random: Random): Input;
  open(surroundings: Surroundings): Promise<Subject<Input>>;
  /** The input as it would stand in a test. */
  write(input: Input): string;
}

/**
 * A target among others. What it makes comes back to nobody else, so that the kind of its inputs
 * may be forgotten.
 */
export function defineTarget<Input extends Value>(target: Target<Input>): Target {
  return target;
}

export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Faults that differ only in the values they mention are the same kind. */
export function kindOf(words: string): string {
  const [line = ""] = words.split("\n", 1);
  return line.replace(/"(?:[^"\\]|\\.)*"/g, '"…"').replace(/\d+/g, "0");
}

/** What is asked of a subject did not hold. */
export class Finding extends Error {
  override readonly name = "Finding";
}

export function demand(condition: boolean, complaint: string | (() => string)): asserts condition {
  if (!condition) throw new Finding(typeof complaint === "string" ? complaint : complaint());
}
