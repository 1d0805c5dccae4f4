// Differences between the stored state and the desired one: the objects to write or remove, each
// described in words. Pure. Secrets are only reported as changed; no password hash or key appears
// in a text.
import { defaultsOf } from "../connectors/connector-settings.ts";
import { formatRials } from "../sms/money.ts";
import { ruleSections, type RuleSection } from "../sms/rule-lists.ts";
import type { TariffPrice } from "../sms/tariff.ts";
import type {
  AccountState,
  ApiKeyState,
  ConnectorState,
  EndpointState,
  LineState,
  OperatorState,
  SetupState,
  StaffState,
  TemplateState,
  UserState,
} from "./setup-state.ts";

export type SetupKind =
  | "operator"
  | "portedNumber"
  | "connector"
  | "route"
  | "rules"
  | "line"
  | "tariff"
  | "account"
  | "template"
  | "settings"
  | "staff";

export interface SetupChange {
  readonly action: "create" | "change" | "remove";
  readonly kind: SetupKind;
  readonly name: string;
  /** `window: 100 → 50` */
  readonly details: readonly string[];
}

export function findChanges(stored: SetupState, desired: SetupState): readonly SetupChange[] {
  return [
    ...compareNamed("operator", stored.operators, desired.operators, operatorDetails),
    ...compareNamed("portedNumber", stored.portedNumbers, desired.portedNumbers, (now, old) => [
      ...told("operator", old, now),
    ]),
    ...compareNamed("connector", stored.connectors, desired.connectors, connectorDetails),
    ...compareNamed("line", stored.lines, desired.lines, lineDetails),
    ...compareNamed("tariff", stored.tariffs, desired.tariffs, tariffDetails),
    ...compareNamed("account", stored.accounts, desired.accounts, accountDetails, lostAccount),
    ...compareNamed("template", stored.templates, desired.templates, templateDetails),
    ...compareRoutes(stored, desired),
    ...ruleSections.flatMap((section) => compareRules(section, stored, desired)),
    ...compareSettings(stored, desired),
    ...compareNamed("staff", stored.staff, desired.staff, staffDetails),
  ];
}

/**
 * `describe` returns the differences; for a new object it gets no old one. `lost` returns what is
 * removed with an object.
 */
function compareNamed<State>(
  kind: SetupKind,
  stored: ReadonlyMap<string, State>,
  desired: ReadonlyMap<string, State>,
  describe: (now: State, old: State | undefined) => readonly string[],
  lost: (old: State) => readonly string[] = () => [],
): SetupChange[] {
  const changes: SetupChange[] = [];
  for (const [name, now] of desired) {
    const old = stored.get(name);
    if (old === now) continue;
    if (old === undefined) {
      changes.push(creation(kind, name, () => describe(now, undefined)));
      continue;
    }
    const details = describe(now, old);
    if (details.length > 0) changes.push({ action: "change", kind, name, details });
  }
  for (const [name, old] of stored) {
    if (!desired.has(name)) changes.push({ action: "remove", kind, name, details: lost(old) });
  }
  return changes;
}

/** Described only when somebody reads it, because thousands of new objects are only counted. */
function creation(kind: SetupKind, name: string, describe: () => readonly string[]): SetupChange {
  return {
    action: "create",
    kind,
    name,
    get details() {
      return describe();
    },
  };
}

type Plain = string | number | boolean | null | undefined;

/**
 * One value, old and new; nothing if they are equal. Shows only the values that a new object has.
 */
function told(label: string, old: Plain, now: Plain): string[] {
  if (old === now) return [];
  if (old === undefined) return now === null || now === undefined ? [] : [`${label}: ${String(now)}`];
  return [`${label}: ${shown(old)} → ${shown(now)}`];
}

function shown(value: Plain): string {
  return value === null || value === undefined || value === "" ? "none" : String(value);
}

const mostItemsTold = 40;

function toldList(label: string, old: readonly string[] | undefined, now: readonly string[]): string[] {
  const before = new Set(old);
  const after = new Set(now);
  const added = now.filter((item) => !before.has(item)).map((item) => `+${item}`);
  const removed = (old ?? []).filter((item) => !after.has(item)).map((item) => `-${item}`);
  if (added.length + removed.length === 0) return [];
  return [`${label}: ${[...firstItems(added, "added"), ...firstItems(removed, "removed")].join(" ")}`];
}

function firstItems(items: readonly string[], what: string): readonly string[] {
  const more = items.length - mostItemsTold;
  return more <= 0 ? items : [...items.slice(0, mostItemsTold), `(and ${more} more ${what})`];
}

function operatorDetails(now: OperatorState, old: OperatorState | undefined): string[] {
  return [...told("enabled", old?.enabled, now.enabled), ...toldList("prefixes", old?.prefixes, now.prefixes)];
}

/**
 * Shows only differences from the defaults for a new connector, and for a key that an older version
 * did not know.
 */
function connectorDetails(now: ConnectorState, old: ConnectorState | undefined): string[] {
  const { type } = now.settings;
  const newConnector = { ...defaultsOf({ type }), type, enabled: true, paused: false };
  const before: Readonly<Record<string, unknown>> = old
    ? { ...newConnector, ...old.settings, enabled: old.enabled, paused: old.paused }
    : newConnector;
  const details = Object.entries({ ...now.settings, enabled: now.enabled, paused: now.paused }).flatMap(
    ([key, value]: [string, unknown]) => (key === "password" ? [] : settingDetails(key, before[key], value)),
  );
  const newPassword = old !== undefined && old.settings.password !== now.settings.password;
  return newPassword ? [...details, "password changed"] : details;
}

function settingDetails(key: string, old: unknown, now: unknown): string[] {
  if (Array.isArray(now)) return toldList(key, old as readonly string[] | undefined, now as readonly string[]);
  return told(key, plainSetting(old), plainSetting(now));
}

/** A setting as text. Of a certificate only its presence and identity. */
function plainSetting(value: unknown): Plain {
  if (typeof value !== "object" || value === null) return value as Plain;
  const { ca, ...rest } = value as Readonly<Record<string, unknown>>;
  const certificate =
    typeof ca === "string" ? { ca: `certificates of ${ca.length} characters, …${lastBase64(ca)}` } : {};
  return JSON.stringify({ ...certificate, ...rest });
}

function lastBase64(pem: string): string {
  return pem.replace(/-----[^-]*-----|\s/g, "").slice(-12);
}

function lineDetails(now: LineState, old: LineState | undefined): string[] {
  const listed = ({ connectors }: LineState): string => connectors?.join(" ") ?? "all";
  const isListed = now.connectors !== null || old !== undefined;
  return [
    ...told("kind", old?.kind, now.kind),
    ...told("inbound", old?.inbound, now.inbound),
    ...(isListed ? told("connectors", old && listed(old), listed(now)) : []),
    ...told("optOut", old?.optOut, now.optOut),
  ];
}

function priceText({ operator, line, language, price }: TariffPrice): string {
  return `${operator}/${line}/${language}=${formatRials(price)}`;
}

function tariffDetails(now: readonly TariffPrice[], old: readonly TariffPrice[] | undefined): string[] {
  return toldList("prices", old?.map(priceText), now.map(priceText));
}

function accountDetails(now: AccountState, old: AccountState | undefined): string[] {
  const credit = ({ unlimited, balance }: AccountState): string => (unlimited ? "unlimited" : formatRials(balance));
  return [
    ...told("domain", old?.domain, now.domain),
    ...(old === undefined ? told("credit", undefined, credit(now)) : toldLimit(now, old)),
    ...told("tariff", old?.tariff, now.tariff),
    ...toldList("lines", old?.lines, now.lines),
    ...toldList("permissions", old?.permissions, now.permissions),
    ...told("requestsPerSecond", old?.requestsPerSecond, now.requestsPerSecond),
    ...limitDetails(now, old),
    ...toldList("allowedIps", old?.allowedIps, now.allowedIps),
    ...toldList("blockedRecipients", old?.blockedRecipients, now.blockedRecipients),
    ...toldList("users", old && [...old.users.keys()], [...now.users.keys()]),
    ...[...now.users].flatMap(([username, user]) => userDetails(username, user, old?.users.get(username))),
    ...toldList("apiKeys", old && [...old.apiKeys.keys()], [...now.apiKeys.keys()]),
    ...[...now.apiKeys].flatMap(([name, key]) => apiKeyDetails(name, key, old?.apiKeys.get(name))),
    ...toldList("webhooks", old && [...old.endpoints.keys()], [...now.endpoints.keys()]),
    ...[...now.endpoints].flatMap(([name, endpoint]) => endpointDetails(name, endpoint, old?.endpoints.get(name))),
  ];
}

function limitDetails(now: AccountState, old: AccountState | undefined): string[] {
  return [
    ...told("lowCredit", (old?.lowCredit ?? 0n).toString(), now.lowCredit.toString()),
    ...told("duplicateSeconds", old?.duplicateSeconds ?? 0, now.duplicateSeconds),
    ...told("dailyMessages", old?.dailyMessages ?? 0, now.dailyMessages),
    ...told("monthlyCost", (old?.monthlyCost ?? 0n).toString(), now.monthlyCost.toString()),
  ];
}

export function userDetails(username: string, now: UserState, old: UserState | undefined): string[] {
  return [
    ...told(`user ${username}, role`, old?.role ?? "owner", now.role),
    ...(old === undefined || old.passwordHash === now.passwordHash ? [] : [`user ${username}: password changed`]),
  ];
}

function staffDetails(now: StaffState, old: StaffState | undefined): string[] {
  return [
    ...told("role", old?.role, now.role),
    ...told("enabled", old?.enabled, now.enabled),
    ...(old === undefined || old.passwordHash === now.passwordHash ? [] : ["password changed"]),
  ];
}

function lostAccount({ balance, unlimited, users, apiKeys, endpoints }: AccountState): string[] {
  return [
    `balance: ${formatRials(balance)}${unlimited ? ", unlimited" : ""}`,
    ...toldList("users", [...users.keys()], []),
    ...toldList("apiKeys", [...apiKeys.keys()], []),
    ...toldList("webhooks", [...endpoints.keys()], []),
  ];
}

function toldLimit(now: AccountState, old: AccountState): string[] {
  return told("credit", old.unlimited ? "unlimited" : "limited", now.unlimited ? "unlimited" : "limited");
}

export function apiKeyDetails(name: string, now: ApiKeyState, old: ApiKeyState | undefined): string[] {
  const isOther = old !== undefined && old.sha256Hex !== now.sha256Hex;
  return [
    ...(isOther ? [`API key ${name}: key changed`] : []),
    ...toldList(`API key ${name}, allowedIps`, old?.allowedIps, now.allowedIps),
    ...told(`API key ${name}, expires`, old && expiryOf(old), expiryOf(now)),
  ];
}

export function endpointDetails(name: string, now: EndpointState, old: EndpointState | undefined): string[] {
  return [
    ...told(`webhook ${name}, url`, old?.url, now.url),
    ...toldList(`webhook ${name}, events`, old?.events, now.events),
    ...told(`webhook ${name}, batchSize`, old?.batchSize ?? 1, now.batchSize),
    ...told(`webhook ${name}, enabled`, old?.enabled ?? true, now.enabled),
    ...(old === undefined || old.secret === now.secret ? [] : [`webhook ${name}: secret changed`]),
  ];
}

function expiryOf({ expiresAt }: ApiKeyState): string | null {
  return expiresAt === null ? null : expiresAt.toISOString();
}

function templateDetails(now: TemplateState, old: TemplateState | undefined): string[] {
  return [
    ...told("account", old?.account, now.account),
    ...told("content", old && JSON.stringify(old.content), JSON.stringify(now.content)),
    ...told("sender", old?.sender, now.sender),
    ...told("approved", old?.approved, now.approved),
    ...told("refused", old?.refused, now.refused),
    ...told("validSeconds", old?.validSeconds, now.validSeconds),
    ...told("purpose", old?.purpose ?? "code", now.purpose),
  ];
}

/** The order of routes matters: if the remaining routes are reordered, the whole list is shown. */
function compareRoutes(stored: SetupState, desired: SetupState): SetupChange[] {
  const texts = ({ routes }: SetupState): string[] =>
    routes.map(({ operator, line, connectors }) => `${operator}/${line} to ${connectors.join(", ")}`);
  const [old, now] = [texts(stored), texts(desired)];
  if (JSON.stringify(old) === JSON.stringify(now)) return [];
  const action = old.length === 0 ? "create" : now.length === 0 ? "remove" : "change";
  return [{ action, kind: "route", name: "routes", details: action === "create" ? now : routeDetails(old, now) }];
}

const longestRuleText = 300;

function compareRules(section: RuleSection, { rules: old }: SetupState, { rules: now }: SetupState): SetupChange[] {
  const [before, after] = [old[section].map(ruleText), now[section].map(ruleText)];
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const action = before.length === 0 ? "create" : after.length === 0 ? "remove" : "change";
  const details = action === "create" ? after : routeDetails(before, after);
  return [{ action, kind: "rules", name: section, details: details.map(shortRule) }];
}

function ruleText(rule: object): string {
  return JSON.stringify(rule);
}

function shortRule(text: string): string {
  return text.length > longestRuleText ? `${text.slice(0, longestRuleText).replace(/[\ud800-\udbff]$/, "")}…` : text;
}

/** null: the usual words. */
function toldWords(label: string, old: readonly string[] | null, now: readonly string[] | null): string[] {
  const text = (words: readonly string[] | null): string => (words === null ? "default" : words.join(", "));
  return told(label, text(old), text(now));
}

function routeDetails(old: readonly string[], now: readonly string[]): string[] {
  const [before, after] = [new Set(old), new Set(now)];
  const stayed = (list: readonly string[]): string =>
    JSON.stringify(list.filter((text) => before.has(text) && after.has(text)));
  return [
    ...now.flatMap((text, index) => (before.has(text) ? [] : [`+ ${text} (place ${index + 1} of ${now.length})`])),
    ...old.filter((text) => !after.has(text)).map((text) => `- ${text}`),
    ...(stayed(old) === stayed(now) ? [] : ["in this order:", ...now.map((text) => `  ${text}`)]),
  ];
}

function compareSettings({ settings: old }: SetupState, { settings: now }: SetupState): SetupChange[] {
  const details = [
    ...told("systemLines.service", old.service, now.service),
    ...told("systemLines.advertising", old.advertising, now.advertising),
    ...told("retentionDays", old.retentionDays, now.retentionDays),
    ...told("timeZone", old.timeZone, now.timeZone),
    ...told("calendar", old.calendar, now.calendar),
    ...told("eventDays", old.eventDays ?? "default", now.eventDays ?? "default"),
    ...told("contentDays", old.contentDays, now.contentDays),
    ...told("codeContentHours", old.codeContentHours, now.codeContentHours),
    ...toldWords("optOutWords.stop", old.optOutStop, now.optOutStop),
    ...toldWords("optOutWords.resume", old.optOutResume, now.optOutResume),
    ...told("optOutNotice", old.optOutNotice ?? "default", now.optOutNotice ?? "default"),
    ...told("staffSecondFactor", old.staffSecondFactor, now.staffSecondFactor),
  ];
  return details.length === 0 ? [] : [{ action: "change", kind: "settings", name: "settings", details }];
}
