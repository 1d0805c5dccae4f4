// Who changed an object last by hand, so that a file does not undo it unseen.
import type { Queryable } from "./database.ts";

export interface LastChange {
  readonly kind: string;
  readonly name: string;
  readonly who: string;
  readonly at: Date;
}

/** Of these objects, those whose last entry in the audit is of somebody in the console: one index descent each. */
export function listLastConsoleChanges(
  db: Queryable,
  objects: readonly { readonly kind: string; readonly name: string }[],
): Promise<LastChange[]> {
  return db.query<LastChange>({
    name: "listLastConsoleChanges",
    text: `/* listLastConsoleChanges */
select given.kind, given.name, last.who, last.at
  from unnest($1::text[], $2::text[]) as given (kind, name)
  cross join lateral (
    select who, at from audit_entry a where a.kind = given.kind and a.name = given.name order by a.id desc limit 1) last
 where last.who like 'staff:%' or last.who like 'user:%'`,
    values: [objects.map(({ kind }) => kind), objects.map(({ name }) => name)],
  });
}
