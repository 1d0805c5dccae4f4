// The texts of `fc.string({ unit: "binary" })`, which has any code points but the halves of pairs.
// That one fills a table of all 1.1 million of them first: more than a second in each process.
import fc from "fast-check";

const highest = 0x10_ffff;
const firstHalf = 0xd800;
const halves = 0x800;

const codePoint = fc.nat(highest - halves).map(
  (place) => String.fromCodePoint(place < firstHalf ? place : place + halves),
  (character) => {
    const value = typeof character === "string" ? character.codePointAt(0) : undefined;
    const isHalf = value !== undefined && value >= firstHalf && value < firstHalf + halves;
    // What this throws tells fast-check that the text cannot be made of such units.
    if (value === undefined || isHalf || String.fromCodePoint(value) !== character) throw new Error("no code point");
    return value < firstHalf ? value : value - halves;
  },
);

export function unicodeText(constraints: Omit<fc.StringConstraints, "unit"> = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: codePoint });
}
