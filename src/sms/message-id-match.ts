// Finds the id of submit_sm_resp in the id of a receipt: the same number may come in another base, with other zeros,
// case, blanks or dashes (setup `messageIdFormat`). Gives keys to look for, best first; whether a key is
// unambiguous is for the caller to see. Numbers are bigints: ids go beyond 64 bit.

/** How receipts name the id; auto: exact text first, then equal numbers. */
export type MessageIdFormat = "auto" | "decimal" | "hex";

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const decimalForm = /^[0-9]+$/;
const hexForm = /^[0-9a-f]+$/;
const leadingZeros = /^0+(?=.)/;

/** What ids are indexed by: lower case, without blanks around, leading zeros, "0x" or the dashes of a UUID. */
export function messageIdKey(id: string): string {
  const plain = id.trim().toLowerCase();
  const digits = plain.startsWith("0x") ? plain.slice(2) : plain;
  const joined = uuidForm.test(digits) ? digits.replaceAll("-", "") : digits;
  return joined.replace(leadingZeros, "");
}

/** Keys under which the submission of this receipt may be indexed, best first; none for a receipt without an id. */
export function receiptIdCandidates(receiptId: string, format: MessageIdFormat): readonly string[] {
  const key = messageIdKey(receiptId);
  if (key === "") return [];
  return [...new Set(candidateKeys(key, format))].filter((candidate) => candidate !== undefined);
}

// A format that was set says that the text itself is in another base, so the converted number is the better guess.
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
