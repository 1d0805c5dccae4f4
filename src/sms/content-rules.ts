// What texts may not say: words and phrases, and links. A text is folded and
// split into words once, whatever the number of rules. Linear in the length of the text. Pure.
import { foldText } from "./folding.ts";
import { findHosts } from "./link-hosts.ts";
import type { RuleScope } from "./sender-line.ts";

export interface ContentRule extends RuleScope {
  readonly name: string;
  /** Words and phrases; `*` at the end of a word stands for the rest of it. */
  readonly words: readonly string[];
  /** `listed`: none but those to `domains` and below. */
  readonly links: "any" | "none" | "listed";
  readonly domains: readonly string[];
  readonly action: "refuse" | "review";
}

/** The forms of a text that rules are compared with; made once for all rules. */
export interface ReadText {
  readonly words: readonly string[];
  readonly hosts: readonly string[];
}

export class CompiledContentRule {
  readonly name: string;
  readonly scope: RuleScope;
  readonly action: ContentRule["action"];
  readonly #phrases: PhraseNode = phraseNode();
  readonly #hasPhrases: boolean;
  readonly #links: ContentRule["links"];
  readonly #domains: ReadonlySet<string>;

  constructor(rule: ContentRule) {
    this.name = rule.name;
    this.scope = { lines: rule.lines, accounts: rule.accounts };
    this.action = rule.action;
    this.#links = rule.links;
    this.#domains = new Set(rule.domains.map((domain) => foldText(domain)));
    for (const phrase of rule.words) addPhrase(this.#phrases, wordPatterns(phrase));
    this.#hasPhrases = rule.words.length > 0;
  }

  appliesTo({ words, hosts }: ReadText): boolean {
    if (this.#hasPhrases && words.some((_, place) => beginsPhrase(this.#phrases, words, place))) return true;
    if (this.#links === "any") return false;
    return this.#links === "none" ? hosts.length > 0 : hosts.some((host) => !isAtOrBelow(host, this.#domains));
  }
}

/** The rule that decides about a text: the first that refuses it, else the first for review. */
export function findContentRule(
  rules: readonly CompiledContentRule[],
  texts: readonly string[],
): CompiledContentRule | undefined {
  if (rules.length === 0) return undefined;
  const read = texts.map(readText);
  let forReview: CompiledContentRule | undefined;
  for (const rule of rules) {
    if ((rule.action === "review" && forReview !== undefined) || !read.some((text) => rule.appliesTo(text))) continue;
    if (rule.action === "refuse") return rule;
    forReview = rule;
  }
  return forReview;
}

export function readText(text: string): ReadText {
  const folded = foldText(text);
  return { words: wordsOf(folded), hosts: findHosts(folded) };
}

/** Whether a word or phrase of a rule can match anything. */
export function isWordPattern(phrase: string): boolean {
  return wordPatterns(phrase).length > 0;
}

const wordKind = { unknown: 0, separator: 1, letter: 2, sign: 3 } as const;
const letter = /^[\p{L}\p{N}\p{M}]$/u;
const sign = /^\p{S}$/u;

/** By code unit, looked up when it is first needed. Surrogates stay unknown. */
const kinds = new Uint8Array(0x10000);

function kindOf(point: number): number {
  const known = kinds[point] ?? wordKind.unknown;
  if (known !== wordKind.unknown) return known;
  const character = String.fromCodePoint(point);
  const kind = letter.test(character) ? wordKind.letter : sign.test(character) ? wordKind.sign : wordKind.separator;
  if (point < kinds.length) kinds[point] = kind;
  return kind;
}

// A word is a run of letters and digits, or of signs such as "$" and emoji. All other characters
// separate words. Without a regular expression this takes a third of the time.
function wordsOf(folded: string): readonly string[] {
  const words: string[] = [];
  let start = 0;
  let running: number = wordKind.separator;
  for (let at = 0; at < folded.length;) {
    const point = folded.codePointAt(at) ?? 0;
    const kind = kindOf(point);
    if (kind !== running) {
      if (running !== wordKind.separator) words.push(folded.slice(start, at));
      start = at;
      running = kind;
    }
    at += point > 0xffff ? 2 : 1;
  }
  if (running !== wordKind.separator) words.push(folded.slice(start));
  return words;
}

interface WordPattern {
  readonly text: string;
  /** The word may go on. */
  readonly isPrefix: boolean;
}

function wordPatterns(phrase: string): WordPattern[] {
  return phrase.split(/\s+/).flatMap((piece) => {
    const words = wordsOf(foldText(piece));
    const isOpen = piece.endsWith("*");
    return words.map((text, place) => ({ text, isPrefix: isOpen && place === words.length - 1 }));
  });
}

/** A tree of phrases, word by word. */
interface PhraseNode {
  readonly exact: Map<string, PhraseNode>;
  /** Beginnings of words by their length. */
  readonly prefixes: Map<number, Map<string, PhraseNode>>;
  isEnd: boolean;
}

function phraseNode(): PhraseNode {
  return { exact: new Map(), prefixes: new Map(), isEnd: false };
}

function addPhrase(root: PhraseNode, patterns: readonly WordPattern[]): void {
  if (patterns.length === 0) return;
  let node = root;
  for (const { text, isPrefix } of patterns) {
    const among: Map<string, PhraseNode> = isPrefix ? childrenOfLength(node, text.length) : node.exact;
    let next = among.get(text);
    if (next === undefined) among.set(text, (next = phraseNode()));
    node = next;
  }
  node.isEnd = true;
}

function childrenOfLength({ prefixes }: PhraseNode, length: number): Map<string, PhraseNode> {
  let children = prefixes.get(length);
  if (children === undefined) prefixes.set(length, (children = new Map<string, PhraseNode>()));
  return children;
}

// As deep as the longest phrase, however long the text is.
function beginsPhrase(node: PhraseNode, words: readonly string[], place: number): boolean {
  if (node.isEnd) return true;
  const current = words[place];
  if (current === undefined) return false;
  const exact = node.exact.get(current);
  if (exact !== undefined && beginsPhrase(exact, words, place + 1)) return true;
  if (node.prefixes.size === 0) return false;
  for (const [length, children] of node.prefixes) {
    const begun = current.length < length ? undefined : children.get(current.slice(0, length));
    if (begun !== undefined && beginsPhrase(begun, words, place + 1)) return true;
  }
  return false;
}

function isAtOrBelow(host: string, domains: ReadonlySet<string>): boolean {
  if (domains.has(host)) return true;
  for (let dot = host.indexOf("."); dot >= 0; dot = host.indexOf(".", dot + 1))
    if (domains.has(host.slice(dot + 1))) return true;
  return false;
}

export type FindRule = (
  rules: readonly CompiledContentRule[],
  texts: readonly string[],
) => CompiledContentRule | undefined;

/** Remembers the last answer: the messages of a call often have one text, of up to a mebibyte. */
export function rememberingLastRule(find: FindRule): FindRule {
  let last: { rules: readonly CompiledContentRule[]; text: string; found: CompiledContentRule | undefined } | undefined;
  return (rules, texts) => {
    const [text] = texts;
    if (text === undefined || texts.length > 1) return find(rules, texts);
    if (last?.rules !== rules || last.text !== text) last = { rules, text, found: find(rules, texts) };
    return last.found;
  };
}
