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

/**
 * Septets packed into octets (3GPP TS 23.038 §6.1.2.1.1). Behind a user data header of
 * `headerOctets` they begin at the next septet boundary (23.040 §9.2.3.24).
 */
export function packSeptets(septets: Uint8Array, headerOctets = 0): Buffer {
  const start = fillBits(headerOctets);
  const octets = Buffer.alloc(Math.ceil((start + septets.length * septetBits) / 8));
  septets.forEach((septet, index) => {
    const bit = start + index * septetBits;
    const at = bit >> 3;
    const shifted = septet << (bit & 7);
    octets[at] = (octets[at] ?? 0) | (shifted & 0xff);
    if (shifted > 0xff) octets[at + 1] = shifted >> 8;
  });
  return octets;
}

/**
 * Undoes `packSeptets`. Seven unused bits at the end look like one more septet of 0: it is dropped,
 * because the length in septets is not known.
 */
export function unpackSeptets(octets: Uint8Array, headerOctets = 0): Buffer {
  const start = fillBits(headerOctets);
  const bits = octets.length * 8 - start;
  const septets = Buffer.alloc(Math.max(0, Math.floor(bits / septetBits)));
  for (let index = 0; index < septets.length; index += 1) {
    const bit = start + index * septetBits;
    const at = bit >> 3;
    const pair = (octets[at] ?? 0) | ((octets[at + 1] ?? 0) << 8);
    septets[index] = (pair >> (bit & 7)) & 0x7f;
  }
  const mayBePadding = bits % septetBits === 0 && septets.at(-1) === 0;
  return mayBePadding ? septets.subarray(0, -1) : septets;
}

const septetBits = 7;

function fillBits(headerOctets: number): number {
  return (septetBits - ((headerOctets * 8) % septetBits)) % septetBits;
}
