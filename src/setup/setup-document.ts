// The text of a setup file, YAML or JSON, as plain values, with the line on which each of them stands. Says nothing about
// what the values mean.
import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import type { Alias, Document, Node, Scalar, YAMLMap } from "yaml";
import { SetupFaults, type LocatedFault, type SetupPath } from "./fault.ts";

export interface SetupDocument {
  readonly value: unknown;
  /** Line of the value, or of the nearest one around it that stands in the file. */
  lineOf(path: SetupPath): number | undefined;
}

/** Throws SetupFaults where the text is neither YAML nor JSON. */
export function parseSetupDocument(text: string): SetupDocument {
  const withoutMark = text.replace(/^\uFEFF/, "");
  const asJson = parseJson(withoutMark);
  // Reading JSON as such is many times faster, and its lines are only asked for when something is wrong.
  if (asJson !== undefined) return { value: asJson.value, lineOf: laterLines(withoutMark) };
  const { document, lines } = readYaml(withoutMark);
  const faults = document.errors.map((error): LocatedFault => {
    const line = error.linePos?.[0].line;
    return { path: [], message: error.message.split("\n")[0] ?? "", ...(line === undefined ? {} : { line }) };
  });
  if (faults.length > 0) throw new SetupFaults(faults);
  return {
    value: new PlainValues(document, lines).read(document.contents),
    lineOf: (path) => findLine(document, lines, path),
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

function readYaml(text: string): { document: Document; lines: LineCounter } {
  const lines = new LineCounter();
  return { document: parseDocument(text, { lineCounter: lines, prettyErrors: true, strict: true }), lines };
}

function laterLines(text: string): SetupDocument["lineOf"] {
  let read: ReturnType<typeof readYaml> | undefined;
  return (path) => {
    read ??= readYaml(text);
    return findLine(read.document, read.lines, path);
  };
}

/** Aliases in one file; far more can only be a file that is made to be endless. */
const mostAliases = 100_000;

class PlainValues {
  readonly #document: Document;
  readonly #lines: LineCounter;
  readonly #above = new Set<unknown>();
  #aliases = 0;

  constructor(document: Document, lines: LineCounter) {
    this.#document = document;
    this.#lines = lines;
  }

  read(node: unknown): unknown {
    if (isAlias(node)) return this.#readAlias(node);
    if (isScalar(node)) return readScalar(node);
    if (!isMap(node) && !isSeq(node)) return null;
    this.#above.add(node);
    const value = isSeq(node) ? node.items.map((item) => this.read(item)) : this.#readMap(node);
    this.#above.delete(node);
    return value;
  }

  #readMap(map: YAMLMap): Record<string, unknown> {
    // Without a prototype, so that no key of the file can be mistaken for a property of all objects.
    const plain = Object.create(null) as Record<string, unknown>;
    for (const { key, value } of map.items) {
      // The text of a key that is a whole tree doubles with each level below it.
      if (!isScalar(key)) throw this.#fault(key, "a key must be plain text");
      plain[String(key.source ?? key.value)] = this.read(value);
    }
    return plain;
  }

  #readAlias(alias: Alias): unknown {
    const target = alias.resolve(this.#document);
    this.#aliases += 1;
    if (target !== undefined && !this.#above.has(target) && this.#aliases <= mostAliases) return this.read(target);
    const message =
      target === undefined ? `nothing is named &${alias.source}` : `the alias *${alias.source} has no end`;
    throw this.#fault(alias, message);
  }

  #fault(node: unknown, message: string): SetupFaults {
    const range = isNode(node) ? node.range : undefined;
    const line = range ? this.#lines.linePos(range[0]).line : undefined;
    return new SetupFaults([{ path: [], message, ...(line === undefined ? {} : { line }) }]);
  }
}

/**
 * A number that is written otherwise than a program would write it stays as it is written: 0912… is a phone number,
 * and one beyond 2^53 is an amount.
 */
function readScalar({ value, source }: Scalar): unknown {
  if (typeof value !== "number" || source === undefined) return value;
  return String(value) === source ? value : source;
}

function findLine(document: Document, lines: LineCounter, path: SetupPath): number | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    const start = (node as Node | null | undefined)?.range?.[0];
    if (start !== undefined) return lines.linePos(start).line;
  }
  return undefined;
}
