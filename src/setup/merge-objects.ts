// Puts given keys over stored ones: a key that is given replaces the whole old value, and one that
// is absent stays as it is, or takes the default in a new object. Pure.
import type { SetupField, Fields, KeyedValue } from "../fields/field.ts";
import type { KindOfObject } from "../texts/setup-texts.ts";
import { kindText, type SetupFault } from "./fault.ts";
import type { Given } from "./sections.ts";

type Keys = Readonly<Record<string, unknown>>;

export interface MergeTable {
  readonly kind: KindOfObject;
  readonly fields: Fields;
}

/** Records what a new object lacks. */
export function mergeObject(
  { kind, fields }: MergeTable,
  old: Keys | undefined,
  { place, values }: Given<unknown>,
  faults: SetupFault[],
): Keys {
  const given = values as Keys;
  const merged: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(fields)) {
    const stored = field.resets === true ? undefined : old?.[key];
    const value = field.kind === "keyed" ? mergeKeyed(field, old?.[key], given[key], faults) : given[key];
    merged[key] = value !== undefined ? value : stored !== undefined ? stored : field.default;
    if (merged[key] === undefined)
      faults.push({ path: [...place.path, key], key: "requiredForNew", values: { kind: kindText(kind) } });
  }
  return merged;
}

/** The whole list: what it does not name is gone. Undefined: it is not given. */
function mergeKeyed(field: KeyedValue, old: unknown, given: unknown, faults: SetupFault[]): unknown {
  if (given === undefined) return undefined;
  const stored = old as ReadonlyMap<string, Keys> | undefined;
  const table = { kind: field.item, fields: field.fields };
  return new Map(
    (given as readonly Given<unknown>[]).map((item) => [
      item.name,
      mergeObject(table, stored?.get(item.name), item, faults),
    ]),
  );
}

/**
 * What a whole replacement starts from: of the stored object only what it may leave out, its
 * secrets and the lists that others manage.
 */
export function bareObject(fields: Fields, stored: Keys): Keys {
  const isKept = ([key]: [string, unknown]): boolean => fields[key] === undefined || isLeftOut(fields[key]);
  return Object.fromEntries(Object.entries(stored).filter(isKept));
}

function isLeftOut({ secret, kept }: SetupField): boolean {
  return secret === true || kept === true;
}
