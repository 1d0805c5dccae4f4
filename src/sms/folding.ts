// Folds a text to the form in which words are compared: what people write differently and mean
// alike becomes equal. Each character folds by itself, so time and memory are linear. Pure.

// What folds to nothing: diacritics (also those that NFKD splits off), kashida, zero-width signs.
const dropped = /[\p{Mn}\p{Me}\p{Cf}\p{Default_Ignorable_Code_Point}\u0640]/gu;
const blank = /[\s\u0085]+/gu;
const punctuation = /^\p{P}$/u;

// Letters that NFKD leaves apart although people type one for the other.
const letters = new Map([
  ["\u064A", "\u06CC"], // Arabic yeh
  ["\u0649", "\u06CC"], // alef maksura
  ["\u06D2", "\u06CC"], // yeh barree
  ["\u0643", "\u06A9"], // Arabic kaf
  ["\u06AA", "\u06A9"], // swash kaf
  ["\u0629", "\u0647"], // teh marbuta
  ["\u06BE", "\u0647"], // heh doachashmee
  ["\u06C1", "\u0647"], // heh goal
  ["\u06C3", "\u0647"], // teh marbuta goal
  ["\u06D5", "\u0647"], // ae
  ["\u0671", "\u0627"], // alef wasla
]);
const localLetterOrDigit =
  /[\u0660-\u0669\u06F0-\u06F9\u0629\u0643\u0649\u064A\u0671\u06AA\u06BE\u06C1\u06C3\u06D2\u06D5]/g;

/** Folded characters by code unit, made when they are first needed. Surrogates stay apart. */
const known: (string | undefined)[] = new Array<string | undefined>(0x10000);
/** 1 for code units known to fold to themselves, blanks apart. */
const unchanged = new Uint8Array(0x10000);
const blankUnit = 0x20;

/**
 * Folds case, letter forms and digits of Arabic and Persian; drops diacritics, kashida and
 * zero-width signs; makes one blank of many, and leaves none, nor punctuation, at the ends.
 * Folding a folded text changes nothing.
 */
export function foldText(text: string): string {
  let folded = "";
  let endsInBlank = false;
  /** From here on nothing has changed: most characters are copied many at a time. */
  let copied = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unchanged[unit] === 1 || (unit === blankUnit && !endsInBlank)) {
      endsInBlank = unit === blankUnit;
      continue;
    }
    if (copied < index) folded += text.slice(copied, index);
    let character = known[unit];
    if (character === undefined) {
      const whole = String.fromCodePoint(text.codePointAt(index) ?? unit);
      character = foldCharacter(whole);
      // Half of a surrogate pair is not remembered: it folds otherwise where the pair is whole.
      if (whole.length === 2) index += 1;
      else if (!isSurrogate(unit)) remember(unit, character);
    }
    copied = index + 1;
    if (character === "" || (endsInBlank && character === " ")) continue;
    folded += character;
    endsInBlank = character.endsWith(" ");
  }
  return trimEnds(folded + text.slice(copied));
}

function remember(unit: number, character: string): void {
  known[unit] = character;
  if (unit !== blankUnit && character === String.fromCharCode(unit)) unchanged[unit] = 1;
}

/** For texts that are compared without their blanks. */
export function foldWithoutBlanks(text: string): string {
  return foldText(text).replaceAll(" ", "");
}

function foldCharacter(character: string): string {
  const plain = character.normalize("NFKD").replace(dropped, "").replace(localLetterOrDigit, oneForm);
  // By way of capitals: only so ß and ss, or the two forms of a Greek sigma, become equal.
  const lower = plain.toLowerCase().toUpperCase().toLowerCase();
  return lower.normalize("NFKD").replace(dropped, "").replace(blank, " ");
}

// Both blocks of digits start at a multiple of 16, so the low four bits are the digit.
function oneForm(character: string): string {
  return letters.get(character) ?? String(character.charCodeAt(0) & 0xf);
}

function trimEnds(folded: string): string {
  let start = 0;
  let end = folded.length;
  while (start < end && isEdge(characterAt(folded, start))) start += characterAt(folded, start).length;
  while (start < end && isEdge(characterBefore(folded, end))) end -= characterBefore(folded, end).length;
  return folded.slice(start, end);
}

function isEdge(character: string): boolean {
  return character === " " || punctuation.test(character);
}

function characterAt(text: string, index: number): string {
  return String.fromCodePoint(text.codePointAt(index) ?? 0);
}

function characterBefore(text: string, end: number): string {
  const start = end > 1 && isLowSurrogate(text.charCodeAt(end - 1)) ? end - 2 : end - 1;
  const character = characterAt(text, start);
  return character.length === end - start ? character : text.slice(end - 1, end);
}

function isSurrogate(unit: number): boolean {
  return (unit & 0xf800) === 0xd800;
}

function isLowSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00;
}
