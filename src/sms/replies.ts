// Who gets the reply of an inbound rule, and how often (events-and-rules §7). Two machines that
// answer each other must come to an end. Pure.
import { foldText } from "./folding.ts";
import { defaultRepliesPerHour, type InboundRule } from "./inbound-rules.ts";
import type { Msisdn } from "./msisdn.ts";
import { mobileNumberOf, type WordReader } from "./opt-out-words.ts";

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
