// Reads JSON a second time with each number as the text that stands in it: JSON.parse makes 12345678901234567 one less and
// 1250.00 shorter, and does not show its source. Pure, linear. For texts that JSON.parse has accepted and json-body.ts has
// measured; it checks nothing itself.

/** A number as it stands in the body. */
export class JsonNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  valueOf(): number {
    return Number(this.source);
  }

  toJSON(): number {
    return this.valueOf();
  }
}

/** The value of `text` as JSON.parse gives it, but for numbers, which are `JsonNumber`s. */
export function readExactly(text: string): unknown {
  return new ExactReader(text).readValue();
}

const numberForm = /[-+.0-9eE]+/y;
const spaces = /[ \t\r\n]*/y;

class ExactReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readValue(): unknown {
    switch (this.#next()) {
      case "{":
        return this.#readObject();
      case "[":
        return this.#readList();
      case '"':
        return this.#readString();
      case "t":
        return this.#skip("true", true);
      case "f":
        return this.#skip("false", false);
      case "n":
        return this.#skip("null", null);
      default:
        return new JsonNumber(this.#take(numberForm));
    }
  }

  #readObject(): unknown {
    // Without a prototype, so that __proto__ is a name like others.
    const object = Object.create(null) as Record<string, unknown>;
    while (this.#step("}")) {
      this.#next();
      const name = this.#readString();
      this.#next();
      this.#at += 1; // the colon
      object[name] = this.readValue();
    }
    return object;
  }

  #readList(): unknown {
    const items: unknown[] = [];
    while (this.#step("]")) items.push(this.readValue());
    return items;
  }

  /** Goes over the opening bracket or a comma. False at the end, which is gone over too. */
  #step(end: string): boolean {
    const character = this.#next();
    this.#at += 1;
    if (character === end) return false;
    if (character === "," || this.#next() !== end) return true;
    this.#at += 1;
    return false;
  }

  #readString(): string {
    const start = this.#at;
    let hasEscape = false;
    for (this.#at += 1; this.#text[this.#at] !== '"'; this.#at += 1) {
      if (this.#text[this.#at] !== "\\") continue;
      hasEscape = true;
      this.#at += 1;
    }
    this.#at += 1;
    const literal = this.#text.slice(start, this.#at);
    return hasEscape ? (JSON.parse(literal) as string) : literal.slice(1, -1);
  }

  /** The next character that is no white space; the reader stands before it. */
  #next(): string | undefined {
    this.#take(spaces);
    return this.#text[this.#at];
  }

  #take(form: RegExp): string {
    form.lastIndex = this.#at;
    const taken = form.exec(this.#text)?.[0] ?? "";
    this.#at += taken.length;
    return taken;
  }

  #skip<T>(word: string, value: T): T {
    this.#at += word.length;
    return value;
  }
}
