// Smaller inputs than a given one, of the same shape: texts and lists lose pieces, characters
// become plain, numbers become small. Keys of objects stay, for they are the target's own.
import { isFields, type Value } from "./value.ts";

/** Boldest first. */
export function* smaller(value: Value): Generator<Value> {
  if (typeof value === "string") yield* smallerTexts(value);
  else if (typeof value === "number") yield* smallerNumbers(value);
  else if (value === true) yield false;
  else if (Array.isArray(value)) yield* smallerLists(value as readonly Value[]);
  else if (isFields(value)) {
    for (const [key, item] of Object.entries(value)) for (const less of smaller(item)) yield { ...value, [key]: less };
  }
}

function* smallerTexts(text: string): Generator<string> {
  yield* withoutPieces(text.length, (from, to) => text.slice(0, from) + text.slice(to));
  for (let index = 0; index < Math.min(text.length, 200); index += 1) {
    const plain = text.charCodeAt(index) < 0x20 ? "\0" : "a";
    if (text[index] !== plain) yield text.slice(0, index) + plain + text.slice(index + 1);
  }
}

function* smallerNumbers(number: number): Generator<number> {
  for (const less of [0, 1, Math.trunc(number / 2)]) if (Math.abs(less) < Math.abs(number)) yield less;
}

function* smallerLists(list: readonly Value[]): Generator<Value> {
  yield* withoutPieces(list.length, (from, to) => [...list.slice(0, from), ...list.slice(to)]);
  for (const [index, item] of list.entries()) {
    for (const less of smaller(item)) yield [...list.slice(0, index), less, ...list.slice(index + 1)];
  }
}

/** Halves, then quarters, down to single elements. */
function* withoutPieces<Whole>(length: number, without: (from: number, to: number) => Whole): Generator<Whole> {
  for (let size = length; size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < length; from += size) yield without(from, Math.min(from + size, length));
  }
}

/**
 * The smallest input that still fails, as far as `tries` candidates lead. `fails` answers whether a
 * candidate shows the same fault.
 */
export async function shrink(
  input: Value,
  fails: (candidate: Value) => Promise<boolean>,
  isOver: () => boolean,
): Promise<Value> {
  let least = input;
  for (;;) {
    const next = await firstFailing(least, fails, isOver);
    if (next === undefined) return least;
    least = next;
  }
}

async function firstFailing(
  input: Value,
  fails: (candidate: Value) => Promise<boolean>,
  isOver: () => boolean,
): Promise<Value | undefined> {
  for (const candidate of smaller(input)) {
    if (isOver()) return undefined;
    if (await fails(candidate)) return candidate;
  }
  return undefined;
}
