// The rules of sending that count for one account, picked out by line: which block lists count,
// what texts may say, and when messages may go out. Pure.
import { CompiledContentRule, type ContentRule } from "./content-rules.ts";
import { coversAccount, coversLine, type RuleScope, type SenderLine } from "./sender-line.ts";
import { SendingHours, type SendingHoursRule } from "./sending-hours.ts";
import type { Msisdn } from "./msisdn.ts";
import type { InboundRule } from "./replies.ts";

// Block lists: where each counts, and which of them has a number. Pure.

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

// The ordered lists of rules of the setup file (docs/setup-file.md).

/** In the order in which they are tried. */
export interface RuleLists {
  readonly blockLists: readonly BlockListRule[];
  readonly sendingHours: readonly SendingHoursRule[];
  readonly contentRules: readonly ContentRule[];
  readonly inboundRules: readonly InboundRule[];
}
