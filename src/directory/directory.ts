// The whole configuration as one immutable value in memory, with the lookups that every call needs.
// A change builds a new value. Pure: built from rows; never reads the database, the clock or the
// environment.
import { completeConnectorSettings, receiptGroupKey } from "../connectors/connector-settings.ts";
import type { ConnectorSettings, ConnectorSettingsGiven, LinkSettings } from "../connectors/connector-settings.ts";
import type { Language } from "../sms/text-kind.ts";
import type { Msisdn } from "../sms/msisdn.ts";
import { buildNumberingPlan, type NumberingPlan } from "../sms/numbering-plan.ts";
import type { AccountTerms } from "../sms/prepare-message.ts";
import type { Route } from "../sms/routing.ts";
import type { SenderLine } from "../sms/sender-line.ts";
import type { Tariff, TariffPrice } from "../sms/tariff.ts";
import type { Template } from "../sms/template.ts";
import type { AccountRow, ApiKeyRow, ConfigurationRows, TokenKeyRow, UserRow } from "../store/configuration.ts";

export interface Account {
  readonly id: number;
  readonly name: string;
  readonly domain: string;
  /** Names of decisions §6, or "*". */
  readonly permissions: ReadonlySet<string>;
  /** 0 means no limit. */
  readonly requestsPerSecond: number;
  /** CIDR blocks or addresses; empty means from everywhere. */
  readonly allowedIps: readonly string[];
  readonly unlimited: boolean;
  readonly terms: AccountTerms;
  /** Approved or not. */
  readonly templates: readonly Template[];
}

export interface Connector {
  readonly id: number;
  readonly name: string;
  readonly enabled: boolean;
  /** Its binds stay, but nothing is submitted on them. */
  readonly paused: boolean;
  readonly settings: ConnectorSettings;
}

export interface KnownApiKey {
  readonly account: Account;
  readonly name: string;
  readonly allowedIps: readonly string[];
  /** From then on it is as if it were not there. */
  readonly expiresAtMs: number | undefined;
}

export interface KnownUser {
  readonly account: Account;
  readonly userId: number;
  readonly passwordHash: string;
  readonly passwordVersion: number;
  readonly role: UserRow["role"];
}

export type TokenKey = TokenKeyRow;

export interface Directory {
  readonly version: bigint;
  readonly accounts: ReadonlyMap<number, Account>;
  readonly connectors: readonly Connector[];
  /**
   * Maps each connector to the others of its receipt group, including disabled and removed ones.
   */
  readonly receiptKin: ReadonlyMap<number, readonly number[]>;
  /** In the order in which they are tried. */
  readonly routes: readonly Route[];
  readonly lineNumbers: ReadonlySet<string>;
  readonly lines: ReadonlyMap<string, SenderLine>;
  readonly plan: NumberingPlan;
  readonly disabledOperators: ReadonlySet<string>;
  readonly maximumParts: number;
  /** Oldest first. */
  readonly tokenKeys: readonly TokenKey[];
  readonly retentionDays: number;
  /** Of the days of reports. */
  readonly timeZone: string;
  findApiKey(sha256Hex: string): KnownApiKey | undefined;
  findUser(domain: string, username: string): KnownUser | undefined;
  userById(userId: number): KnownUser | undefined;
  /**
   * The account that gets messages received on a line; 0 when there is none, or when several share
   * the line and none is named for it.
   */
  inboundAccountOf(lineNumber: string): number;
  /** The connectors that may bring messages for a line; undefined means all. */
  inboundConnectorsOf(lineNumber: string): ReadonlySet<number> | undefined;
}

export interface DirectoryLimits {
  /** Parts of one message. */
  readonly maximumParts: number;
}

type SharedTerms = Pick<AccountTerms, "plan" | "disabledOperators" | "routes" | "systemLines" | "maximumParts">;

/**
 * What a directory was built from. The next build reuses parts that have not changed and are slow
 * to build.
 */
export interface BuiltDirectory {
  readonly rows: ConfigurationRows;
  readonly directory: Directory;
}

export function buildDirectory(
  rows: ConfigurationRows,
  { maximumParts }: DirectoryLimits,
  previous?: BuiltDirectory,
): Directory {
  const routes = buildRoutes(rows);
  const lines = new Map<string, SenderLine>(rows.lines.map(({ number, kind }) => [number, { number, kind }]));
  const shared: SharedTerms = {
    plan: previous !== undefined && sameNumbering(rows, previous.rows) ? previous.directory.plan : buildPlan(rows),
    disabledOperators: new Set(rows.operators.filter(({ enabled }) => !enabled).map(({ name }) => name)),
    routes,
    systemLines: pickSystemLines(rows, lines),
    maximumParts,
  };
  const accounts = buildAccounts(rows, lines, shared);
  const apiKeys = indexApiKeys(rows.apiKeys, accounts);
  const { usersByName, usersById } = indexUsers(rows.users, accounts);
  const inbound = indexInbound(rows);
  const connectors = rows.connectors.map(buildConnector);
  const inboundConnectors = new Map(
    rows.lines.flatMap(({ number, connectorIds }) =>
      connectorIds === null ? [] : [[number, new Set(connectorIds)] as const],
    ),
  );
  return {
    version: rows.version,
    accounts,
    connectors,
    receiptKin: indexReceiptKin([...connectors, ...rows.removedConnectors]),
    routes,
    lineNumbers: new Set(lines.keys()),
    lines,
    plan: shared.plan,
    disabledOperators: shared.disabledOperators,
    maximumParts,
    tokenKeys: rows.tokenKeys,
    retentionDays: rows.retentionDays,
    timeZone: rows.timeZone,
    findApiKey: (sha256Hex) => apiKeys.get(sha256Hex),
    findUser: (domain, username) => usersByName.get(userKey(domain, username)),
    userById: (userId) => usersById.get(userId),
    inboundAccountOf: (lineNumber) => inbound.get(lineNumber) ?? 0,
    inboundConnectorsOf: (lineNumber) => inboundConnectors.get(lineNumber),
  };
}

function buildConnector({ settings, ...row }: ConfigurationRows["connectors"][number]): Connector {
  return { ...row, settings: completeConnectorSettings(settings as unknown as ConnectorSettingsGiven) };
}

function indexReceiptKin(
  connectors: readonly { readonly id: number; readonly settings: LinkSettings }[],
): ReadonlyMap<number, readonly number[]> {
  const groups = new Map<string, number[]>();
  for (const { id, settings } of connectors) {
    const key = receiptGroupKey(settings);
    groups.set(key, [...(groups.get(key) ?? []), id]);
  }
  return new Map([...groups.values()].flatMap((ids) => ids.map((id) => [id, ids.filter((other) => other !== id)])));
}

function buildRoutes(rows: ConfigurationRows): readonly Route[] {
  const enabled = new Map(rows.connectors.map((connector) => [connector.id, connector.enabled]));
  return rows.routes.map(({ id, operator, line, connectorIds }) => ({
    id,
    operator,
    line,
    connectors: connectorIds.map((connectorId) => ({ id: connectorId, enabled: enabled.get(connectorId) ?? false })),
  }));
}

// Indexing hundreds of thousands of ported numbers is slow and they rarely change; comparing the
// texts is fast.
function sameNumbering(rows: ConfigurationRows, before: ConfigurationRows): boolean {
  const ported = (row: ConfigurationRows["portedNumbers"][number], index: number): boolean =>
    row.operator === before.portedNumbers[index]?.operator && row.numbers === before.portedNumbers[index].numbers;
  const prefixes = (row: ConfigurationRows["operators"][number], index: number): boolean =>
    row.name === before.operators[index]?.name && row.prefixes.join() === before.operators[index].prefixes.join();
  return (
    rows.portedNumbers.length === before.portedNumbers.length &&
    rows.operators.length === before.operators.length &&
    rows.portedNumbers.every(ported) &&
    rows.operators.every(prefixes)
  );
}

function buildPlan({ operators, portedNumbers }: ConfigurationRows): NumberingPlan {
  const prefixes = operators.flatMap(({ name, prefixes }) => prefixes.map((prefix) => [prefix, name] as const));
  return buildNumberingPlan(prefixes, listPortedNumbers(portedNumbers));
}

/** The numbers were validated when they were written, so the cast is safe. */
function* listPortedNumbers(rows: ConfigurationRows["portedNumbers"]): Iterable<readonly [Msisdn, string]> {
  for (const { operator, numbers } of rows) {
    for (const number of numbers.split(",")) yield [number as Msisdn, operator];
  }
}

function pickSystemLines(rows: ConfigurationRows, lines: ReadonlyMap<string, SenderLine>): AccountTerms["systemLines"] {
  const service = rows.systemServiceLine === null ? undefined : lines.get(rows.systemServiceLine);
  const advertising = rows.systemAdvertisingLine === null ? undefined : lines.get(rows.systemAdvertisingLine);
  return { ...(service && { service }), ...(advertising && { advertising }) };
}

function buildAccounts(
  rows: ConfigurationRows,
  lines: ReadonlyMap<string, SenderLine>,
  shared: SharedTerms,
): ReadonlyMap<number, Account> {
  const tariffs = new Map(rows.tariffs.map((row) => [row.id, buildTariff(row)]));
  const templates = indexTemplates(rows);
  return new Map(
    rows.accounts.map((row) => {
      const tariff = tariffs.get(row.tariffId);
      if (tariff === undefined) throw new Error(`account ${row.name} has no tariff`);
      const own = templates.get(row.id);
      const terms: AccountTerms = {
        ...shared,
        lines: pickLines(row, lines),
        tariff,
        blockedRecipients: new Set(row.blockedRecipients),
        template: (id) => own?.get(id),
      };
      const { id, name, domain, requestsPerSecond, allowedIps, unlimited } = row;
      const permissions = new Set(row.permissions);
      const listed = [...(own?.values() ?? [])];
      return [
        id,
        { id, name, domain, permissions, requestsPerSecond, allowedIps, unlimited, terms, templates: listed },
      ];
    }),
  );
}

function pickLines(row: AccountRow, lines: ReadonlyMap<string, SenderLine>): ReadonlyMap<string, SenderLine> {
  const own = new Map<string, SenderLine>();
  for (const number of row.lines) {
    const line = lines.get(number);
    if (line !== undefined) own.set(number, line);
  }
  return own;
}

function buildTariff({ name, prices }: ConfigurationRows["tariffs"][number]): Tariff {
  const typed = prices.map(({ operator, line, language, price }): TariffPrice => ({
    operator,
    line,
    language: language as Language | "*",
    price: BigInt(price),
  }));
  return { name, prices: typed };
}

function indexTemplates(rows: ConfigurationRows): ReadonlyMap<number, ReadonlyMap<string, Template>> {
  const byAccount = new Map<number, Map<string, Template>>();
  for (const { id, accountId, content, sender, approved, validSeconds } of rows.templates) {
    const own = byAccount.get(accountId) ?? new Map<string, Template>();
    own.set(id, {
      id,
      content,
      approved,
      ...(sender === null ? {} : { sender }),
      ...(validSeconds === null ? {} : { validSeconds }),
    });
    byAccount.set(accountId, own);
  }
  return byAccount;
}

function indexApiKeys(
  rows: readonly ApiKeyRow[],
  accounts: ReadonlyMap<number, Account>,
): ReadonlyMap<string, KnownApiKey> {
  const byHash = new Map<string, KnownApiKey>();
  for (const { accountId, name, sha256Hex, allowedIps, expiresAt } of rows) {
    const account = accounts.get(accountId);
    const expiresAtMs = expiresAt?.getTime();
    if (account !== undefined) byHash.set(sha256Hex, { account, name, allowedIps, expiresAtMs });
  }
  return byHash;
}

function indexUsers(rows: readonly UserRow[], accounts: ReadonlyMap<number, Account>) {
  const usersByName = new Map<string, KnownUser>();
  const usersById = new Map<number, KnownUser>();
  for (const { id, accountId, username, passwordHash, passwordVersion, role, enabled } of rows) {
    const account = accounts.get(accountId);
    if (account === undefined || !enabled) continue;
    const user: KnownUser = { account, userId: id, passwordHash, passwordVersion, role };
    usersById.set(id, user);
    usersByName.set(userKey(account.domain, username), user);
  }
  return { usersByName, usersById };
}

/** Domains are host names, so their case has no meaning; the case of a username has. */
function userKey(domain: string, username: string): string {
  return `${domain.toLowerCase()}\n${username}`;
}

/** Decisions §3 "Received": the line's `inbound` account, else its only account, else none. */
function indexInbound(rows: ConfigurationRows): ReadonlyMap<string, number> {
  const users = new Map<string, number>();
  for (const { id, lines } of rows.accounts) {
    for (const number of lines) users.set(number, users.has(number) ? 0 : id);
  }
  return new Map(
    rows.lines.map(({ number, inboundAccountId }) => [number, inboundAccountId ?? users.get(number) ?? 0]),
  );
}
