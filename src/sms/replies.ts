// Who gets the reply of an inbound rule, and how often. Two machines that
// answer each other must come to an end. Pure.
import { foldText } from "./folding.ts";
import type { Msisdn } from "./msisdn.ts";
import { mobileNumberOf, type WordReader } from "./opt-out-index.ts";

// Which account gets a message that a subscriber sent, and what it answers.
// The first rule of a line that fits counts; texts are compared folded. Pure.

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

/** A reply is sent within this time after the message arrived, or never. */
export const replyMinutes = 10;
/** From a line to a number. */
export const mostRepliesAnHour = 3;
/** If the same text comes this often from the same number to the line, a machine sends it. */
export const sameTextsOfMachine = 3;
export const sameTextMinutes = 10;

export interface OwedReply {
  readonly number: Msisdn;
  readonly content: string;
  /** The folded text that is answered. */
  readonly askedBy: string;
  /** Names the rule among all, whatever it replies. */
  readonly rule: string;
  /** Replies of the rule. */
  readonly maxPerHour: number;
}

export interface AskingMessage {
  readonly rule: InboundRule | undefined;
  /** As received. */
  readonly sender: string;
  readonly text: string;
  /** Stop and resume words get no reply, also on lines on which they are not read. */
  readonly words: WordReader;
}

export function owedReply({ rule, sender, text, words }: AskingMessage): OwedReply | undefined {
  if (rule?.reply === undefined || words.read(text) !== undefined) return undefined;
  const number = mobileNumberOf(sender);
  if (number === undefined) return undefined;
  const { maxPerHour = defaultRepliesPerHour } = rule;
  return { number, content: rule.reply, askedBy: foldText(text), rule: nameOf(rule), maxPerHour };
}

/** Every rule of a line has another condition, or can never fit. */
function nameOf({ line, words, prefix }: InboundRule): string {
  return JSON.stringify([line, words ?? prefix ?? null]);
}

export interface ReplyHistory {
  readonly isLate: boolean;
  /** Replies from the line to the number in the last hour. */
  readonly sentThisHour: number;
  /** The rule has sent all that it may in an hour. */
  readonly isRuleUsedUp: boolean;
  /** How often the text had come when this one came, with it. */
  readonly sameTexts: number;
}

export type ReplyHindrance = "late" | "repeated" | "limited";

/** Why the reply stays out; undefined: it is sent, if nothing refuses it. */
export function hindranceOf({
  isLate,
  sentThisHour,
  isRuleUsedUp,
  sameTexts,
}: ReplyHistory): ReplyHindrance | undefined {
  if (isLate) return "late";
  if (sameTexts >= sameTextsOfMachine) return "repeated";
  return isRuleUsedUp || sentThisHour >= mostRepliesAnHour ? "limited" : undefined;
}
