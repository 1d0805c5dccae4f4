// The state after a setup file is applied. Objects that the file does not name stay as
// they are; a key that is given replaces the whole old value, and one that is absent stays, or takes
// the default in a new object. Pure; records what a new object lacks.
import type { Fields, KeyedValue, SetupField } from "../fields/field.ts";
import { settingsFields } from "../fields/service-fields.ts";
import { kindText, type SetupFault } from "./fault.ts";
import {
  type AccountState,
  type Given,
  listNames,
  type NamedSection,
  namedSections,
  sectionNames,
  type Setup,
  type SetupState,
  type StateOf,
  type TemplateState,
} from "./sections.ts";
import type { KindOfObject } from "../texts/setup-texts.ts";

export interface DesiredState {
  readonly state: SetupState;
  readonly faults: readonly SetupFault[];
}

/** Passwords become those of the state as they are: what is stored was hashed before (passwords.ts). */
export function desireState(stored: SetupState, setup: Setup): DesiredState {
  const faults: SetupFault[] = [];
  const named = Object.fromEntries(
    sectionNames.map((section) => [section, mergeSection(section, stored, setup, faults)]),
  );
  const lists = Object.fromEntries(
    listNames.map((section) => [section, setup[section]?.map(({ row }) => row) ?? stored[section]]),
  );
  const settings = { place: ["settings"], name: "", values: setup.settings };
  const state = {
    ...stored,
    // Each is merged by the declaration of its own type.
    ...(named as Pick<SetupState, NamedSection>),
    ...lists,
    settings: mergeObject({ kind: "settings", fields: settingsFields }, stored.settings, settings, faults),
  } as SetupState;
  return { state: { ...state, operators: withMovedPrefixes(state.operators, setup.operators) }, faults };
}

function mergeSection(section: NamedSection, stored: SetupState, setup: Setup, faults: SetupFault[]) {
  const given: readonly Given<unknown>[] = setup[section];
  if (given.length === 0) return stored[section];
  const states = new Map<string, unknown>(stored[section]);
  for (const object of given) {
    const old = stored[section].get(object.name);
    const merged = mergeObject(namedSections[section], old, object, faults);
    states.set(object.name, finish(section, old, merged, object));
  }
  return states;
}

/** What the keys of an object mean beyond their values. */
function finish(section: NamedSection, old: unknown, merged: unknown, given: Given<unknown>): unknown {
  if (section === "accounts") return finishAccount(old as AccountState | undefined, merged as AccountState, given);
  if (section === "templates") {
    const { values } = given as Given<TemplateState>;
    return finishTemplate(old as TemplateState | undefined, merged as TemplateState, values);
  }
  return merged;
}

function finishAccount(old: AccountState | undefined, merged: AccountState, { name }: { readonly name: string }) {
  const { credit, domain } = merged;
  return {
    ...merged,
    domain: domain === "" ? name : domain,
    credit: credit === "unlimited" ? credit : null,
    // Booked once: an existing account keeps its balance, whatever the file says.
    balance: old?.balance ?? (typeof credit === "bigint" ? credit : 0n),
  };
}

/** Another text, and a plain `approved: false`, wait to be looked at again. */
function finishTemplate(
  old: TemplateState | undefined,
  merged: TemplateState,
  given: Given<TemplateState>["values"],
): TemplateState {
  const { account, content, sender, approved } = merged;
  if (approved) return { ...merged, refused: null };
  if (given.refused !== undefined) return merged;
  const isSame = account === old?.account && content === old.content && sender === old.sender;
  return isSame && given.approved === undefined ? merged : { ...merged, refused: null };
}

/** A prefix that the file gives to one operator is removed from any other. */
function withMovedPrefixes(
  states: SetupState["operators"],
  given: readonly Given<StateOf<"operators">>[],
): SetupState["operators"] {
  const owners = new Map(
    given.flatMap(({ name, values: { prefixes = [] } }) => prefixes.map((prefix) => [prefix, name])),
  );
  if (owners.size === 0) return states;
  return new Map(
    [...states].map(([name, state]) => {
      const kept = state.prefixes.filter((prefix) => (owners.get(prefix) ?? name) === name);
      return [name, kept.length < state.prefixes.length ? { ...state, prefixes: kept } : state];
    }),
  );
}

type Keys = Readonly<Record<string, unknown>>;

export interface MergeTable {
  readonly kind: KindOfObject;
  readonly fields: Fields;
}

/** Records what a new object lacks. */
function mergeObject(
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
      faults.push({ path: [...place, key], key: "requiredForNew", values: { kind: kindText(kind) } });
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
