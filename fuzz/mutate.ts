// Ways to spoil what is sound: octets, texts, JSON. Each takes a sample and answers another one,
// mostly near to it, sometimes far away.
import type { Random } from "./random.ts";
import { isFields, octetsOf, textOfOctets, type Value } from "./value.ts";

const boundaryOctets = ["\0", "\x01", "\x02", "\x05", "\x0f", "\x10", "\x7f", "\x80", "\xfe", "\xff"];
const boundaryIntegers = [
  0, 1, 3, 4, 15, 16, 17, 255, 256, 0xffff, 0x10000, 0x10001, 0x7fffffff, 0x80000000, 0xffffffff,
];
const mostChanges = 4;

/** Bit flips, lost and repeated pieces, lengths that lie, pieces of another sample. */
export function mutateOctets(random: Random, sample: string, other: string): string {
  let octets = sample;
  for (let left = random.between(1, mostChanges); left > 0; left -= 1) octets = changeOctets(random, octets, other);
  return octets;
}

function changeOctets(random: Random, octets: string, other: string): string {
  const at = random.below(octets.length + 1);
  const end = Math.min(octets.length, at + 1 + random.below(random.chance(0.8) ? 4 : 64));
  const put = (text: string, until = end): string => octets.slice(0, at) + text + octets.slice(until);
  return random.oneOf(
    () => put(String.fromCharCode((octets.charCodeAt(at) || 0) ^ (1 << random.below(8))), at + 1),
    () => put(random.pick(boundaryOctets), at + 1),
    () => put(random.octets(random.between(1, 8))),
    () => put(""),
    () => octets.slice(0, at),
    () => put(octets.slice(at, end).repeat(random.between(2, 40))),
    () => put(other.slice(random.below(other.length + 1), undefined)),
    () => put(integer(random, octets.length, 4), at + 4),
    () => put(integer(random, octets.length, 2), at + 2),
    () => octets + random.octets(random.between(1, 40)),
  );
}

/** Big-endian, often about the length of the whole. */
function integer(random: Random, length: number, octets: 2 | 4): string {
  const value = random.chance(0.5) ? length + random.between(-5, 5) : random.pick(boundaryIntegers);
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(value >>> 0);
  return textOfOctets(buffer.subarray(4 - octets));
}

/** Of a 32-bit length at the beginning of `octets`, made true again. */
export function withTrueLength(octets: string): string {
  const buffer = octetsOf(octets);
  if (buffer.length >= 4) buffer.writeUInt32BE(buffer.length, 0);
  return textOfOctets(buffer);
}

/** What programs that read text trip over. */
export const oddTexts: readonly string[] = [
  "",
  " ",
  "\t",
  "\r\n",
  "\0",
  "\x1b",
  "\x7f",
  "\u0085",
  "\u00a0",
  "\ufeff",
  "\ufffd",
  "\uffff",
  // Bidi controls, joiners, a lone surrogate of either half, a pair, a family, marks piled up,
  // Arabic ligatures.
  "\u202e",
  "\u2066",
  "\u2069",
  "\u200c",
  "\u200d",
  "\u200f",
  "\ud800",
  "\udc00",
  "\udc80",
  "\ud83d\ude00",
  "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}",
  "e\u0301\u0301\u0301",
  "\ufdfd",
  "\u0130",
  "ß",
  "ﬀ",
  "ك",
  "ک",
  "ي",
  "ی",
  // Digits of other scripts, numbers that are none or too long.
  "۰۹۱۲۳۴۵۶۷۸۹",
  "٠٩١٢",
  "１２",
  "-0",
  "1e400",
  "1e-7",
  "0x10",
  "9007199254740993",
  "NaN",
  "Infinity",
  "null",
  "true",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "{",
  "}",
  "{code}",
  "{{code}}",
  "{}",
  "${x}",
  "%s",
  "%00",
  "%",
  "%zz",
  "%ED%A0%80",
  "%C0%AF",
  "%FF",
  "+",
  "&",
  "=",
  "&&==",
  "[]",
  "[0]",
  "[999999999]",
  "[-1]",
  "'",
  '"',
  "\\",
  "<b>",
  "--",
  ";",
  ",",
  "' or 1=1 --",
  "../../etc/passwd",
  "id:1 sub:001 stat:DELIVRD err:000 text:",
  "*",
  "&a",
  "*a",
  "!!js/function x",
  "!!binary x",
];

/** Now and then many times itself, up to a mebibyte: what is not linear shows only there. */
export function perhapsRepeated(random: Random, text: string): string {
  if (text === "" || !random.chance(0.005)) return text;
  const start = random.between(0, text.length - 1);
  const piece = text.slice(start, start + random.between(1, 40));
  return text.slice(0, start) + piece.repeat(Math.floor((1 << 20) / piece.length)) + text.slice(start);
}

export function mutateText(random: Random, sample: string, other: string): string {
  let text = sample;
  for (let left = random.between(1, mostChanges); left > 0; left -= 1) text = changeText(random, text, other);
  return text;
}

function changeText(random: Random, text: string, other: string): string {
  const at = random.below(text.length + 1);
  const end = Math.min(text.length, at + random.below(12));
  const put = (piece: string): string => text.slice(0, at) + piece + text.slice(end);
  return random.oneOf(
    () => put(random.pick(oddTexts)),
    () => text.slice(0, at) + random.pick(oddTexts) + text.slice(at),
    () => put(""),
    () => text.slice(0, at),
    () => put(text.slice(at, end).repeat(random.between(2, 30))),
    () => put(random.pick(oddTexts).repeat(random.between(2, 200))),
    () => put(String.fromCharCode(random.below(0x10000))),
    () => put(other.slice(random.below(other.length + 1))),
  );
}

const oddNumbers = [
  0,
  -0,
  1,
  -1,
  0.5,
  1e21,
  1e-7,
  2 ** 31,
  2 ** 53,
  2 ** 53 - 1,
  -(2 ** 31),
  1e308,
  1893456000,
  4102444800,
];

/** A value of any kind, mostly shallow. */
export function anyValue(random: Random, depth = 3): Value {
  return random.oneOf<Value>(
    () => null,
    () => random.chance(0.5),
    () => random.pick(oddNumbers),
    () => random.pick(oddTexts),
    () => random.pick(oddTexts).repeat(random.between(1, 300)),
    () => (depth === 0 ? [] : random.list(0, 4, () => anyValue(random, depth - 1))),
    () => (depth === 0 ? {} : objectOf(random.list(0, 4, () => [random.pick(oddTexts), anyValue(random, depth - 1)]))),
    () => nested(random.between(5, 200)),
  );
}

function objectOf(entries: readonly (readonly [string, Value])[]): Value {
  return Object.fromEntries(entries);
}

function nested(depth: number): Value {
  let value: Value = [];
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** One place of a document becomes something else, goes, or comes twice. */
export function mutateValue(random: Random, value: Value): Value {
  if (Array.isArray(value) && value.length > 0 && random.chance(0.85)) return mutateList(random, value as Value[]);
  if (isFields(value) && Object.keys(value).length > 0 && random.chance(0.9)) return mutateFields(random, value);
  if (typeof value === "string" && random.chance(0.6)) return mutateText(random, value, random.pick(oddTexts));
  return anyValue(random);
}

function mutateList(random: Random, list: readonly Value[]): Value {
  const at = random.below(list.length);
  const item = list[at] ?? null;
  const put = (...items: Value[]): Value => [...list.slice(0, at), ...items, ...list.slice(at + 1)];
  return random.oneOf<Value>(
    () => put(mutateValue(random, item)),
    () => put(mutateValue(random, item)),
    () => put(),
    () => put(item, item),
    () => [...list, ...new Array<Value>(random.between(1, 120)).fill(item)],
    () => put([item]),
  );
}

function mutateFields(random: Random, fields: Readonly<Record<string, Value>>): Value {
  const key = random.pick(Object.keys(fields));
  const item = fields[key] ?? null;
  const others = Object.entries(fields).filter(([name]) => name !== key);
  const put = (name: string, changed: Value): Value => Object.fromEntries([...others, [name, changed]]);
  return random.oneOf<Value>(
    () => put(key, mutateValue(random, item)),
    () => put(key, mutateValue(random, item)),
    () => put(key, mutateValue(random, item)),
    () => Object.fromEntries(others),
    () => put(mutateText(random, key, random.pick(oddTexts)), item),
    () => put(random.chance(0.5) ? key.toUpperCase() : key.toLowerCase(), item),
    () => ({ ...fields, [random.pick(oddTexts)]: anyValue(random) }),
  );
}

const overlongNumbers = [
  "1e400",
  "-1e400",
  `0.${"0".repeat(500)}1`,
  "9".repeat(400),
  "1e99999999999",
  "-0.0e-0",
  "01",
  "+1",
  ".5",
  "0x1F",
];

/**
 * JSON text of a value, with what no writer of JSON would write: keys twice, overlong numbers, odd
 * white space, no end.
 */
export function writeOddJson(random: Random, value: Value): string {
  const text = JSON.stringify(value);
  if (random.chance(0.6)) return text;
  return random.oneOf(
    () => text.replace(/"(\w+)":/, (key) => `${key}${JSON.stringify(anyValue(random))},${key}`),
    () => text.replace(/:("[^"]*"|\d+)/, () => `:${random.pick(overlongNumbers)}`),
    () => `\ufeff \r\n\t${text}`,
    () => `${text}${random.pick([" ", "\0", "}", "]", text, ",", "null"])}`,
    () => text.slice(0, random.below(text.length)),
    () =>
      text.replace(/[a-z]/g, (letter) => (random.chance(0.1) ? `\\u00${letter.charCodeAt(0).toString(16)}` : letter)),
    () =>
      text.replace(
        /"$|"(?=[,}\]])/,
        () => `${random.pick(["\\ud800", "\\udfff\\ud800", "\\u0000", "\\u202e", "\\x41"])}"`,
      ),
    () => mutateText(random, text, text),
  );
}

/** A body that is JSON or nearly so, as octets. */
export function anyBody(random: Random, sound: Value): string {
  let document = sound;
  for (let left = random.between(0, 3); left > 0; left -= 1) document = mutateValue(random, document);
  const octets = textOfOctets(Buffer.from(writeOddJson(random, document), "utf8"));
  return random.chance(0.1) ? mutateOctets(random, octets, octets) : octets;
}
