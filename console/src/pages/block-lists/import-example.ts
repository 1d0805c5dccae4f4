// The command that makes a block list, to be pasted into a shell. Pure.

export function importExample(name: string): string {
  return `hodhod block-list import ${quoted(name)} numbers.txt`;
}

/** Between apostrophes a shell takes all but an apostrophe as it stands. */
function quoted(word: string): string {
  return /^[\w.-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
