// The objects that an object names, by what its fields declare: what must be there, what keeps an
// object from being removed, and what --prune keeps. Pure.
import type { Fields, ReferredSection, ValueKind } from "../fields/field.ts";
import { settingsFields } from "../fields/service-fields.ts";
import { kindText, type SetupFault, type SetupPath } from "./fault.ts";
import {
  type Given,
  isList,
  listNames,
  listSections,
  namedSections,
  type ObjectName,
  sectionNames,
  type Setup,
  type SetupState,
} from "./sections.ts";
import { unknownOperator } from "../sms/numbering-plan.ts";
import type { LocalizedText } from "../texts/localize.ts";

type Keys = Readonly<Record<string, unknown>>;

export interface Reference {
  readonly section: ReferredSection;
  readonly name: string;
  /** Below the object. */
  readonly path: SetupPath;
}

/** Of an object as it is given, or as it is stored. */
function referencesOf(fields: Fields, values: object): readonly Reference[] {
  const found: Reference[] = [];
  for (const [key, value] of Object.entries(values as Keys)) {
    const field = fields[key];
    if (field !== undefined && value !== null && value !== undefined) collect(field, value, [key], found);
  }
  return found;
}

function collect(kind: ValueKind, value: unknown, path: SetupPath, found: Reference[]): void {
  if (kind.kind === "text" && kind.refersTo !== undefined) {
    const name = value as string;
    if (isName(kind.refersTo, name)) found.push({ section: kind.refersTo, name, path });
  }
  if (kind.kind === "list" && kind.of.kind === "text" && kind.of.refersTo !== undefined)
    for (const [index, item] of (value as readonly string[]).entries()) collect(kind.of, item, [...path, index], found);
  if (kind.kind === "rows")
    for (const [index, row] of (value as readonly Keys[]).entries())
      for (const { path: below, ...reference } of referencesOf(kind.fields, row))
        found.push({ ...reference, path: [...path, index, ...below] });
}

/** Where a rule, route or price matches all, a kind of line or unknown numbers, it names nothing. */
function isName(section: ReferredSection, name: string): boolean {
  if (name === "*") return false;
  if (section === "lines") return /^[0-9]/.test(name);
  return section !== "operators" || name !== unknownOperator;
}

interface Referring {
  readonly object: ObjectName;
  /** Of an object within a list. */
  readonly index?: number;
  readonly references: readonly Reference[];
}

/** All that a state holds, with what it refers to. */
function* referringIn(state: SetupState): Iterable<Referring> {
  for (const section of listNames)
    for (const [index, row] of state[section].entries())
      yield { object: { section, name: "" }, index, references: referencesOf(listSections[section].fields, row) };
  for (const section of sectionNames)
    for (const [name, values] of state[section])
      yield { object: { section, name }, references: referencesOf(namedSections[section].fields, values) };
  yield { object: { section: "settings", name: "" }, references: referencesOf(settingsFields, state.settings) };
}

/** What a file refers to, with its place in the file. */
export function* referencesIn(setup: Setup): Iterable<Reference> {
  for (const section of sectionNames) {
    const given: readonly Given<object>[] = setup[section];
    for (const { place, values } of given)
      for (const { path, ...reference } of referencesOf(namedSections[section].fields, values))
        yield { ...reference, path: [...place, ...path] };
  }
  for (const section of listNames)
    for (const { place, row } of setup[section] ?? [])
      for (const { path, ...reference } of referencesOf(listSections[section].fields, row))
        yield { ...reference, path: [...place, ...path] };
  for (const { path, ...reference } of referencesOf(settingsFields, setup.settings)) {
    const [key = ""] = path;
    const { within } = settingsFields[key as keyof typeof settingsFields];
    yield { ...reference, path: within === undefined ? path : [within.key, within.as] };
  }
}

/** How many of them a fault names. */
export const mostUses = 10;

/** What keeps an object from being removed; undefined: nothing does. */
export function findUses(state: SetupState, { section, name }: ObjectName): SetupFault | undefined {
  const uses: LocalizedText[] = [];
  for (const { object, index, references } of referringIn(state)) {
    if (goesAlong(section, object.section)) continue;
    const use = references.find((reference) => reference.section === section && reference.name === name);
    if (use !== undefined) uses.push(useText(object, index, use.path[0]));
  }
  if (uses.length === 0) return undefined;
  const named = uses.slice(0, mostUses);
  const texts = { en: named.map(({ en }) => en).join(", "), fa: named.map(({ fa }) => fa).join("، ") };
  // No more uses may have been read than show that there are more.
  const key = uses.length > mostUses ? "usedByMore" : "used";
  return { path: [], key, values: { uses: texts }, hint: { key: "changeUses" } };
}

/** What is removed with an object, or lets go of it, does not keep it. */
function goesAlong(removed: ObjectName["section"], user: ObjectName["section"]): boolean {
  if (removed === "accounts") return user === "templates" || user === "lines";
  // Those are counted, because there may be millions.
  return removed === "operators" && user === "portedNumbers";
}

function useText({ section, name }: ObjectName, index: number | undefined, key: string | number = ""): LocalizedText {
  if (section === "settings") return { en: `systemLines.${key}`, fa: `systemLines.${key}` };
  const number = String((index ?? 0) + 1);
  if (section === "routes") return nameWith(kindText("route"), number);
  return isList(section)
    ? { en: `${section} ${number}`, fa: `${section} ${number}` }
    : nameWith(kindText(namedSections[section].kind), name);
}

function nameWith({ en, fa }: LocalizedText, name: string): LocalizedText {
  return { en: `${en} ${name}`, fa: `${fa} ${name}` };
}

/** In an order in which objects stand before those that they refer to. */
const order = ["portedNumbers", "templates", "accounts", "tariffs", "lines", "connectors", "operators"] as const;

/** `desired` is the state with the file already applied. */
export function pruneState(desired: SetupState, setup: Setup): SetupState {
  const needed = new Map<string, Set<string>>(order.map((section) => [section, new Set()]));
  const need = ({ section, name }: { readonly section: string; readonly name: string }): void => {
    needed.get(section)?.add(name);
  };
  for (const section of order)
    for (const { name } of setup[section] as readonly Given<unknown>[]) need({ section, name });
  for (const reference of referencesIn(setup)) need(reference);
  for (const name of desired.importedOperators) need({ section: "operators", name });
  for (const name of [desired.settings.service, desired.settings.advertising])
    if (name !== null) need({ section: "lines", name });
  // Lists that the file does not have are empty afterwards.
  const lists = Object.fromEntries(
    listNames.map((section) => [section, setup[section] === undefined ? [] : desired[section]]),
  );
  for (const section of listNames)
    for (const row of lists[section] ?? [])
      for (const reference of referencesOf(listSections[section].fields, row)) need(reference);

  const kept = Object.fromEntries(
    order.map((section) => {
      const states = [...(desired[section] as ReadonlyMap<string, object>)].filter(([name]) =>
        needed.get(section)?.has(name),
      );
      for (const [, values] of states)
        for (const reference of referencesOf(namedSections[section].fields, values)) need(reference);
      return [section, new Map(states)];
    }),
  );
  const pruned = { ...desired, ...lists, ...kept } as SetupState;
  const named = new Set(setup.staff.map(({ name }) => name));
  const staff = setup.saysStaff ? new Map([...desired.staff].filter(([name]) => named.has(name))) : desired.staff;
  return { ...pruned, staff, lines: withoutLostInbound(pruned) };
}

/**
 * A line does not keep alive an account that once received its messages, unless the file says so.
 */
function withoutLostInbound({ lines, accounts }: SetupState): SetupState["lines"] {
  return new Map(
    [...lines].map(([number, line]) => [
      number,
      line.inbound === null || accounts.has(line.inbound) ? line : { ...line, inbound: null },
    ]),
  );
}
