// The text of a setup file, YAML or JSON, as plain values, with the line on which each of them stands. Says nothing about
// what the values mean.
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node } from "yaml";
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
  return { value: toPlain(document.contents, document), lineOf: (path) => findLine(document, lines, path) };
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

/**
 * A number that is written otherwise than a program would write it stays as it is written: 0912… is a phone number,
 * and one beyond 2^53 is an amount.
 */
function toPlain(node: unknown, document: Document): unknown {
  if (isAlias(node)) return toPlain(node.resolve(document), document);
  if (isMap(node)) {
    // Without a prototype, so that no key of the file can be mistaken for a property of all objects.
    const plain = Object.create(null) as Record<string, unknown>;
    for (const { key, value } of node.items) plain[keyText(key)] = toPlain(value, document);
    return plain;
  }
  if (isSeq(node)) return node.items.map((item) => toPlain(item, document));
  if (!isScalar(node)) return null;
  if (typeof node.value !== "number" || node.source === undefined) return node.value;
  return String(node.value) === node.source ? node.value : node.source;
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.source ?? key.value) : String(key);
}

function findLine(document: Document, lines: LineCounter, path: SetupPath): number | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    const start = (node as Node | null | undefined)?.range?.[0];
    if (start !== undefined) return lines.linePos(start).line;
  }
  return undefined;
}
