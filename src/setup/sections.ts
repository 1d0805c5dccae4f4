// The sections of a setup: which objects there are, how they are called, and what they hold as they
// are given in a file and as they are stored.
import { connectorFields } from "../connectors/connector-settings.ts";
import { accountFields, templateFields } from "../fields/account-fields.ts";
import { type Fields, string, type TextValue, type Values } from "../fields/field.ts";
import { lineFields, operatorFields, portedNumberFields, routeFields, tariffFields } from "../fields/network-fields.ts";
import {
  blockListFields,
  contentRuleFields,
  inboundRuleFields,
  sendingHoursFields,
  type settingsFields,
  staffFields,
} from "../fields/service-fields.ts";
import type { KindOfObject } from "../texts/setup-texts.ts";
import type { SetupPath } from "./fault.ts";

export interface NamedTable {
  /** As texts and the audit call one of its objects. */
  readonly kind: Exclude<KindOfObject, "blockList" | "route" | "user" | "apiKey" | "webhook">;
  /** The key that holds the name, such as `number`. */
  readonly key: string;
  readonly name: TextValue;
  readonly fields: Fields;
}

const name = string(100, "name");

/** Objects with names: one that the file does not give stays as it is. */
export const namedSections = {
  operators: { kind: "operator", key: "name", name: string(100, "operatorName"), fields: operatorFields },
  portedNumbers: { kind: "portedNumber", key: "number", name: string(30, "mobile"), fields: portedNumberFields },
  connectors: { kind: "connector", key: "name", name, fields: connectorFields },
  lines: { kind: "line", key: "number", name: string(20, "lineNumber"), fields: lineFields },
  tariffs: { kind: "tariff", key: "name", name, fields: tariffFields },
  accounts: { kind: "account", key: "name", name, fields: accountFields },
  templates: { kind: "template", key: "id", name: string(64, "templateId"), fields: templateFields },
  staff: { kind: "staff", key: "username", name: string(64, "staffName"), fields: staffFields },
} as const satisfies Readonly<Record<string, NamedTable>>;

export type NamedSection = keyof typeof namedSections;
export const sectionNames = Object.keys(namedSections) as readonly NamedSection[];

/** Those whose objects are stored as JSON (store/configured-objects.ts). */
export const objectTables = ["operators", "connectors", "lines", "tariffs"] as const satisfies readonly NamedSection[];

/** Ordered lists without names: a list in the file replaces the stored one. */
export const listSections = {
  routes: { fields: routeFields, most: 10_000 },
  blockLists: { fields: blockListFields, most: 1_000 },
  sendingHours: { fields: sendingHoursFields, most: 1_000 },
  contentRules: { fields: contentRuleFields, most: 1_000 },
  inboundRules: { fields: inboundRuleFields, most: 1_000 },
} as const satisfies Readonly<Record<string, { readonly fields: Fields; readonly most: number }>>;

export type ListSection = keyof typeof listSections;
export const listNames = Object.keys(listSections) as readonly ListSection[];

export function isNamed(section: string): section is NamedSection {
  return Object.hasOwn(namedSections, section);
}

export function isList(section: string): section is ListSection {
  return Object.hasOwn(listSections, section);
}

type Booked = {
  /** Rials. `credit` of the file is only the first. */
  readonly balance: bigint;
};

export type StateOf<Section extends NamedSection> = Values<(typeof namedSections)[Section]["fields"]> &
  (Section extends "accounts" ? Booked : unknown);
export type AccountState = StateOf<"accounts">;
export type TemplateState = StateOf<"templates">;
export type RowOf<Section extends ListSection> = Values<(typeof listSections)[Section]["fields"]>;
export type SettingsState = Values<typeof settingsFields>;

/** The whole configuration by name. Never modified in place. */
export type SetupState = { readonly [Section in NamedSection]: ReadonlyMap<string, StateOf<Section>> } & {
  readonly [Section in ListSection]: readonly RowOf<Section>[];
} & {
  readonly settings: SettingsState;
  /** Operators of imported ported numbers, which are no part of a setup. */
  readonly importedOperators: ReadonlySet<string>;
  /** The block lists that there are. */
  readonly blockListNames: ReadonlySet<string>;
};

/** The keys that the file gives of an object with these values; lists within have names, too. */
export type GivenValues<State> = {
  readonly [Key in keyof State]?: State[Key] extends ReadonlyMap<string, infer Item>
    ? readonly Given<Item>[]
    : State[Key];
};

/** An object as a file gives it. Keys that it does not give are absent. */
export interface Given<State> {
  readonly place: SetupPath;
  readonly name: string;
  readonly values: GivenValues<State>;
}

export interface GivenRow<Row> {
  readonly place: SetupPath;
  readonly row: Row;
}

/** A setup file after reading. Absent lists and keys leave what is stored unchanged. */
export type Setup = { readonly [Section in NamedSection]: readonly Given<StateOf<Section>>[] } & {
  readonly [Section in ListSection]?: readonly GivenRow<RowOf<Section>>[];
} & {
  readonly settings: GivenValues<SettingsState>;
  /** --prune leaves staff alone where the file says nothing about them. */
  readonly saysStaff: boolean;
};

/** One object. Lists and settings have the name "". */
export interface ObjectName {
  readonly section: NamedSection | ListSection | "settings";
  readonly name: string;
}
