// Objects by the keys of the setup file and without secrets: as an exported file has them, and as
// the console's API answers them. Pure.
import { stringify } from "yaml";
import type { Fields } from "../fields/field.ts";
import { settingsFields } from "../fields/service-fields.ts";
import { ApiError } from "../texts/errors.ts";
import {
  isList,
  isNamed,
  listNames,
  type ListSection,
  namedSections,
  type NamedSection,
  type ObjectName,
  sectionNames,
  type SettingsState,
  type SetupState,
  type StateOf,
} from "./sections.ts";

type Keys = Readonly<Record<string, unknown>>;
type Reader = "file" | "console";

/** What is null is left out. The console learns of a secret only whether it is set. */
function describe(fields: Fields, values: object, reader: Reader): Keys {
  const described: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(fields)) {
    const value = (values as Keys)[key];
    if (field.hiddenIn === reader) continue;
    if (field.secret === true) {
      if (reader === "console") described[`${key}Set`] = value !== undefined && value !== null;
    } else if (field.kind === "keyed") {
      const items = [...(value as ReadonlyMap<string, object>)];
      // Absent where there are none, so that the file takes none away.
      if (items.length > 0 || reader === "console")
        described[key] = items.map(([name, item]) => ({ [field.key]: name, ...describe(field.fields, item, reader) }));
    } else if (value !== null && value !== undefined) {
      const place = field.within === undefined ? described : ((described[field.within.key] ??= {}) as typeof described);
      place[field.within?.as ?? key] = value instanceof Date ? value.toISOString() : value;
    }
  }
  return described;
}

function describeNamed(section: NamedSection, name: string, values: object, reader: Reader): Keys {
  const { key, fields } = namedSections[section];
  return { [key]: name, ...describe(fields, values, reader) };
}

/**
 * The stored configuration as a setup file, YAML, without secrets, users, API keys, credit and
 * staff. Applying it unchanged changes nothing, because absent keys stay as they are.
 */
export function exportSetup(state: SetupState): string {
  const named = sectionNames
    .filter((section) => section !== "staff")
    .map((section) => [
      section,
      [...state[section]]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, values]) => describeNamed(section, name, values, "file")),
    ]);
  const lists = listNames.map((section) => [section, state[section]]);
  return stringify(
    { ...Object.fromEntries([...named, ...lists]), ...describe(settingsFields, state.settings, "file") },
    // Every value in full where it is used: no anchors, no folded lines.
    { aliasDuplicateObjects: false, lineWidth: 0 },
  );
}

type Secret = "password" | "tlsKey";

/** Of a secret the console learns only whether it is set. */
type Shown<State> = Omit<State, Secret> & { readonly [Key in keyof State & Secret as `${Key}Set`]: boolean };

type ShownAccount = Omit<StateOf<"accounts">, "users" | "apiKeys" | "webhooks" | "credit"> & {
  readonly users: readonly { readonly username: string; readonly role: string }[];
  readonly apiKeys: readonly { readonly name: string; readonly allowedIps: readonly string[] }[];
  readonly credit?: "unlimited";
  /** Without a limit the balance may be below zero. */
  readonly unlimited: boolean;
};

type WithinSettings = "service" | "advertising" | "optOutStop" | "optOutResume";

interface ShownSettings extends Omit<SettingsState, WithinSettings> {
  /** The lines of templates with `sender: service` or `advertising`. */
  readonly systemLines: { readonly service?: string; readonly advertising?: string };
  /** Absent: the usual ones. */
  readonly optOutWords?: { readonly stop?: readonly string[]; readonly resume?: readonly string[] };
}

type NameOf<Section extends NamedSection> = Readonly<Record<(typeof namedSections)[Section]["key"], string>>;

/** An object as the console's API answers it. */
export type Described<Section extends ObjectName["section"]> = Section extends ListSection
  ? Pick<SetupState, Section>
  : Section extends NamedSection
    ? NameOf<Section> & (Section extends "accounts" ? ShownAccount : Shown<StateOf<Section>>)
    : ShownSettings;

/** Throws 404 where there is none. */
export function describeObject<Section extends ObjectName["section"]>(
  state: SetupState,
  object: ObjectName & { readonly section: Section },
): Described<Section> {
  const described = describeForConsole(state, object);
  if (described === undefined) throw ApiError.notThere();
  // It is made of the declarations of the fields, as its type.
  return described as Described<Section>;
}

function describeForConsole(state: SetupState, { section, name }: ObjectName): Keys | undefined {
  if (isList(section)) return { [section]: state[section] };
  if (!isNamed(section)) return { systemLines: {}, ...describe(settingsFields, state.settings, "console") };
  const found = state[section].get(name);
  if (found === undefined) return undefined;
  const described = describeNamed(section, name, found, "console");
  if (!("balance" in found)) return described;
  return { ...described, balance: found.balance, unlimited: found.credit === "unlimited" };
}

/** Keys of the console's answers that no setup file has. A change may repeat them. */
const answeredOnly: ReadonlySet<string> = new Set([
  "passwordSet",
  "keySet",
  "secretSet",
  "tlsKeySet",
  "balance",
  "unlimited",
  // Of templates.
  "state",
  "askedAt",
]);

/** Without the keys that only answers have. */
export function withoutAnsweredKeys(value: object): Keys {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !answeredOnly.has(key))
      .map(([key, item]: [string, unknown]) => [key, Array.isArray(item) ? item.map(withoutInItem) : item]),
  );
}

function withoutInItem(item: unknown): unknown {
  return typeof item === "object" && item !== null && !Array.isArray(item) ? withoutAnsweredKeys(item) : item;
}
