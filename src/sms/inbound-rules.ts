// Which account gets a message that a subscriber sent, and what it answers (events-and-rules §7).
// The first rule of a line that fits counts; texts are compared folded. Pure.
import { foldText } from "./folding.ts";

/** As the setup file writes it, with one of `words`, `prefix` and `any`. */
export interface InboundRule {
  readonly line: string;
  /** Fits where one of them is the whole text. */
  readonly words?: readonly string[] | undefined;
  /** Fits where the text begins with these words. */
  readonly prefix?: string | undefined;
  readonly any?: true | undefined;
  readonly account: string;
  readonly reply?: string | undefined;
  /** Automatic replies of this rule in an hour; absent: `defaultRepliesPerHour`. */
  readonly maxPerHour?: number | undefined;
}

export const defaultRepliesPerHour = 600;

/** The rules of all lines, made once for each configuration. */
export class InboundRules {
  /** Whether a rule answers anybody. */
  readonly hasReplies: boolean;
  readonly #ofLine = new Map<string, CompiledRule[]>();

  constructor(rules: readonly InboundRule[]) {
    this.hasReplies = rules.some(({ reply }) => reply !== undefined);
    for (const rule of rules) {
      const compiled = compile(rule);
      const others = this.#ofLine.get(rule.line);
      if (others === undefined) this.#ofLine.set(rule.line, [compiled]);
      else others.push(compiled);
    }
  }

  hasRulesOf(line: string): boolean {
    return this.#ofLine.has(line);
  }

  /** The first rule of the line that fits the text. */
  find(line: string, text: string): InboundRule | undefined {
    const rules = this.#ofLine.get(line);
    if (rules === undefined) return undefined;
    const folded = foldText(text);
    return rules.find(({ fits }) => fits(folded))?.rule;
  }
}

interface CompiledRule {
  readonly rule: InboundRule;
  readonly fits: (folded: string) => boolean;
}

function compile(rule: InboundRule): CompiledRule {
  if (rule.words !== undefined) {
    const words = new Set(rule.words.map(foldText));
    return { rule, fits: (folded) => words.has(folded) };
  }
  if (rule.prefix === undefined) return { rule, fits: () => true };
  const prefix = foldText(rule.prefix);
  return { rule, fits: (folded) => folded.startsWith(prefix) && isWordEnd(folded, prefix.length) };
}

function isWordEnd(text: string, at: number): boolean {
  return at === text.length || !/^[\p{L}\p{N}\p{M}]/u.test(text.slice(at, at + 2));
}
