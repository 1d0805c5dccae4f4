// The first sheet of an Excel workbook (ECMA-376) as rows of texts. Numbers come as their digits,
// so that a phone number that Excel took for a number keeps them all; formulas come as their last
// result.
import { FileProblem, maximumColumns, maximumUnpackedBytes, RowCollector, type Rows } from "./table.ts";
import { listZip, readEntry, UnpackBudget, type ZipEntry } from "./unzip.ts";
import { XmlScanner, type XmlHandler } from "./xml-scanner.ts";

export async function readXlsx(bytes: Uint8Array): Promise<Rows> {
  const entries = listZip(bytes);
  const budget = new UnpackBudget(maximumUnpackedBytes);
  const scan = async (entry: ZipEntry | undefined, handler: XmlHandler): Promise<void> => {
    if (entry === undefined) return;
    const scanner = new XmlScanner(handler);
    await readEntry(entry, budget, (text) => scanner.push(text));
  };
  const sheet = await findSheet(entries, scan);
  const texts = new SharedTexts();
  await scan(entries.get("xl/sharedStrings.xml"), texts);
  const reader = new SheetReader(texts.all);
  await scan(sheet, reader);
  return reader.collector.rows;
}

type Scan = (entry: ZipEntry | undefined, handler: XmlHandler) => Promise<void>;

/** The first one in the order of the workbook. */
async function findSheet(entries: ReadonlyMap<string, ZipEntry>, scan: Scan): Promise<ZipEntry> {
  let firstId: string | undefined;
  const targets = new Map<string, string>();
  await scan(
    entries.get("xl/workbook.xml"),
    onOpen("sheet", (attribute) => (firstId ??= attribute("r:id"))),
  );
  await scan(
    entries.get("xl/_rels/workbook.xml.rels"),
    onOpen("Relationship", (attribute) => targets.set(attribute("Id") ?? "", attribute("Target") ?? "")),
  );
  const target = targets.get(firstId ?? "") ?? "worksheets/sheet1.xml";
  const found = entries.get(target.startsWith("/") ? target.slice(1) : `xl/${target}`);
  if (found === undefined) throw new FileProblem("notReadable");
  return found;
}

function onOpen(wanted: string, tell: (attribute: (name: string) => string | undefined) => unknown): XmlHandler {
  return {
    open: (name, attribute) => {
      if (name === wanted) tell(attribute);
    },
    text: () => undefined,
    close: () => undefined,
  };
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
    else if (name === "si") this.all.push(this.#current);
  }
}

class SheetReader implements XmlHandler {
  readonly collector = new RowCollector();
  readonly #texts: readonly string[];
  #cells: string[] = [];
  #column = 0;
  #type = "n";
  #value = "";
  #isValue = false;

  constructor(texts: readonly string[]) {
    this.#texts = texts;
  }

  open(name: string, attribute: (name: string) => string | undefined): void {
    if (name === "row") {
      this.#cells = [];
      this.#column = 0;
    } else if (name === "c") {
      this.#column = columnOf(attribute("r")) ?? this.#column;
      this.#type = attribute("t") ?? "n";
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
    else if (name === "row") this.collector.add(Array.from(this.#cells, (cell: string | undefined) => cell ?? ""));
  }

  #endCell(): void {
    if (this.#column < maximumColumns && this.#value !== "") this.#cells[this.#column] = this.#shown();
    this.#column += 1;
  }

  #shown(): string {
    if (this.#type === "s") return this.#texts[Number(this.#value)] ?? "";
    return this.#type === "n" ? digitsOf(this.#value) : this.#value;
  }
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
  return Number.isInteger(number) && Math.abs(number) < 1e15 ? number.toFixed(0) : String(number);
}
