// What a change to the program is that a test has to notice. Pure.

export interface Change {
  /** What is broken, in a few words joined by dashes. */
  readonly name: string;
  /** Below src/. */
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly from: string;
  readonly to: string;
  /**
   * Where the tests of it stand, if not in the file's mirror or its room: files or folders below
   * test/.
   */
  readonly tests?: readonly string[];
  /** Why no test can notice it, or need not. Without it a change that survives is a fault. */
  readonly survives?: string;
}

export class ChangeDoesNotApply extends Error {
  override readonly name = "ChangeDoesNotApply";
}

/**
 * The source with the change. Throws ChangeDoesNotApply where the text to be changed does not stand
 * in it exactly once.
 */
export function applyChange(source: string, { name, file, from, to }: Change): string {
  const places = source.split(from).length - 1;
  if (from === "" || places !== 1) {
    throw new ChangeDoesNotApply(`${name}: src/${file} holds the text ${places} times, not once: ${from}`);
  }
  if (from === to) throw new ChangeDoesNotApply(`${name}: changes nothing`);
  return source.replace(from, () => to);
}

/**
 * The tests that may notice the change, in the order to ask them: the file's mirror, then its room,
 * then what the change names. Each step is asked only where all before it noticed nothing. `exists`
 * is asked for paths below test/.
 */
export function testSteps(change: Change, exists: (path: string) => boolean): readonly (readonly string[])[] {
  const mirror = change.file.replace(/\.ts$/, ".test.ts");
  const room = change.file.includes("/") ? change.file.slice(0, change.file.indexOf("/")) : undefined;
  const named = change.tests ?? [];
  const steps = [[mirror], [...named], room === undefined ? [] : [room]];
  return steps.map((paths) => paths.filter(exists)).filter((paths) => paths.length > 0);
}
