// The GSM 7 bit default alphabet and its extension table (3GPP TS 23.038 §6.2.1): counting,
// encoding and decoding. Texts are unpacked, one septet per octet, as SMPP carries them; packing is
// left to the air interface. Encoding never replaces a character: passing a text outside the
// alphabet is an error of the caller.

export const escapeSeptet = 0x1b;

// The index is the septet. 0x1b is the escape to the extension table and stands for no character.
const defaultAlphabet =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
  "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";

const extensionTable: readonly (readonly [number, string])[] = [
  [0x0a, "\f"],
  [0x14, "^"],
  [0x28, "{"],
  [0x29, "}"],
  [0x2f, "\\"],
  [0x3c, "["],
  [0x3d, "~"],
  [0x3e, "]"],
  [0x40, "|"],
  [0x65, "€"],
];

const extensionUnits: ReadonlyMap<number, number> = new Map(
  extensionTable.map(([septet, character]) => [septet, character.charCodeAt(0)]),
);

// By UTF-16 unit: -1 outside the alphabet, 0..0x7f a septet, 0x100 + septet after an escape. "€" is
// the highest unit.
const outside = -1;
const escaped = 0x100;
const septetByUnit = buildSeptetTable();

function buildSeptetTable(): Int16Array {
  const table = new Int16Array("€".charCodeAt(0) + 1).fill(outside);
  for (let septet = 0; septet < defaultAlphabet.length; septet += 1) {
    if (septet !== escapeSeptet) table[defaultAlphabet.charCodeAt(septet)] = septet;
  }
  for (const [septet, character] of extensionTable) table[character.charCodeAt(0)] = escaped | septet;
  return table;
}

/** Septets of a UTF-16 unit: 1, 2 in the extension table, 0 outside the alphabet. */
export function septetCost(unit: number): 0 | 1 | 2 {
  const entry = septetByUnit[unit] ?? outside;
  if (entry < 0) return 0;
  return entry < escaped ? 1 : 2;
}

export function isGsm7(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if ((septetByUnit[text.charCodeAt(index)] ?? outside) < 0) return false;
  }
  return true;
}

/**
 * Unpacked septets. An extension character becomes 0x1b and its code. Throws unless `isGsm7(text)`.
 */
export function encodeGsm7(text: string): Buffer {
  const octets = Buffer.allocUnsafe(text.length * 2);
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    const entry = septetByUnit[text.charCodeAt(index)] ?? outside;
    if (entry < 0) throw new RangeError(`unit ${index} of the text is not in the GSM 7 bit alphabet`);
    if (entry >= escaped) octets[length++] = escapeSeptet;
    octets[length++] = entry & 0x7f;
  }
  return octets.subarray(0, length);
}

/**
 * The text of unpacked septets; any octets give a text. A code that the extension table lacks
 * becomes the character of the default table, and a repeated or final escape becomes a space (3GPP
 * TS 23.038 §6.2.1.1). An octet above 0x7f is not a septet. It is read as Latin-1, because that is
 * what peers that send one mean.
 */
export function decodeGsm7(octets: Uint8Array): string {
  // Collects units, because a string built character by character takes thirty times the memory.
  const units = new Uint16Array(octets.length);
  let length = 0;
  for (let index = 0; index < octets.length; index += 1) {
    const octet = octets[index] ?? 0;
    if (octet !== escapeSeptet) {
      units[length++] = defaultUnit(octet);
      continue;
    }
    index += 1;
    const next = octets[index];
    units[length++] =
      next === undefined || next === escapeSeptet ? space : (extensionUnits.get(next) ?? defaultUnit(next));
  }
  return Buffer.from(units.buffer, 0, length * 2).toString("utf16le");
}

const space = 0x20;

function defaultUnit(octet: number): number {
  return octet < defaultAlphabet.length ? defaultAlphabet.charCodeAt(octet) : octet;
}
