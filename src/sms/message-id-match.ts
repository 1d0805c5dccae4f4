// Matches the id in a receipt with the id of submit_sm_resp. The same number may come in another
// base, or with other zeros, case, blanks or dashes (setup `messageIdFormat`). Returns keys to look
// up, best first; the caller checks whether a key is unambiguous. Numbers are bigints because ids
// exceed 64 bits.

/** How receipts write the id. auto: exact text first, then equal numbers. */
export type MessageIdFormat = "auto" | "decimal" | "hex";

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const decimalForm = /^[0-9]+$/;
const hexForm = /^[0-9a-f]+$/;
const leadingZeros = /^0+(?=.)/;

/**
 * The index key of an id: lower case, without surrounding blanks, leading zeros, "0x" or the dashes
 * of a UUID.
 */
export function messageIdKey(id: string): string {
  const plain = id.trim().toLowerCase();
  const digits = plain.startsWith("0x") ? plain.slice(2) : plain;
  const joined = uuidForm.test(digits) ? digits.replaceAll("-", "") : digits;
  return joined.replace(leadingZeros, "");
}

/** The keys under which the receipt's submission may be indexed, best first; none without an id. */
export function receiptIdCandidates(receiptId: string, format: MessageIdFormat): readonly string[] {
  const key = messageIdKey(receiptId);
  if (key === "") return [];
  return [...new Set(candidateKeys(key, format))].filter((candidate) => candidate !== undefined);
}

// A configured format means that the text is in another base, so the converted number comes first.
function candidateKeys(key: string, format: MessageIdFormat): readonly (string | undefined)[] {
  switch (format) {
    case "auto":
      return [key, decimalToHex(key), hexToDecimal(key)];
    case "decimal":
      return [decimalToHex(key), key];
    case "hex":
      return [hexToDecimal(key), key];
  }
}

function decimalToHex(key: string): string | undefined {
  return decimalForm.test(key) ? BigInt(key).toString(16) : undefined;
}

function hexToDecimal(key: string): string | undefined {
  return hexForm.test(key) ? BigInt(`0x${key}`).toString() : undefined;
}
