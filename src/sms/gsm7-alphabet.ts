// The GSM 7 bit default alphabet and its extension table (3GPP TS 23.038 §6.2.1), and counting by
// them. Runs in browsers, too: the console counts as the gateway does.

export const escapeSeptet = 0x1b;

// The index is the septet. 0x1b is the escape to the extension table and stands for no character.
export const defaultAlphabet =
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

export const extensionUnits: ReadonlyMap<number, number> = new Map(
  extensionTable.map(([septet, character]) => [septet, character.charCodeAt(0)]),
);

// By UTF-16 unit: -1 outside the alphabet, 0..0x7f a septet, 0x100 + septet after an escape. "€" is
// the highest unit.
export const outside = -1;
export const escaped = 0x100;
export const septetByUnit = buildSeptetTable();

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
