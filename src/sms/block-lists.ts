// Block lists (events-and-rules §3): where each counts, and which of them has a number. Pure.
import type { Msisdn } from "./msisdn.ts";
import type { RuleScope } from "./rule-scope.ts";

/** As the setup file writes it, with its defaults. */
export interface BlockListRule extends RuleScope {
  readonly name: string;
}

/** The numbers of all lists, whether a rule names them or not. */
export interface ListedNumbers {
  /** The names of the lists that have the number. */
  valuesOf(recipient: Msisdn): readonly string[];
}

/** The first of the lists, in the order of the rules, that has the number. */
export function findBlockingList(
  lists: readonly string[],
  listed: ListedNumbers,
  recipient: Msisdn,
): string | undefined {
  if (lists.length === 0) return undefined;
  const holding = listed.valuesOf(recipient);
  return holding.length === 0 ? undefined : lists.find((name) => holding.includes(name));
}
