// Rows of a CSV text (RFC 4180 and its usual variants): comma, semicolon or tab; quoted fields with
// doubled quotes and line ends in them; lines that end in CRLF, LF or CR. Never throws but for too
// many rows. Pure.
import { RowCollector, type Rows } from "./table.ts";

const separators = [",", ";", "\t"] as const;
type Separator = (typeof separators)[number];

export function readCsv(text: string): Rows {
  const separator = findSeparator(text);
  const collector = new RowCollector();
  let place = 0;
  let cells: string[] = [];
  while (place < text.length) {
    const field = readField(text, place, separator);
    cells.push(field.value);
    place = field.end;
    const mark = text[place];
    if (mark === separator) {
      place += 1;
      // A separator at the very end is followed by an empty field.
      if (place < text.length) continue;
      cells.push("");
    }
    if (mark === "\r" && text[place + 1] === "\n") place += 1;
    if (mark !== separator) place += 1;
    collector.add(cells);
    cells = [];
  }
  return collector.rows;
}

interface Field {
  readonly value: string;
  /** The place of what ends it. */
  readonly end: number;
}

function readField(text: string, start: number, separator: Separator): Field {
  if (text[start] !== '"') return readPlain(text, start, separator);
  let value = "";
  let place = start + 1;
  for (;;) {
    const quote = text.indexOf('"', place);
    // A quote that is never closed was meant as a character.
    if (quote < 0) return readPlain(text, start, separator);
    value += text.slice(place, quote);
    if (text[quote + 1] !== '"') {
      const rest = readPlain(text, quote + 1, separator);
      return { value: value + rest.value, end: rest.end };
    }
    value += '"';
    place = quote + 2;
  }
}

function readPlain(text: string, start: number, separator: Separator): Field {
  let end = start;
  while (end < text.length) {
    const character = text[end];
    if (character === separator || character === "\n" || character === "\r") break;
    end += 1;
  }
  return { value: text.slice(start, end), end };
}

const sampleCharacters = 20_000;

/** The one that most lines have in the same number; the comma, if none does. */
export function findSeparator(text: string): Separator {
  const sample = text.slice(0, sampleCharacters).replace(/"(?:[^"]|"")*"/g, "x");
  const lines = sample.split(/\r\n|\n|\r/).filter((line) => line !== "");
  // The last line of the sample may be cut.
  const whole = text.length > sampleCharacters && lines.length > 1 ? lines.slice(0, -1) : lines;
  let best: { separator: Separator; score: number } = { separator: ",", score: 0 };
  for (const separator of separators) {
    const counts = whole.map((line) => line.split(separator).length - 1);
    const usual = counts[0] ?? 0;
    const score = usual === 0 ? 0 : counts.filter((count) => count === usual).length;
    if (score > best.score) best = { separator, score };
  }
  return best.separator;
}

// The text of a CSV file, whatever wrote it: UTF-8, UTF-16 with or without its mark, or
// Windows-1256, in which older programs save Persian. Pure.

export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

function encodingOf(bytes: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" | "windows-1256" {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return unmarkedUtf16(bytes) ?? (isUtf8(bytes) ? "utf-8" : "windows-1256");
}

const sampleBytes = 4096;

/**
 * Digits and separators have a zero octet in UTF-16, on the same side of each pair; texts in other
 * encodings have none.
 */
function unmarkedUtf16(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  const sample = bytes.subarray(0, sampleBytes);
  let even = 0;
  let odd = 0;
  sample.forEach((octet, index) => {
    if (octet !== 0) return;
    if (index % 2 === 0) even += 1;
    else odd += 1;
  });
  if (Math.max(even, odd) < sample.length / 8) return undefined;
  return odd > even ? "utf-16le" : "utf-16be";
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
