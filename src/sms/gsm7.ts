// Encodes and decodes texts in the GSM 7 bit default alphabet (3GPP TS 23.038 §6.2.1). Texts are
// unpacked, one septet per octet, as SMPP carries them; packing is left to the air interface.
// Encoding never replaces a character: passing a text outside the alphabet is an error of the
// caller.
import { defaultAlphabet, escaped, escapeSeptet, extensionUnits, outside, septetByUnit } from "./gsm7-alphabet.ts";

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
