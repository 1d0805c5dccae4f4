// One object of the configuration, or one setup: what has to be read to judge it; its version, and the
// state without it.
import { defaultsOf } from "../fields/field.ts";
import { settingsFields } from "../fields/service-fields.ts";
import { bareObject } from "./desired-state.ts";
import { referencesIn } from "./references.ts";
import { isList, isNamed, namedSections, type ObjectName, type Setup, type SetupState } from "./sections.ts";
import type { ConfigurationScope } from "../store/configuration.ts";
import { listConcernedAccounts } from "../store/configured-accounts.ts";
import type { Queryable } from "../store/database.ts";

/** What has to be read to describe one object, or all of its section. */
export function scopeOf(section: ObjectName["section"], name?: string): ConfigurationScope {
  if (name === undefined) return { sections: [section] };
  return {
    sections: [section],
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

/**
 * Whether what replaces the object may give the key. Others of a list or of the settings are other
 * objects, for which the caller may have no right.
 */
export function mayGive({ section }: ObjectName, key: string): boolean {
  if (isList(section)) return key === section;
  return isNamed(section) || !(isNamed(key) || isList(key));
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

export const wholeScope: ConfigurationScope = { withStaff: true };

/** What a change looks at, besides what its setup names. */
export interface LookedAt {
  readonly accounts?: readonly string[];
  readonly templates?: readonly string[];
  readonly portedNumbers?: readonly string[];
}

/** For a file of more accounts it is cheaper to read all. */
const mostAccounts = 1000;

export async function concernedScope(tx: Queryable, setup: Setup, also: LookedAt = {}): Promise<ConfigurationScope> {
  const { accounts, templates, portedNumbers } = setup;
  if (accounts.length > mostAccounts) return wholeScope;
  const referred = [...referencesIn(setup)].flatMap(({ section, name }) => (section === "accounts" ? [name] : []));
  const concerned = await listConcernedAccounts(tx, {
    accounts: [...(also.accounts ?? []), ...accounts.map(({ name }) => name), ...referred],
    apiKeys: accounts.flatMap(({ values: { apiKeys = [] } }) => apiKeys.flatMap(({ values: { key } }) => key ?? [])),
    usernames: accounts.flatMap(({ values: { users = [] } }) => users.map(({ name }) => name)),
    // That of a new account is its name, unless it has another.
    domains: accounts.map(({ name, values: { domain = name } }) => domain.toLowerCase()),
  });
  return {
    withStaff: true,
    accounts: concerned,
    templates: [...templates.map(({ name }) => name), ...(also.templates ?? [])],
    portedNumbers: [...portedNumbers.map(({ name }) => name), ...(also.portedNumbers ?? [])],
  };
}
