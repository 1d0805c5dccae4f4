// Reads XML that comes in pieces, as far as spreadsheets need it: elements with attributes and
// their texts. Names are told without their prefix. No DTD is read, so that no entity can grow.
// Pure.
import { FileProblem } from "./table.ts";

export interface XmlHandler {
  open(name: string, attribute: (name: string) => string | undefined): void;
  text(text: string): void;
  close(name: string): void;
}

/** A tag longer than this is none of a spreadsheet. */
const longestTag = 100_000;
const longestEntity = 12;
const specials = [
  ["<!--", "-->"],
  ["<![CDATA[", "]]>"],
  ["<?", "?>"],
] as const;

export class XmlScanner {
  readonly #handler: XmlHandler;
  #rest = "";

  constructor(handler: XmlHandler) {
    this.#handler = handler;
  }

  push(piece: string): void {
    const text = this.#rest + piece;
    let place = 0;
    for (;;) {
      const start = text.indexOf("<", place);
      if (start < 0) {
        place = this.#tellOpenText(text, place);
        break;
      }
      if (start > place) this.#handler.text(decodeEntities(text.slice(place, start)));
      place = start;
      const end = this.#readTag(text, start);
      if (end === undefined) break;
      place = end;
    }
    this.#rest = text.slice(place);
    if (this.#rest.startsWith("<") && this.#rest.length > longestTag) throw new FileProblem("notReadable");
  }

  /**
   * Text that goes on: all but what may be half of an entity is told at once, so that none is read
   * twice.
   */
  #tellOpenText(text: string, place: number): number {
    const entity = text.lastIndexOf("&");
    const end = entity >= Math.max(place, text.length - longestEntity) ? entity : text.length;
    if (end > place) this.#handler.text(decodeEntities(text.slice(place, end)));
    return end;
  }

  /** Where it ends; undefined if more must come first. */
  #readTag(text: string, start: number): number | undefined {
    const head = text.slice(start, start + 9);
    for (const [opening, closing] of specials) {
      if (!head.startsWith(opening)) {
        if (opening.startsWith(head)) return undefined;
        continue;
      }
      const end = text.indexOf(closing, start + opening.length);
      if (end < 0) return undefined;
      if (opening === "<![CDATA[") this.#handler.text(text.slice(start + opening.length, end));
      return end + closing.length;
    }
    const end = text.indexOf(">", start);
    if (end < 0) return undefined;
    if (head.startsWith("<!")) throw new FileProblem("notReadable");
    this.#tell(text.slice(start + 1, end));
    return end + 1;
  }

  #tell(tag: string): void {
    if (tag.startsWith("/")) {
      this.#handler.close(localName(tag.slice(1).trim()));
      return;
    }
    const isEmpty = tag.endsWith("/");
    const [qualified = ""] = tag.split(/[\s/]/, 1);
    const name = localName(qualified);
    this.#handler.open(name, (wanted) => attributeOf(tag, wanted));
    if (isEmpty) this.#handler.close(name);
  }
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
