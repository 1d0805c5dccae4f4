// The conditions of a list, of which each is there only if its value is given. The statement has no
// name, because its text depends on them: PostgreSQL plans it for these values.

export interface Conditions {
  /** To stand after `where`. */
  readonly text: string;
  readonly values: unknown[];
  /** Adds a value, and answers its placeholder. */
  readonly value: (value: unknown) => string;
}

/**
 * `given`: conditions with `?` in the place of the value; undefined leaves one out. `values`: those of
 * other conditions of the statement.
 */
export function conditions(given: Readonly<Record<string, unknown>>, values: unknown[] = []): Conditions {
  const value = (one: unknown): string => `$${values.push(one)}`;
  const texts = Object.entries(given).flatMap(([text, one]) =>
    one === undefined ? [] : [text.replaceAll("?", value(one))],
  );
  return { text: texts.length === 0 ? "true" : texts.join(" and "), values, value };
}
