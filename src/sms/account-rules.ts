// The rules of sending that count for one account, picked out by line: which block lists count,
// what texts may say, and when messages may go out. Pure.
import type { BlockListRule } from "./block-lists.ts";
import { CompiledContentRule, type ContentRule } from "./content-rules.ts";
import { coversAccount, coversLine, type RuleScope } from "./rule-scope.ts";
import type { SenderLine } from "./sender-line.ts";
import { SendingHours, type SendingHoursRule } from "./sending-hours.ts";

/** All rules, in order, ready to judge by. Made once for all accounts. */
export interface CompiledRules {
  readonly contentRules: readonly CompiledContentRule[];
  readonly sendingHours: readonly SendingHours[];
  readonly blockLists: readonly { readonly name: string; readonly scope: RuleScope }[];
}

export function compileRules(given: {
  readonly contentRules: readonly ContentRule[];
  readonly sendingHours: readonly SendingHoursRule[];
  readonly blockLists?: readonly BlockListRule[];
}): CompiledRules {
  return {
    contentRules: given.contentRules.map((rule) => new CompiledContentRule(rule)),
    sendingHours: given.sendingHours.map((rule) => new SendingHours(rule)),
    blockLists: (given.blockLists ?? []).map((rule) => ({ name: rule.name, scope: rule })),
  };
}

/** What counts on one line. */
export interface LineRules {
  readonly contentRules: readonly CompiledContentRule[];
  /** The first that covers the line. */
  readonly hours: SendingHours | undefined;
  /** Names. */
  readonly blockLists: readonly string[];
}

export class AccountRules {
  readonly #rules: CompiledRules;
  readonly #byLine = new Map<string, LineRules>();

  constructor(rules: CompiledRules) {
    this.#rules = rules;
  }

  ofLine(line: SenderLine): LineRules {
    let found = this.#byLine.get(line.number);
    if (found === undefined) {
      found = {
        contentRules: this.#rules.contentRules.filter(({ scope }) => coversLine(scope, line)),
        blockLists: this.#rules.blockLists.filter(({ scope }) => coversLine(scope, line)).map(({ name }) => name),
        hours: this.#rules.sendingHours.find(({ scope }) => coversLine(scope, line)),
      };
      this.#byLine.set(line.number, found);
    }
    return found;
  }
}

/** Undefined if none counts for the account, so that nothing is looked up for its messages. */
export function rulesOfAccount(
  { contentRules, sendingHours, blockLists }: CompiledRules,
  account: string,
): AccountRules | undefined {
  const isOfAccount = ({ scope }: { readonly scope: RuleScope }): boolean => coversAccount(scope, account);
  const own = {
    contentRules: contentRules.filter(isOfAccount),
    sendingHours: sendingHours.filter(isOfAccount),
    blockLists: blockLists.filter(isOfAccount),
  };
  return Object.values(own).every(({ length }) => length === 0) ? undefined : new AccountRules(own);
}
