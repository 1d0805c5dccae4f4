// The state after a setup file is applied (decisions §6). A key in the file replaces the whole old
// value. Absent keys and objects that the file does not name stay as they are. Pure; records what a
// new object lacks.
import {
  completeConnectorSettings,
  requiredKeysOf,
  type ConnectorSettingsGiven,
} from "../connectors/connector-settings.ts";
import type { RuleLists } from "../sms/rule-lists.ts";
import type { SetupFault, SetupPath } from "./fault.ts";
import type {
  AccountSetup,
  ApiKeySetup,
  ConnectorSetup,
  EndpointSetup,
  OperatorSetup,
  PortedNumberSetup,
  Setup,
  StaffSetup,
  TariffSetup,
  TemplateSetup,
} from "./setup.ts";
import type {
  AccountState,
  ApiKeyState,
  ConnectorState,
  EndpointState,
  OperatorState,
  SettingsState,
  SetupState,
  TemplateState,
  UserState,
} from "./setup-state.ts";

/** The hash to store for each password in the file: the stored one if the password is unchanged. */
export interface PasswordHashes {
  /** `account`: null for staff. */
  hashFor(account: string | null, username: string): string | undefined;
}

export interface DesiredState {
  readonly state: SetupState;
  readonly faults: readonly SetupFault[];
}

export function desireState(stored: SetupState, setup: Setup, passwords: PasswordHashes): DesiredState {
  const faults: SetupFault[] = [];
  const state: SetupState = {
    operators: desireOperators(stored.operators, setup.operators),
    portedNumbers: desirePortedNumbers(stored.portedNumbers, setup.portedNumbers),
    importedOperators: stored.importedOperators,
    connectors: desireConnectors(stored.connectors, setup.connectors, faults),
    routes: setup.routes?.map(({ operator, line, connectors }) => ({ operator, line, connectors })) ?? stored.routes,
    rules: desireRules(stored.rules, setup.rules),
    blockLists: stored.blockLists,
    lines: changeNamed(stored.lines, setup.lines, "number", (given, old) => ({
      kind: given.kind ?? old?.kind ?? "dedicated",
      inbound: given.inbound === undefined ? (old?.inbound ?? null) : given.inbound,
      connectors: given.connectors === undefined ? (old?.connectors ?? null) : (given.connectors?.toSorted() ?? null),
      optOut: given.optOut === undefined ? (old?.optOut ?? null) : given.optOut,
    })),
    tariffs: desireTariffs(stored.tariffs, setup.tariffs, faults),
    accounts: desireAccounts(stored.accounts, setup.accounts, passwords, faults),
    templates: desireTemplates(stored.templates, setup.templates, faults),
    settings: desireSettings(stored.settings, setup),
    staff: desireStaff(stored.staff, setup.staff ?? [], passwords, faults),
  };
  return { state, faults };
}

function desireSettings(stored: SettingsState, setup: Setup): SettingsState {
  const { systemLines, optOutWords } = setup;
  return {
    service: given(systemLines.service, stored.service),
    advertising: given(systemLines.advertising, stored.advertising),
    retentionDays: setup.retentionDays ?? stored.retentionDays,
    timeZone: setup.timeZone ?? stored.timeZone,
    calendar: setup.calendar ?? stored.calendar,
    eventDays: setup.eventDays ?? stored.eventDays,
    contentDays: setup.contentDays ?? stored.contentDays,
    codeContentHours: setup.codeContentHours ?? stored.codeContentHours,
    optOutStop: given(optOutWords.stop, stored.optOutStop),
    optOutResume: given(optOutWords.resume, stored.optOutResume),
    optOutNotice: setup.optOutNotice ?? stored.optOutNotice,
    staffSecondFactor: setup.staffSecondFactor ?? stored.staffSecondFactor,
  };
}

/** null is a value: that there is none. */
function given<Value>(value: Value | undefined, stored: Value): Value {
  return value === undefined ? stored : value;
}

function desireRules(stored: RuleLists, given: Setup["rules"]): RuleLists {
  return {
    blockLists: given.blockLists?.map(({ rule }) => rule) ?? stored.blockLists,
    sendingHours: given.sendingHours?.map(({ rule }) => rule) ?? stored.sendingHours,
    contentRules: given.contentRules?.map(({ rule }) => rule) ?? stored.contentRules,
    inboundRules: given.inboundRules?.map(({ rule }) => rule) ?? stored.inboundRules,
  };
}

/**
 * The stored objects, with those of the file replaced or added. `change` returns undefined for a
 * faulty one.
 */
function changeNamed<Key extends string, Given extends Readonly<Record<Key, string>>, State>(
  stored: ReadonlyMap<string, State>,
  given: readonly Given[],
  key: Key,
  change: (given: Given, old: State | undefined) => State | undefined,
): Map<string, State> {
  const states = new Map(stored);
  for (const object of given) {
    const state = change(object, stored.get(object[key]));
    if (state !== undefined) states.set(object[key], state);
  }
  return states;
}

function missing(path: SetupPath, key: string, kind: string): SetupFault {
  return { path: [...path, key], message: `is required for a new ${kind}` };
}

/** A prefix that the file gives to one operator is removed from any other. */
function desireOperators(stored: SetupState["operators"], given: readonly OperatorSetup[]): Map<string, OperatorState> {
  const states = changeNamed(stored, given, "name", ({ prefixes, enabled }, old) => ({
    prefixes: prefixes?.toSorted() ?? old?.prefixes ?? [],
    enabled: enabled ?? old?.enabled ?? true,
  }));
  const owners = new Map(given.flatMap(({ name, prefixes = [] }) => prefixes.map((prefix) => [prefix, name])));
  for (const [name, state] of states) {
    const kept = state.prefixes.filter((prefix) => (owners.get(prefix) ?? name) === name);
    if (kept.length < state.prefixes.length) states.set(name, { ...state, prefixes: kept });
  }
  return states;
}

function desirePortedNumbers(
  stored: SetupState["portedNumbers"],
  given: readonly PortedNumberSetup[],
): ReadonlyMap<string, string> {
  const states = new Map(stored);
  for (const { number, operator } of given) states.set(number, operator);
  return states;
}

function desireConnectors(
  stored: SetupState["connectors"],
  given: readonly ConnectorSetup[],
  faults: SetupFault[],
): ReadonlyMap<string, ConnectorState> {
  return changeNamed(stored, given, "name", ({ path, enabled, paused, settings }, old) => {
    const merged = { ...old?.settings, ...settings };
    for (const key of requiredKeysOf(merged)) {
      if (merged[key] === undefined) faults.push(missing(path, key, "connector"));
    }
    return {
      enabled: enabled ?? old?.enabled ?? true,
      paused: paused ?? old?.paused ?? false,
      settings: completeConnectorSettings(merged as ConnectorSettingsGiven),
    };
  });
}

function desireTariffs(
  stored: SetupState["tariffs"],
  given: readonly TariffSetup[],
  faults: SetupFault[],
): SetupState["tariffs"] {
  return changeNamed(stored, given, "name", ({ path, prices }, old) => {
    if (prices === undefined && old === undefined) faults.push(missing(path, "prices", "tariff"));
    return prices ?? old;
  });
}

/** What a new account has that the file does not give; its domain is its name. */
const newAccount: Omit<AccountState, "domain"> = {
  tariff: "",
  lines: [],
  permissions: ["*"],
  requestsPerSecond: 0,
  allowedIps: [],
  blockedRecipients: [],
  unlimited: false,
  balance: 0n,
  lowCredit: 0n,
  duplicateSeconds: 0,
  dailyMessages: 0,
  monthlyCost: 0n,
  users: new Map(),
  apiKeys: new Map(),
  endpoints: new Map(),
};

function desireAccounts(
  stored: SetupState["accounts"],
  given: readonly AccountSetup[],
  passwords: PasswordHashes,
  faults: SetupFault[],
): ReadonlyMap<string, AccountState> {
  return changeNamed(stored, given, "name", (account, stored) => {
    const { path, name, credit } = account;
    const old = stored ?? newAccount;
    const tariff = account.tariff ?? old.tariff;
    if (tariff === "") faults.push(missing(path, "tariff", "account"));
    return {
      domain: account.domain ?? stored?.domain ?? name,
      tariff,
      lines: sorted(account.lines) ?? old.lines,
      permissions: sorted(account.permissions) ?? old.permissions,
      requestsPerSecond: account.requestsPerSecond ?? old.requestsPerSecond,
      allowedIps: account.allowedIps ?? old.allowedIps,
      blockedRecipients: sorted(account.blockedRecipients) ?? old.blockedRecipients,
      unlimited: credit === undefined ? old.unlimited : credit === "unlimited",
      // Booked once: an existing account keeps its balance, whatever the file says.
      balance: stored === undefined && typeof credit === "bigint" ? credit : old.balance,
      ...desireLimits(account, old),
      users: desireUsers(account, old, passwords, faults),
      apiKeys: desireApiKeys(account, old, faults),
      endpoints: desireEndpoints(account, old, faults),
    };
  });
}

function desireLimits(
  { lowCredit, duplicateSeconds, dailyMessages, monthlyCost }: AccountSetup,
  old: Pick<AccountState, "lowCredit" | "duplicateSeconds" | "dailyMessages" | "monthlyCost">,
): Pick<AccountState, "lowCredit" | "duplicateSeconds" | "dailyMessages" | "monthlyCost"> {
  return {
    lowCredit: lowCredit ?? old.lowCredit,
    duplicateSeconds: duplicateSeconds ?? old.duplicateSeconds,
    dailyMessages: dailyMessages ?? old.dailyMessages,
    monthlyCost: monthlyCost ?? old.monthlyCost,
  };
}

function sorted(list: readonly string[] | undefined): readonly string[] | undefined {
  return list === undefined || list.length < 2 ? list : list.toSorted();
}

function desireUsers(
  { path, name, users }: AccountSetup,
  old: Pick<AccountState, "users">,
  passwords: PasswordHashes,
  faults: SetupFault[],
): AccountState["users"] {
  if (users === undefined) return old.users;
  const states = new Map<string, UserState>();
  for (const [index, { username, role }] of users.entries()) {
    const before = old.users.get(username);
    const passwordHash = passwords.hashFor(name, username) ?? before?.passwordHash;
    if (passwordHash === undefined) faults.push(missing([...path, "users", index], "password", "user"));
    // A file without roles does not undo them.
    else states.set(username, { passwordHash, role: role ?? before?.role ?? "owner" });
  }
  return states;
}

function desireStaff(
  stored: SetupState["staff"],
  given: readonly StaffSetup[],
  passwords: PasswordHashes,
  faults: SetupFault[],
): SetupState["staff"] {
  return changeNamed(stored, given, "username", ({ path, username, role, enabled }, old) => {
    const passwordHash = passwords.hashFor(null, username) ?? old?.passwordHash;
    const wanted = role ?? old?.role;
    if (passwordHash === undefined) faults.push(missing(path, "password", "member of staff"));
    if (wanted === undefined) faults.push(missing(path, "role", "member of staff"));
    if (passwordHash === undefined || wanted === undefined) return undefined;
    return { passwordHash, role: wanted, enabled: enabled ?? old?.enabled ?? true };
  });
}

function desireApiKeys(
  { path, apiKeys }: { readonly path: SetupPath; readonly apiKeys: readonly ApiKeySetup[] | undefined },
  old: Pick<AccountState, "apiKeys">,
  faults: SetupFault[],
): AccountState["apiKeys"] {
  if (apiKeys === undefined) return old.apiKeys;
  const states = new Map<string, ApiKeyState>();
  for (const [index, { name, sha256Hex: given, allowedIps, expiresAt }] of apiKeys.entries()) {
    const sha256Hex = given ?? old.apiKeys.get(name)?.sha256Hex;
    if (sha256Hex === undefined) faults.push(missing([...path, "apiKeys", index], "key", "API key"));
    else states.set(name, { sha256Hex, allowedIps, expiresAt });
  }
  return states;
}

type FoundEndpoint = Omit<EndpointState, "url" | "events"> & Partial<Pick<EndpointState, "url" | "events">>;

const usualEndpoint: FoundEndpoint = { batchSize: 1, enabled: true, secret: null };

function withStored(given: Omit<EndpointSetup, "name">, stored: FoundEndpoint) {
  return {
    url: given.url ?? stored.url,
    events: given.events ?? stored.events,
    batchSize: given.batchSize ?? stored.batchSize,
    enabled: given.enabled ?? stored.enabled,
    secret: given.secret ?? stored.secret,
  };
}

function desireEndpoints(
  { path, webhooks }: Pick<AccountSetup, "path" | "webhooks">,
  old: Pick<AccountState, "endpoints">,
  faults: SetupFault[],
): AccountState["endpoints"] {
  if (webhooks === undefined) return old.endpoints;
  const states = new Map<string, EndpointState>();
  for (const [index, { name, ...given }] of webhooks.entries()) {
    const before = old.endpoints.get(name);
    const { url, events, batchSize, enabled, secret } = withStored(given, before ?? usualEndpoint);
    if (url === undefined) faults.push(missing([...path, "webhooks", index], "url", "endpoint"));
    if (events === undefined) faults.push(missing([...path, "webhooks", index], "events", "endpoint"));
    if (url !== undefined && events !== undefined) states.set(name, { url, events, batchSize, enabled, secret });
  }
  return states;
}

function desireTemplates(
  stored: SetupState["templates"],
  given: readonly TemplateSetup[],
  faults: SetupFault[],
): ReadonlyMap<string, TemplateState> {
  return changeNamed(stored, given, "id", (template, stored) => {
    const old = stored ?? {
      account: "",
      content: "",
      sender: null,
      approved: false,
      refused: null,
      validSeconds: null,
      purpose: "code" as const,
    };
    const { path, account = old.account, content = old.content } = template;
    if (account === "") faults.push(missing(path, "account", "template"));
    if (content === "") faults.push(missing(path, "content", "template"));
    const sender = template.sender === undefined ? old.sender : template.sender;
    const approved = template.approved ?? old.approved;
    // Another text, and a plain `approved: false`, wait to be looked at again.
    const isSame = account === old.account && content === old.content && sender === old.sender;
    const reason = isSame && template.approved === undefined ? old.refused : null;
    return {
      account,
      content,
      sender,
      approved,
      refused: approved ? null : template.refused === undefined ? reason : template.refused,
      validSeconds: template.validSeconds === undefined ? old.validSeconds : template.validSeconds,
      purpose: template.purpose ?? old.purpose,
    };
  });
}
