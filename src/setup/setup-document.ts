// Parses a setup file, YAML or JSON, into plain values with their line numbers. Does not interpret
// the values.
import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import type { Alias, Document, Node, Scalar, YAMLMap, YAMLSeq } from "yaml";
import { SetupFaults, type LocatedFault, type SetupPath, ValueFault } from "./fault.ts";

export interface SetupDocument {
  readonly value: unknown;
  /** The line of the value, or of the nearest enclosing one in the file. */
  lineOf(path: SetupPath): number | undefined;
}

/** Throws SetupFaults if the text is neither YAML nor JSON. */
export function parseSetupDocument(text: string): SetupDocument {
  const withoutMark = text.replace(/^\uFEFF/, "");
  const asJson = parseJson(withoutMark);
  // Parsing JSON directly is many times faster, and its line numbers are needed only for faults.
  if (asJson !== undefined) return { value: asJson.value, lineOf: laterLines(withoutMark) };
  const { document, lines } = readYaml(withoutMark);
  const faults = document.errors.slice(0, mostFaults).map((error): LocatedFault => {
    const line = error.linePos?.[0].line;
    const [first = ""] = error.message.split("\n");
    const { key, values } = first.startsWith("Maximum call stack")
      ? new ValueFault("tooDeep", { most: deepest })
      : new ValueFault("yaml", { message: first });
    return { path: [], key, values, ...(line === undefined ? {} : { line }) };
  });
  if (faults.length > 0) throw new SetupFaults(faults);
  return {
    value: new PlainValues(lines).read(document.contents),
    lineOf: (path) => lineOfText(document, lines, path),
  };
}

function parseJson(text: string): { value: unknown } | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Each stands for at least one value; parsing a file of many more would take seconds. */
const mostAliases = 50_000;
const aliasForm = /(?:^|[\s[{,:-])\*[^\s[\]{},]/gm;

function readYaml(text: string): { document: Document; lines: LineCounter } {
  if (text.includes("&") && hasTooManyAliases(text))
    throw new SetupFaults([{ path: [], key: "tooManyAliases", values: { most: mostAliases } }]);
  const lines = new LineCounter();
  // The library's check for equal keys takes quadratic time; PlainValues does it instead.
  const options = { lineCounter: lines, prettyErrors: true, strict: true, uniqueKeys: false };
  return { document: parseDocument(text, options), lines };
}

/** Counts no further than it must. */
function hasTooManyAliases(text: string): boolean {
  const aliases = text.matchAll(aliasForm);
  for (let count = 0; aliases.next().done !== true; count += 1) if (count === mostAliases) return true;
  return false;
}

function laterLines(text: string): SetupDocument["lineOf"] {
  let read: ReturnType<typeof readYaml> | undefined;
  return (path) => {
    read ??= readYaml(text);
    return lineOfText(read.document, read.lines, path);
  };
}

/** One mistake may occur on every line. */
const mostFaults = 100;
/**
 * Maximum number of values that the aliases of a file may expand to. Only a malicious file has far
 * more.
 */
const mostUnfolded = 100_000;
const deepest = 100;

class PlainValues {
  readonly #lines: LineCounter;
  readonly #above = new Set<unknown>();
  /** The last node of each anchor so far. */
  readonly #anchors = new Map<string, Node>();
  /** The node of each alias at its place; a later anchor of that name does not change it. */
  readonly #targets = new Map<Alias, Node>();
  #unfolding = 0;
  #unfolded = 0;

  constructor(lines: LineCounter) {
    this.#lines = lines;
  }

  read(node: unknown): unknown {
    if (isAlias(node)) return this.#readAlias(node);
    this.#count(node);
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) return null;
    this.#name(node);
    if (isScalar(node)) return readScalar(node);
    if (this.#above.size >= deepest) throw this.#fault(node, new ValueFault("tooDeep", { most: deepest }));
    this.#above.add(node);
    const value = isSeq(node) ? node.items.map((item) => this.read(item)) : this.#readMap(node);
    this.#above.delete(node);
    return value;
  }

  #count(node: unknown): void {
    if (this.#unfolding === 0) return;
    this.#unfolded += 1;
    if (this.#unfolded > mostUnfolded)
      throw this.#fault(node, new ValueFault("aliasesTooLarge", { most: mostUnfolded }));
  }

  #name(node: Scalar | YAMLMap | YAMLSeq): void {
    if (node.anchor !== undefined && this.#unfolding === 0) this.#anchors.set(node.anchor, node);
  }

  #readMap(map: YAMLMap): Record<string, unknown> {
    // Has no prototype, so that no key of the file can be mistaken for an inherited property.
    const plain = Object.create(null) as Record<string, unknown>;
    for (const { key, value } of map.items) {
      // If keys could be trees, their text would double with each level.
      if (!isScalar(key)) throw this.#fault(key, new ValueFault("plainKey"));
      this.#name(key);
      const name = String(key.source ?? key.value);
      if (Object.hasOwn(plain, name)) throw this.#fault(key, new ValueFault("keyTwice"));
      plain[name] = this.read(value);
    }
    return plain;
  }

  #readAlias(alias: Alias): unknown {
    const target = this.#unfolding === 0 ? this.#anchors.get(alias.source) : this.#targets.get(alias);
    if (target === undefined) throw this.#fault(alias, new ValueFault("noAnchor", { name: alias.source }));
    if (this.#above.has(target)) throw this.#fault(alias, new ValueFault("aliasInItself", { name: alias.source }));
    this.#targets.set(alias, target);
    this.#unfolding += 1;
    const value = this.read(target);
    this.#unfolding -= 1;
    return value;
  }

  #fault(node: unknown, { key, values }: ValueFault): SetupFaults {
    const range = isNode(node) ? node.range : undefined;
    const line = range ? this.#lines.linePos(range[0]).line : undefined;
    return new SetupFaults([{ path: [], key, values, ...(line === undefined ? {} : { line }) }]);
  }
}

/**
 * A number in unusual notation keeps its text: 0912… is a phone number, and one above 2^53 is an
 * amount.
 */
function readScalar({ value, source }: Scalar): unknown {
  if (typeof value !== "number" || source === undefined) return value;
  return String(value) === source ? value : source;
}

function lineOfText(document: Document, lines: LineCounter, path: SetupPath): number | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    const start = (node as Node | null | undefined)?.range?.[0];
    if (start !== undefined) return lines.linePos(start).line;
  }
  return undefined;
}
