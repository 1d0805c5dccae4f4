// One object of the configuration: what has to be read to change it, its version, and the state
// without it. Pure.
import { defaultsOf } from "../fields/field.ts";
import { settingsFields } from "../fields/settings-fields.ts";
import type { ConfigurationScope, ConfigurationTable } from "../store/configuration.ts";
import { bareObject } from "./merge-objects.ts";
import { isList, isNamed, namedSections, type ObjectName, type SetupState } from "./sections.ts";

const tablesOf: Readonly<Record<ObjectName["section"], readonly ConfigurationTable[]>> = {
  operators: ["operators"],
  portedNumbers: ["portedNumbers"],
  connectors: ["connectors"],
  routes: ["connectors", "routes"],
  lines: ["connectors", "lines"],
  tariffs: ["tariffs"],
  accounts: ["tariffs", "accounts", "endpoints"],
  templates: ["tariffs", "accounts"],
  staff: [],
  settings: [],
  blockLists: ["rules"],
  sendingHours: ["rules"],
  contentRules: ["rules"],
  inboundRules: ["rules"],
};

/** What has to be read to tell one object, or all of its section. */
export function scopeOf(section: ObjectName["section"], name?: string): ConfigurationScope {
  const tables: ConfigurationTable[] = [...tablesOf[section], "tokenKeys"];
  if (name === undefined) return { tables };
  return {
    tables,
    ...(section === "portedNumbers" && { portedNumbers: [name] }),
    ...(section === "accounts" && { accounts: [name] }),
    ...(section === "templates" && { accounts: [], templates: [name] }),
  };
}

/** Differs for two versions of an object, also where only a secret does. Holds secrets. */
export function versionOf(state: SetupState, { section, name }: ObjectName): string | undefined {
  const found: object | undefined = isNamed(section) ? state[section].get(name) : state[section];
  // The balance changes with each message.
  return (
    found &&
    JSON.stringify({ ...found, balance: undefined }, (_, item: unknown) => {
      if (item instanceof Map) return [...(item as ReadonlyMap<string, unknown>)];
      return typeof item === "bigint" ? item.toString() : item;
    })
  );
}

/** The object as the one of a setup file. */
export function asSetup({ section, name }: ObjectName, keys: object): Readonly<Record<string, unknown>> {
  return isNamed(section) ? { [section]: [{ ...keys, [namedSections[section].key]: name }] } : { ...keys };
}

/**
 * The state from which a whole replacement starts. Of the object it keeps only what a replacement
 * may leave out: its secrets and the lists that others manage.
 */
export function bareState(state: SetupState, { section, name }: ObjectName): SetupState {
  if (section === "settings") return { ...state, settings: defaultsOf(settingsFields) };
  if (isList(section)) return { ...state, [section]: [] };
  const stored = state[section].get(name);
  if (stored === undefined) return state;
  return {
    ...state,
    [section]: new Map<string, unknown>([...state[section], [name, bareObject(namedSections[section].fields, stored)]]),
  };
}

/** The state without the object, and without what is only its own: the templates of an account. */
export function removeObject(state: SetupState, { section, name }: ObjectName): SetupState {
  if (!isNamed(section)) return state;
  const others = <State>(states: ReadonlyMap<string, State>): ReadonlyMap<string, State> =>
    new Map([...states].filter(([other]) => other !== name));
  const rest = { ...state, [section]: others<unknown>(state[section]) };
  if (section !== "accounts") return rest;
  return {
    ...rest,
    templates: new Map([...state.templates].filter(([, { account }]) => account !== name)),
    lines: new Map(
      [...state.lines].map(([number, line]) => [number, line.inbound === name ? { ...line, inbound: null } : line]),
    ),
  };
}
