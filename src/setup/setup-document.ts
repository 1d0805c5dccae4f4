// Parses a setup file, YAML or JSON, into plain values with their line numbers. Does not interpret
// the values.
import { type Document, isScalar, LineCounter, type Node, parseDocument, type Scalar, visit, type YAMLMap } from "yaml";
import { SetupFaults, type LocatedFault, type SetupPath, type ValueFault } from "./fault.ts";

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
  const faults = document.errors.slice(0, mostFaults).map((error) => {
    const [first = ""] = error.message.split("\n");
    return yamlFault(first, error.linePos?.[0].line);
  });
  if (faults.length > 0) throw new SetupFaults(faults);
  return { value: valueOf(document, lines), lineOf: (path) => lineOfText(document, lines, path) };
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
  // The library's check for equal keys takes quadratic time; expectPlainKeys does it instead.
  const options = { lineCounter: lines, prettyErrors: true, strict: true, uniqueKeys: false };
  return { document: parseDocument(text, options), lines };
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
/** How often the values of one anchor are repeated. Only a malicious file repeats them more often. */
const mostRepetitions = 1_000;
/** Values that all aliases together stand for. Each is read wherever an alias names it. */
const mostRepeated = 100_000;

function yamlFault(message: string, line?: number): LocatedFault {
  return { path: [], key: "yaml", values: { message }, ...(line !== undefined && { line }) };
}

function valueOf(document: Document, lines: LineCounter): unknown {
  try {
    visit(document, {
      Map: (_, map) => expectPlainKeys(map, lines),
      Scalar: (_, scalar) => keepNotation(scalar),
    });
    let repeated = 0;
    const count = (value: unknown, places: number): void => void (repeated += (places - 1) * valuesIn(value));
    const value: unknown = document.toJS({ maxAliasCount: mostRepetitions, onAnchor: count });
    if (repeated > mostRepeated) throw new Error(`Excessive alias count: ${repeated} values`);
    return value;
  } catch (error) {
    // Of an alias that names nothing, or of more levels than the stack holds.
    throw error instanceof SetupFaults ? error : new SetupFaults([yamlFault((error as Error).message)]);
  }
}

function valuesIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + valuesIn(each), 1);
}

/** If keys could be trees, their text would double with each level. */
function expectPlainKeys({ items }: YAMLMap, lines: LineCounter): void {
  const names = new Set<string>();
  for (const { key } of items) {
    const fault: ValueFault["key"] = isScalar(key) ? "keyTwice" : "plainKey";
    const name = isScalar(key) ? String(key.source ?? key.value) : undefined;
    const [start] = (key as Node | null)?.range ?? [];
    if (name === undefined || names.has(name))
      throw new SetupFaults([
        { path: [], key: fault, ...(start !== undefined && { line: lines.linePos(start).line }) },
      ]);
    names.add(name);
  }
}

/**
 * A number in unusual notation keeps its text: 0912… is a phone number, and one above 2^53 is an
 * amount.
 */
function keepNotation(scalar: Scalar): void {
  const { value, source } = scalar;
  if (typeof value === "number" && source !== undefined && String(value) !== source) scalar.value = source;
}

function lineOfText(document: Document, lines: LineCounter, path: SetupPath): number | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    const start = (node as Node | null | undefined)?.range?.[0];
    if (start !== undefined) return lines.linePos(start).line;
  }
  return undefined;
}
