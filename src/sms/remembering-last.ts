// Remembers the last answer: the messages of a call often have one text, of up to a mebibyte.
import type { CompiledContentRule } from "./content-rules.ts";

export type FindRule = (
  rules: readonly CompiledContentRule[],
  texts: readonly string[],
) => CompiledContentRule | undefined;

export function rememberingLastRule(find: FindRule): FindRule {
  let last: { rules: readonly CompiledContentRule[]; text: string; found: CompiledContentRule | undefined } | undefined;
  return (rules, texts) => {
    const [text] = texts;
    if (text === undefined || texts.length > 1) return find(rules, texts);
    if (last?.rules !== rules || last.text !== text) last = { rules, text, found: find(rules, texts) };
    return last.found;
  };
}

/** The question of the last time gets its answer again. */
export function rememberingLast<Question extends readonly unknown[], Answer>(
  ask: (...question: Question) => Answer,
): (...question: Question) => Answer {
  let last: { question: Question; answer: Answer } | undefined;
  return (...question) => {
    if (last?.question.every((part, place) => part === question[place]) !== true)
      last = { question, answer: ask(...question) };
    return last.answer;
  };
}
