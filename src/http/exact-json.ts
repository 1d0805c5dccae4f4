// Reads JSON a second time and keeps the text of each number. JSON.parse changes 12345678901234567,
// shortens 1250.00, and does not expose its source. Pure, linear time. Only for texts that
// JSON.parse accepts and json-body.ts has limited; it checks nothing itself.

/** A number as it is written in the body. */
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

/** The same value as JSON.parse, except that numbers are `JsonNumber`s. */
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
    // Has no prototype, so that __proto__ is an ordinary name.
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

  /** Skips the opening bracket or a comma. Skips the end too, and then returns false. */
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

  /** The next character that is not white space, without consuming it. */
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
