// Names and references: text on one line, without what nobody sees. Pure.

/**
 * No blank at either end, and no control or format characters, except the half-space between two
 * letters: Persian words are written with it.
 */
export function isOneLine(text: string): boolean {
  return /^[^\s\p{C}](?:(?:[^\p{C}]|(?<=\p{L}|\p{Mn})\u200c(?=\p{L}))*[^\s\p{C}])?$/u.test(text);
}
