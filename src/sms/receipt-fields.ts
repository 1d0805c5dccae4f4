// What is kept and shown of the text of a delivery receipt. It may repeat the text of the message,
// which is erased at its time, and which staff see only where it is audited. Pure.

const fieldsAtFirst =
  /^\s*id\s*:(?:\s*[^\s,;:]+(?![^\s,;]*\s*:))?(?:[\s,;]+(?:sub|dlvrd|submit date|done date|stat|err)\s*:\s*[^\s,;:]*)*/i;

/**
 * The fields that a receipt begins with (SMPP 3.4 appendix B). In any other form nobody knows where
 * the text of the message stands: "".
 */
export function receiptFields(whole: string): string {
  return fieldsAtFirst.exec(whole)?.[0].trim() ?? "";
}
