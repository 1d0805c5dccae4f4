// One object of the configuration: its description by the keys of the setup file and without
// secrets, its version, its uses, and the state without it. Pure.
import { completeConnectorSettings, type ConnectorSettingsGiven } from "../connectors/connector-settings.ts";
import { isRuleSection, noRules, ruleSections, type RuleSection } from "../sms/rule-lists.ts";
import type { ConfigurationScope, ConfigurationTable } from "../store/configuration.ts";
import {
  accountKeys,
  apiKeysWithoutSecrets,
  connectorKeys,
  lineKeys,
  settingsKeys,
  templateKeys,
} from "./export-setup.ts";
import type { SetupFault } from "./fault.ts";
import type { SetupKind } from "./setup-changes.ts";
import type { AccountState, SettingsState, SetupState } from "./setup-state.ts";

const nameKeys = {
  operators: "name",
  portedNumbers: "number",
  connectors: "name",
  lines: "number",
  tariffs: "name",
  accounts: "name",
  templates: "id",
} as const;

export type NamedSection = keyof typeof nameKeys;
/** Sections of which there is one each. */
export type SingleSection = "routes" | "settings" | RuleSection;

/** A single section has the name "". */
export interface ObjectName {
  readonly section: NamedSection | SingleSection;
  readonly name: string;
}

export function isNamed(section: ObjectName["section"]): section is NamedSection {
  return Object.hasOwn(nameKeys, section);
}

/** The key that holds the name of an object, such as `number`. */
export function nameKeyOf(section: NamedSection): string {
  return nameKeys[section];
}

const auditedKinds: Readonly<Record<ObjectName["section"], SetupKind>> = {
  operators: "operator",
  portedNumbers: "portedNumber",
  connectors: "connector",
  lines: "line",
  tariffs: "tariff",
  accounts: "account",
  templates: "template",
  routes: "route",
  settings: "settings",
  blockLists: "rules",
  sendingHours: "rules",
  contentRules: "rules",
  inboundRules: "rules",
};

/** The object as the audit names it. */
export function auditedAs({ section, name }: ObjectName): { readonly kind: SetupKind; readonly name: string } {
  return { kind: auditedKinds[section], name: isNamed(section) ? name : section };
}

const tablesOf: Readonly<Record<ObjectName["section"], readonly ConfigurationTable[]>> = {
  operators: ["operators"],
  portedNumbers: ["portedNumbers"],
  connectors: ["connectors"],
  routes: ["connectors", "routes"],
  lines: ["connectors", "lines", "tariffs", "accounts"],
  tariffs: ["tariffs"],
  accounts: ["tariffs", "accounts", "users", "apiKeys", "endpoints"],
  templates: ["templates", "tariffs", "accounts"],
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
  };
}

/** By the keys of the setup file, without secrets; undefined where there is none. */
export function describeObject(state: SetupState, { section, name }: ObjectName): object | undefined {
  const named = <State>(states: ReadonlyMap<string, State>, keysOf: (found: State) => object): object | undefined => {
    const found = states.get(name);
    return found === undefined || !isNamed(section) ? undefined : { [nameKeys[section]]: name, ...keysOf(found) };
  };
  switch (section) {
    case "operators":
      return named(state.operators, ({ prefixes, enabled }) => ({ prefixes: prefixes.toSorted(), enabled }));
    case "portedNumbers":
      return named(state.portedNumbers, (operator) => ({ operator }));
    case "connectors":
      return named(state.connectors, ({ settings, ...switches }) => ({
        ...connectorKeys({ ...switches, settings: completeConnectorSettings(settings as ConnectorSettingsGiven) }),
        passwordSet: settings.password !== undefined,
      }));
    case "lines":
      return named(state.lines, lineKeys);
    case "tariffs":
      return named(state.tariffs, (prices) => ({ prices }));
    case "accounts":
      return named(state.accounts, describeAccount);
    case "templates":
      return named(state.templates, templateKeys);
    case "routes":
      return { routes: state.routes };
    case "settings":
      return { systemLines: {}, ...settingsKeys(state.settings) };
    default:
      return { [section]: state.rules[section] };
  }
}

function describeAccount(account: AccountState): object {
  return {
    ...accountKeys(account),
    users: [...account.users].map(([username, { role }]) => ({ username, role, passwordSet: true })),
    apiKeys: apiKeysWithoutSecrets(account),
    balance: account.balance,
    unlimited: account.unlimited,
  };
}

/**
 * Keys of the description that no setup file has. A change may repeat them; they change nothing.
 */
const toldOnly: ReadonlySet<string> = new Set(["passwordSet", "balance", "unlimited"]);

/** Removes the keys that a description has but a setup file does not. */
export function withoutToldKeys(value: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !toldOnly.has(key))
      .map(([key, item]: [string, unknown]) => [key, key === "users" && Array.isArray(item) ? item.map(plain) : item]),
  );
}

function plain(item: unknown): unknown {
  return typeof item === "object" && item !== null && !Array.isArray(item) ? withoutToldKeys(item) : item;
}

/** Differs for two versions of an object, also where only a secret does. Holds secrets. */
export function versionOf(state: SetupState, object: ObjectName): string | undefined {
  const told = describeObject(state, object);
  if (told === undefined) return undefined;
  // The balance changes with each message.
  const keys = { ...told, balance: undefined };
  return JSON.stringify([keys, secretsOf(state, object)], (_, item: unknown) =>
    typeof item === "bigint" ? item.toString() : item,
  );
}

function secretsOf(state: SetupState, { section, name }: ObjectName): unknown {
  if (section === "connectors") return state.connectors.get(name)?.settings.password;
  const account = section === "accounts" ? state.accounts.get(name) : undefined;
  return account && [[...account.users], [...account.apiKeys], [...account.endpoints]];
}

/** The object as the one of a setup file. */
export function asSetup({ section, name }: ObjectName, keys: object): Readonly<Record<string, unknown>> {
  return isNamed(section) ? { [section]: [{ ...keys, [nameKeys[section]]: name }] } : { ...keys };
}

const usualSettings: SettingsState = {
  service: null,
  advertising: null,
  retentionDays: 400,
  timeZone: "Asia/Tehran",
  calendar: "jalali",
  eventDays: null,
  contentDays: 0,
  codeContentHours: 0,
  optOutStop: null,
  optOutResume: null,
  optOutNotice: null,
  staffSecondFactor: "optional",
};

/**
 * The state from which a whole replacement starts. Of the object it keeps only what a replacement
 * may leave out: its secrets and, for an account, the credit and the lists that its users manage.
 */
export function bareState(state: SetupState, { section, name }: ObjectName): SetupState {
  if (section === "settings") return { ...state, settings: usualSettings };
  if (section === "routes") return { ...state, routes: [] };
  if (isRuleSection(section)) return { ...state, rules: { ...state.rules, [section]: noRules[section] } };
  const account = state.accounts.get(name);
  const connector = state.connectors.get(name);
  if (section === "accounts" && account !== undefined)
    return { ...state, accounts: new Map([...state.accounts, [name, bareAccount(name, account)]]) };
  if (section === "connectors" && connector !== undefined) {
    const { password } = connector.settings;
    const bare = { enabled: true, paused: false, settings: { ...(password !== undefined && { password }) } };
    return { ...state, connectors: new Map([...state.connectors, [name, bare]]) };
  }
  return { ...state, [section]: without(state[section], name) };
}

function bareAccount(name: string, account: AccountState): AccountState {
  const usual = { domain: name, tariff: "", lines: [], permissions: ["*"], requestsPerSecond: 0, unlimited: false };
  return { ...account, ...usual, lowCredit: 0n, duplicateSeconds: 0, dailyMessages: 0, monthlyCost: 0n };
}

function without(states: ReadonlyMap<string, unknown>, name: string): ReadonlyMap<string, unknown> {
  return new Map([...states].filter(([other]) => other !== name));
}

/** The state without the object, and without what is only its own: the templates of an account. */
export function removeObject(state: SetupState, { section, name }: ObjectName): SetupState {
  if (!isNamed(section)) return state;
  const rest = { ...state, [section]: without(state[section], name) };
  if (section !== "accounts") return rest;
  const isOwn = (account: string | null): boolean => account === name;
  return {
    ...rest,
    templates: new Map([...state.templates].filter(([, { account }]) => !isOwn(account))),
    lines: new Map(
      [...state.lines].map(([number, line]) => [number, isOwn(line.inbound) ? { ...line, inbound: null } : line]),
    ),
  };
}

/** How many of each kind are named. */
export const mostUses = 10;

/** What keeps an object from being removed, in words. */
export function findUses(state: SetupState, { section, name }: ObjectName): SetupFault | undefined {
  const uses = usesOf(state, section, name);
  if (uses.length === 0) return undefined;
  // No more uses may have been read than show that there are more.
  const more = uses.length > mostUses ? ", and more" : "";
  const hint = "change or remove what uses it first";
  return { path: [], message: `is used by ${uses.slice(0, mostUses).join(", ")}${more}`, hint };
}

function usesOf(state: SetupState, section: ObjectName["section"], name: string): readonly string[] {
  const { routes, lines, tariffs, accounts, templates, settings } = state;
  const matching = (key: "operator" | "line"): string[] => [
    ...routes.flatMap((route, index) => (route[key] === name ? [`route ${index + 1}`] : [])),
    ...namesOf(tariffs, (prices) => prices.some((row) => row[key] === name)).map((tariff) => `tariff ${tariff}`),
  ];
  switch (section) {
    case "operators":
      return matching("operator");
    case "connectors":
      return [
        ...routes.flatMap(({ connectors }, index) => (connectors.includes(name) ? [`route ${index + 1}`] : [])),
        ...namesOf(lines, ({ connectors }) => connectors?.includes(name) === true).map((line) => `line ${line}`),
      ];
    case "lines":
      return [
        ...matching("line"),
        ...namesOf(accounts, (account) => account.lines.includes(name)).map((account) => `account ${account}`),
        ...namesOf(templates, ({ sender }) => sender === name).map((id) => `template ${id}`),
        ...rulesNaming(state, ({ lines, line }) => line === name || lines?.includes(name) === true),
        ...(["service", "advertising"] as const).flatMap((key) =>
          settings[key] === name ? [`systemLines.${key}`] : [],
        ),
      ];
    case "tariffs":
      return namesOf(accounts, ({ tariff }) => tariff === name).map((account) => `account ${account}`);
    case "accounts":
      return rulesNaming(state, ({ accounts, account }) => account === name || accounts?.includes(name) === true);
    default:
      return [];
  }
}

interface Naming {
  readonly lines?: readonly string[];
  readonly accounts?: readonly string[];
  readonly line?: string;
  readonly account?: string;
}

function rulesNaming({ rules }: SetupState, isNaming: (rule: Naming) => boolean): readonly string[] {
  return ruleSections.flatMap((section) =>
    rules[section].flatMap((rule: Naming, index) => (isNaming(rule) ? [`${section} ${index + 1}`] : [])),
  );
}

function namesOf<State>(states: ReadonlyMap<string, State>, isUsed: (state: State) => boolean): readonly string[] {
  return [...states].filter(([, state]) => isUsed(state)).map(([name]) => name);
}
