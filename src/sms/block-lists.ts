// Where a block list counts (events-and-rules §3). The numbers of the lists are kept elsewhere.
import type { RuleScope } from "./rule-scope.ts";

/** As the setup file writes it, with its defaults. */
export interface BlockListRule extends RuleScope {
  readonly name: string;
}
