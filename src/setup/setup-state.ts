// The whole configuration by name, as in a setup file: the stored state, and the desired one. Pure;
// never modified in place.
import type { ConnectorSettings } from "../connectors/connector-settings.ts";
import type { StaffRole, UserRole } from "../credentials/abilities.ts";
import type { OptOutMode, LineKind } from "../sms/sender-line.ts";
import { type RuleLists, ruleListsOf } from "../sms/rule-lists.ts";
import type { TariffPrice } from "../sms/tariff.ts";
import type { ConfigurationRows } from "../store/configuration.ts";
import type { TemplatePurpose } from "../sms/template.ts";
import type { Calendar, SecondFactorRule } from "./setup.ts";

export interface OperatorState {
  readonly enabled: boolean;
  readonly prefixes: readonly string[];
}

export interface ConnectorState {
  readonly enabled: boolean;
  /** Its binds stay, but nothing is submitted on them. */
  readonly paused: boolean;
  /** `tls.ca` is PEM text. Keys that an older version did not know are absent. */
  readonly settings: Partial<ConnectorSettings>;
}

export interface RouteState {
  readonly operator: string;
  readonly line: string;
  readonly connectors: readonly string[];
}

export interface LineState {
  readonly kind: LineKind;
  readonly inbound: string | null;
  /** Connectors that may bring messages for it, sorted; null: all. */
  readonly connectors: readonly string[] | null;
  /** null: that of its kind. */
  readonly optOut: OptOutMode | null;
}

export interface ApiKeyState {
  readonly sha256Hex: string;
  readonly allowedIps: readonly string[];
  readonly expiresAt: Date | null;
}

export interface EndpointState {
  readonly url: string;
  readonly events: readonly string[];
  readonly batchSize: number;
  readonly enabled: boolean;
  /** null: one is made when it is saved. */
  readonly secret: string | null;
}

export interface UserState {
  readonly passwordHash: string;
  readonly role: UserRole;
}

export interface StaffState {
  readonly passwordHash: string;
  readonly role: StaffRole;
  readonly enabled: boolean;
}

export interface AccountState {
  readonly domain: string;
  readonly tariff: string;
  readonly lines: readonly string[];
  readonly permissions: readonly string[];
  readonly requestsPerSecond: number;
  readonly allowedIps: readonly string[];
  readonly blockedRecipients: readonly string[];
  readonly unlimited: boolean;
  readonly balance: bigint;
  /** Staff are told when the balance is below it; 0: never. */
  readonly lowCredit: bigint;
  /** 0: off, as the next two. */
  readonly duplicateSeconds: number;
  readonly dailyMessages: number;
  readonly monthlyCost: bigint;
  readonly users: ReadonlyMap<string, UserState>;
  readonly apiKeys: ReadonlyMap<string, ApiKeyState>;
  readonly endpoints: ReadonlyMap<string, EndpointState>;
}

export interface TemplateState {
  readonly account: string;
  readonly content: string;
  readonly sender: string | null;
  readonly approved: boolean;
  /** Why it was refused; null: approved, or waiting to be looked at. */
  readonly refused: string | null;
  readonly validSeconds: number | null;
  readonly purpose: TemplatePurpose;
}

export interface SettingsState {
  readonly service: string | null;
  readonly advertising: string | null;
  readonly retentionDays: number;
  readonly timeZone: string;
  readonly calendar: Calendar;
  /** null: the usual ones, as for the words and the notice. */
  readonly eventDays: number | null;
  readonly contentDays: number;
  readonly codeContentHours: number;
  readonly optOutStop: readonly string[] | null;
  readonly optOutResume: readonly string[] | null;
  readonly optOutNotice: string | null;
  readonly staffSecondFactor: SecondFactorRule;
}

export interface SetupState {
  readonly operators: ReadonlyMap<string, OperatorState>;
  /** Number to operator, without the imported ones. */
  readonly portedNumbers: ReadonlyMap<string, string>;
  /** Operators of imported numbers. */
  readonly importedOperators: ReadonlySet<string>;
  readonly connectors: ReadonlyMap<string, ConnectorState>;
  readonly routes: readonly RouteState[];
  readonly rules: RuleLists;
  /** Names; what is on the lists is no part of a setup. */
  readonly blockLists: ReadonlySet<string>;
  readonly lines: ReadonlyMap<string, LineState>;
  readonly tariffs: ReadonlyMap<string, readonly TariffPrice[]>;
  readonly accounts: ReadonlyMap<string, AccountState>;
  readonly templates: ReadonlyMap<string, TemplateState>;
  readonly settings: SettingsState;
  /** By username; empty where they were not read. */
  readonly staff: ReadonlyMap<string, StaffState>;
}

export function stateOf(rows: ConfigurationRows): SetupState {
  const connectorNames = new Map(rows.connectors.map(({ id, name }) => [id, name]));
  const accountNames = new Map(rows.accounts.map(({ id, name }) => [id, name]));
  return {
    operators: new Map(rows.operators.map(({ name, enabled, prefixes }) => [name, { enabled, prefixes }])),
    portedNumbers: new Map(
      rows.portedNumbers.flatMap(({ operator, numbers }) =>
        numbers.split(",").map((number) => [number, operator] as const),
      ),
    ),
    importedOperators: new Set(
      rows.operators.filter(({ hasImportedNumbers }) => hasImportedNumbers).map(({ name }) => name),
    ),
    connectors: new Map(
      rows.connectors.map(({ name, enabled, paused, settings }) => [
        name,
        // Validated when they were stored.
        { enabled, paused, settings: settings },
      ]),
    ),
    routes: rows.routes.map(({ operator, line, connectorIds }) => ({
      operator,
      line,
      connectors: connectorIds.map((id) => nameOf(connectorNames, id)),
    })),
    rules: ruleListsOf(rows.rules),
    blockLists: new Set(rows.blockLists.map(({ name }) => name)),
    lines: new Map(
      rows.lines.map(({ number, kind, inboundAccount, connectorIds, optOut }) => [
        number,
        {
          kind,
          inbound: inboundAccount,
          connectors: connectorIds?.map((id) => nameOf(connectorNames, id)).toSorted() ?? null,
          optOut,
        },
      ]),
    ),
    tariffs: new Map(
      rows.tariffs.map(({ name, prices }) => [
        name,
        prices.map((row) => ({ ...row, price: BigInt(row.price) }) as TariffPrice),
      ]),
    ),
    accounts: accountStates(rows),
    templates: new Map(
      rows.templates.map(({ id, accountId, ...template }) => [
        id,
        { ...template, account: nameOf(accountNames, accountId) },
      ]),
    ),
    settings: settingsState(rows),
    staff: new Map(rows.staff.map(({ username, ...staff }) => [username, staff])),
  };
}

function settingsState(rows: ConfigurationRows): SettingsState {
  const { systemServiceLine, systemAdvertisingLine, retentionDays, timeZone, calendar, staffSecondFactor } = rows;
  const { eventDays, contentDays, codeContentHours, optOutStop, optOutResume, optOutNotice } = rows;
  return {
    service: systemServiceLine,
    advertising: systemAdvertisingLine,
    ...{ retentionDays, timeZone, staffSecondFactor, calendar, eventDays, contentDays, codeContentHours },
    ...{ optOutStop, optOutResume, optOutNotice },
  };
}

function accountStates(rows: ConfigurationRows): ReadonlyMap<string, AccountState> {
  const tariffNames = new Map(rows.tariffs.map(({ id, name }) => [id, name]));
  const users = groupByAccount(rows.users);
  const apiKeys = groupByAccount(rows.apiKeys);
  const endpoints = groupByAccount(rows.endpoints);
  return new Map(
    rows.accounts.map(({ id, name, tariffId, ...account }) => [
      name,
      {
        ...account,
        tariff: nameOf(tariffNames, tariffId),
        users: new Map(users.get(id)?.map(({ username, passwordHash, role }) => [username, { passwordHash, role }])),
        apiKeys: new Map(apiKeys.get(id)?.map((key) => [key.name, key])),
        endpoints: new Map(
          endpoints
            .get(id)
            ?.map(({ name: given, url, events, batchSize, enabled, secret }) => [
              given,
              { url, events, batchSize, enabled, secret },
            ]),
        ),
      },
    ]),
  );
}

function groupByAccount<Row extends { readonly accountId: number }>(rows: readonly Row[]): Map<number, Row[]> {
  const groups = new Map<number, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.accountId);
    if (group === undefined) groups.set(row.accountId, [row]);
    else group.push(row);
  }
  return groups;
}

function nameOf(names: ReadonlyMap<number, string>, id: number): string {
  const name = names.get(id);
  // Foreign keys rule this out.
  if (name === undefined) throw new Error(`the configuration refers to an object ${id} that does not exist`);
  return name;
}
