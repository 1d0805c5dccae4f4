// What the input of every target is made of: plain values that cross into a worker, can be written
// down, and can be made smaller without knowing what they mean. Octets are texts of one character
// an octet (latin1).

export type Value = null | boolean | number | string | readonly Value[] | { readonly [key: string]: Value };

export type Fields = Readonly<Record<string, Value>>;

export function isFields(value: Value): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function octetsOf(text: string): Buffer {
  return Buffer.from(text, "latin1");
}

export function textOfOctets(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString("latin1");
}

/**
 * As an expression of TypeScript. `JSON.stringify` escapes lone surrogates; the invisible
 * characters it leaves are escaped here.
 */
export function writeExpression(value: Value): string {
  return JSON.stringify(value, undefined, 2).replace(
    /[\u007f-\u00a0\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Octets as an expression of TypeScript. */
export function writeOctets(text: string): string {
  return `Buffer.from("${octetsOf(text).toString("hex")}", "hex")`;
}
