// Merges a form with its object, which somebody else has changed meanwhile. Typed values stay; all
// other fields take the present values. Pure.

export type Fields = Readonly<Record<string, unknown>>;

interface Merged {
  readonly fields: Fields;
  /** Typed here, and changed to something else there. */
  readonly contested: readonly string[];
}

/** `before`: what the form began with. */
export function mergeTyped(before: Fields, typed: Fields, now: Fields): Merged {
  const names = [...new Set([...Object.keys(now), ...Object.keys(typed)])];
  const mine = names.filter((name) => name in typed && !same(typed[name], before[name]));
  return {
    fields: { ...now, ...Object.fromEntries(mine.map((name) => [name, typed[name]])) },
    contested: mine.filter((name) => name in now && !same(now[name], before[name]) && !same(now[name], typed[name])),
  };
}

/**
 * The keys without a field in the form. They are sent back with a change, because a key that a
 * change leaves out takes its default.
 */
export function notShown(stored: Fields, shown: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(stored).filter(([key]) => !shown.includes(key)));
}

function same(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
