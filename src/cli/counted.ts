// Counts with their nouns, for sentences of the commands.

/** `1 row`, `3 rows`. */
export function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`;
}
