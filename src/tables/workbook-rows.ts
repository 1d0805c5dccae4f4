// The first sheet of an Excel workbook (ECMA-376) as rows of texts. Numbers come as their digits, so
// that a phone number that Excel took for a number keeps them all; dates and codes come as they are
// shown, and formulas as their last result.
import { numberFormat, type NumberFormat, shownNumber } from "./number-formats.ts";
import { FileProblem, longestCell, maximumColumns, maximumUnpackedBytes, type TableRow } from "./table.ts";

export async function* readWorkbook(bytes: Uint8Array): AsyncGenerator<readonly TableRow[]> {
  const entries = listZip(bytes);
  const budget = new UnpackBudget(maximumUnpackedBytes);
  const scan: Scan = async (name, handler) => {
    const scanner = new XmlScanner(handler);
    for await (const text of entryTexts(entries.get(name), budget)) scanner.scan(text);
    scanner.end();
  };
  const { sheet, from1904 } = await findSheet(entries, scan);
  const texts = new SharedTexts();
  await scan("xl/sharedStrings.xml", texts);
  const styles = new Styles();
  await scan("xl/styles.xml", styles);
  const reader = new SheetReader(texts.all, styles.all, from1904);
  const scanner = new XmlScanner(reader);
  for await (const text of entryTexts(sheet, budget)) {
    scanner.scan(text);
    yield reader.takeRows();
  }
  scanner.end();
}

type Scan = (name: string, handler: XmlHandler) => Promise<void>;

/** The first one in the order of the workbook. */
async function findSheet(
  entries: ReadonlyMap<string, ZipEntry>,
  scan: Scan,
): Promise<{ readonly sheet: ZipEntry; readonly from1904: boolean }> {
  let firstId: string | undefined;
  let from1904 = false;
  const targets = new Map<string, string>();
  await scan("xl/workbook.xml", {
    open: (name, attribute) => {
      if (name === "sheet") firstId ??= attribute("r:id");
      if (name === "workbookPr") from1904 = /^(1|true)$/.test(attribute("date1904") ?? "");
    },
    ...ignored,
  });
  await scan("xl/_rels/workbook.xml.rels", {
    open: (name, attribute) => {
      if (name === "Relationship") targets.set(attribute("Id") ?? "", attribute("Target") ?? "");
    },
    ...ignored,
  });
  const target = targets.get(firstId ?? "") ?? "worksheets/sheet1.xml";
  const found = entries.get(target.startsWith("/") ? target.slice(1) : `xl/${target}`);
  if (found === undefined) throw new FileProblem("notReadable");
  return { sheet: found, from1904 };
}

const ignored = { text: () => undefined, close: () => undefined };

/** By the number of a style: how it shows numbers. */
class Styles implements XmlHandler {
  readonly all: (NumberFormat | undefined)[] = [];
  readonly #codes = new Map<number, string>();
  #isOfCells = false;
  readonly text = ignored.text;

  open(name: string, attribute: (name: string) => string | undefined): void {
    if (name === "numFmt") this.#codes.set(Number(attribute("numFmtId")), attribute("formatCode") ?? "");
    else if (name === "cellXfs") this.#isOfCells = true;
    else if (name === "xf" && this.#isOfCells)
      this.all.push(numberFormat(Number(attribute("numFmtId") ?? 0), this.#codes));
  }

  close(name: string): void {
    if (name === "cellXfs") this.#isOfCells = false;
  }
}

/** Texts that cells name by their place. Those for the pronunciation are left out. */
class SharedTexts implements XmlHandler {
  readonly all: string[] = [];
  #current = "";
  #isText = false;
  #isPhonetic = false;

  open(name: string): void {
    if (name === "si") this.#current = "";
    else if (name === "rPh") this.#isPhonetic = true;
    else if (name === "t") this.#isText = !this.#isPhonetic;
  }

  text(text: string): void {
    if (this.#isText) this.#current += text;
  }

  close(name: string): void {
    if (name === "t") this.#isText = false;
    else if (name === "rPh") this.#isPhonetic = false;
    else if (name === "si") this.all.push(unescaped(this.#current));
  }
}

class SheetReader implements XmlHandler {
  readonly #texts: readonly string[];
  readonly #formats: readonly (NumberFormat | undefined)[];
  readonly #from1904: boolean;
  #found: TableRow[] = [];
  #row = 0;
  #cells: string[] = [];
  #column = 0;
  #type = "n";
  #style = 0;
  #value = "";
  #isValue = false;

  constructor(texts: readonly string[], formats: readonly (NumberFormat | undefined)[], from1904: boolean) {
    this.#texts = texts;
    this.#formats = formats;
    this.#from1904 = from1904;
  }

  /** Those that have ended since. */
  takeRows(): readonly TableRow[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  open(name: string, attribute: (name: string) => string | undefined): void {
    if (name === "row") {
      this.#row = Number(attribute("r")) || this.#row + 1;
      this.#cells = [];
      this.#column = 0;
    } else if (name === "c") {
      this.#column = columnOf(attribute("r")) ?? this.#column;
      this.#type = attribute("t") ?? "n";
      this.#style = Number(attribute("s") ?? 0);
      this.#value = "";
    } else if (name === "v" || name === "t") this.#isValue = true;
    else if (name === "rPh") this.#isValue = false;
  }

  text(text: string): void {
    if (this.#isValue) this.#value += text;
  }

  close(name: string): void {
    if (name === "v" || name === "t") this.#isValue = false;
    else if (name === "c") this.#endCell();
    else if (name === "row") this.#endRow();
  }

  #endRow(): void {
    const cells = Array.from(this.#cells, (cell: string | undefined) => cell ?? "");
    if (cells.some((cell) => cell.trim() !== "")) this.#found.push({ number: this.#row, cells });
  }

  #endCell(): void {
    if (this.#column < maximumColumns && this.#value !== "") this.#cells[this.#column] = this.#shown();
    this.#column += 1;
  }

  #shown(): string {
    if (this.#type === "s") return this.#texts[Number(this.#value)] ?? "";
    if (this.#type === "b") return this.#value === "1" ? "TRUE" : "FALSE";
    if (this.#type !== "n") return unescaped(this.#value);
    const format = this.#formats[this.#style];
    const digits = digitsOf(this.#value);
    return format === undefined ? digits : shownNumber(digits, format, { from1904: this.#from1904 });
  }
}

/** Characters that XML does not have are written as `_x001F_`. */
function unescaped(text: string): string {
  if (!text.includes("_x")) return text;
  return text.replace(/_x([\dA-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** `AB12` → 27 */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^([A-Z]{1,3})\d/.exec(reference ?? "")?.[1];
  if (letters === undefined) return undefined;
  return Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

/** `9.121234567E9` → `9121234567` */
function digitsOf(value: string): string {
  if (/^-?\d+$/.test(value)) return value;
  const number = Number(value);
  if (!Number.isFinite(number)) return value;
  // Excel shows 15 digits: 0.1 + 0.2 is 0.3.
  return Number.isInteger(number) && Math.abs(number) < 1e15
    ? number.toFixed(0)
    : String(Number(number.toPrecision(15)));
}

// XML as far as spreadsheets need it: elements with attributes and their texts. Names are given
// without their prefix. No DTD is read, so that no entity can grow.

interface XmlHandler {
  open(name: string, attribute: (name: string) => string | undefined): void;
  text(text: string): void;
  close(name: string): void;
}

/**
 * A comment or an instruction, a section of plain characters, a tag, a text; else a tag that does
 * not end, or a DTD.
 */
const pieces = /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<([^!?>][^>]*)>|([^<]+)|(<)/g;

/** A piece without an end is kept until there is more. Cells of Excel are far shorter. */
const longestPiece = 16 * longestCell;

class XmlScanner {
  readonly #handler: XmlHandler;
  #rest = "";

  constructor(handler: XmlHandler) {
    this.#handler = handler;
  }

  scan(piece: string): void {
    const text = this.#rest + piece;
    let end = 0;
    for (const { index, 0: whole, 1: characters, 2: tag, 3: plain, 4: wrong } of text.matchAll(pieces)) {
      end = index + whole.length;
      if (wrong !== undefined || (plain !== undefined && end === text.length)) {
        end = index;
        break;
      }
      if (characters !== undefined) this.#handler.text(characters);
      if (plain !== undefined) this.#handler.text(decodeEntities(plain));
      if (tag !== undefined) readTag(tag, this.#handler);
    }
    this.#rest = text.slice(end);
    if (this.#rest.length > longestPiece) throw new FileProblem("notReadable");
  }

  /** Throws FileProblem if something has not ended. */
  end(): void {
    if (this.#rest.trim() !== "") throw new FileProblem("notReadable");
  }
}

function readTag(tag: string, handler: XmlHandler): void {
  if (tag.startsWith("/")) {
    handler.close(localName(tag.slice(1).trim()));
    return;
  }
  const [qualified = ""] = tag.split(/[\s/]/, 1);
  const name = localName(qualified);
  handler.open(name, (wanted) => attributeOf(tag, wanted));
  if (tag.endsWith("/")) handler.close(name);
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

function attributeOf(tag: string, wanted: string): string | undefined {
  for (const [, name = "", quoted = ""] of tag.matchAll(/\s([\w:.-]+)\s*=\s*("[^"]*"|'[^']*')/g))
    if (name === wanted) return decodeEntities(quoted.slice(1, -1));
  return undefined;
}

const named: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(\w{2,4}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return named[String(name)] ?? whole;
    const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

// The files of a ZIP archive, as far as Excel writes them: stored or deflated, without encryption.
// Unpacks with DecompressionStream, which browsers and Node have, and counts what comes out, because
// a few octets can claim to be gigabytes. Pure but for that.

interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly packed: Uint8Array;
}

const endSignature = 0x06054b50;
const directorySignature = 0x02014b50;
const localSignature = 0x04034b50;
const endLength = 22;
const longestComment = 0xffff;
const stored = 0;
const deflated = 8;

/** Throws FileProblem for what is no such archive. */
function listZip(bytes: Uint8Array): ReadonlyMap<string, ZipEntry> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const end = findEnd(view);
    const entries = new Map<string, ZipEntry>();
    let place = view.getUint32(end + 16, true);
    for (let count = view.getUint16(end + 10, true); count > 0; count -= 1) {
      if (view.getUint32(place, true) !== directorySignature) throw new FileProblem("notReadable");
      const nameLength = view.getUint16(place + 28, true);
      const name = new TextDecoder().decode(slice(bytes, place + 46, nameLength));
      const packed = contentOf(bytes, view, view.getUint32(place + 42, true), view.getUint32(place + 20, true));
      entries.set(name, { name, method: view.getUint16(place + 10, true), packed });
      place += 46 + nameLength + view.getUint16(place + 30, true) + view.getUint16(place + 32, true);
    }
    return entries;
  } catch (error) {
    if (error instanceof RangeError) throw new FileProblem("notReadable");
    throw error;
  }
}

function findEnd(view: DataView): number {
  const lowest = Math.max(0, view.byteLength - endLength - longestComment);
  for (let place = view.byteLength - endLength; place >= lowest; place -= 1)
    if (view.getUint32(place, true) === endSignature) return place;
  throw new FileProblem("notReadable");
}

function contentOf(bytes: Uint8Array, view: DataView, local: number, length: number): Uint8Array {
  if (view.getUint32(local, true) !== localSignature) throw new FileProblem("notReadable");
  return slice(bytes, local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true), length);
}

function slice(bytes: Uint8Array, start: number, length: number): Uint8Array {
  if (start + length > bytes.length) throw new FileProblem("notReadable");
  return bytes.subarray(start, start + length);
}

/** What all entries of an archive may unpack to together. */
class UnpackBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) throw new FileProblem("unpackedTooLarge");
  }
}

/** So many packed octets unpack to 16 MB at most. */
const packedOctets = 16 << 10;

/** The text of an entry, piece by piece. */
async function* entryTexts(entry: ZipEntry | undefined, budget: UnpackBudget): AsyncGenerator<string> {
  if (entry === undefined) return;
  const { method, packed } = entry;
  if (method !== stored && method !== deflated) throw new FileProblem("notReadable");
  let place = 0;
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (place >= packed.length) controller.close();
      else controller.enqueue(new Uint8Array(packed.subarray(place, (place += packedOctets))));
    },
  });
  const unpacked = method === stored ? source : source.pipeThrough(new DecompressionStream("deflate-raw"));
  const reader: ReadableStreamDefaultReader<Uint8Array> = unpacked.getReader();
  const decoder = new TextDecoder();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      budget.take(next.value.length);
      yield decoder.decode(next.value, { stream: true });
    }
  } catch (error) {
    throw error instanceof FileProblem ? error : new FileProblem("notReadable");
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}
