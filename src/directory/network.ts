// What all accounts share: operators, connectors, routes, lines, tariffs and settings. Small beside
// the accounts, so it is built again when one of them changes. Pure.
import {
  completeConnectorSettings,
  receiptGroupKey,
  type ConnectorSettings,
  type ConnectorSettingsGiven,
} from "../connectors/connector-settings.ts";
import type { OperatorLink } from "../connectors/link-settings.ts";
import { CalendarPeriods } from "../sms/account-limits.ts";
import {
  type CompiledRules,
  compileRules,
  type ListedNumbers,
  type RuleLists,
  ruleListsOf,
} from "../sms/account-rules.ts";
import { InboundRules } from "../sms/replies.ts";
import { numberingPlanOf, type NumberingPlan, type PortedNumbers } from "../sms/numbering-plan.ts";
import { noOptOuts, type OptOuts, defaultOptOutNotice, defaultOptOutWords, WordReader } from "../sms/opt-out-index.ts";
import type { AccountTerms } from "../sms/prepare-message.ts";
import type { Route } from "../sms/routing.ts";
import type { SenderLine } from "../sms/sender-line.ts";
import type { Tariff } from "../sms/tariff.ts";
import type { Language } from "../sms/text-kind.ts";
import type { ConfigurationRows, LineRow, TokenKeyRow } from "../store/configuration.ts";

export interface Connector extends OperatorLink {
  readonly enabled: boolean;
  /** Its binds stay, but nothing is submitted on them. */
  readonly paused: boolean;
  readonly settings: ConnectorSettings;
}

export type TokenKey = TokenKeyRow;

export type NetworkRows = Pick<
  ConfigurationRows,
  "settings" | "operators" | "connectors" | "removedConnectors" | "routes" | "rules" | "tariffs" | "tokenKeys"
>;

/** The lines, which may be as many as the accounts. */
export interface LineIndex {
  readonly lines: Map<string, SenderLine>;
  /** The account that gets what comes in on a line, where one is named. */
  readonly inboundAccounts: Map<string, number>;
  /** The connectors that may bring messages for a line; absent: all. */
  readonly inboundConnectors: Map<string, ReadonlySet<number>>;
}

export type SharedTerms = Pick<
  AccountTerms,
  "plan" | "disabledOperators" | "routes" | "systemLines" | "maximumParts" | "optOuts" | "listed"
>;

export interface Network extends SharedTerms {
  readonly compiledRules: CompiledRules;
  readonly connectors: readonly Connector[];
  readonly receiptGroups: ReadonlyMap<number, readonly number[]>;
  readonly lineIndex: LineIndex;
  readonly tariffs: ReadonlyMap<number, Tariff>;
  readonly tokenKeys: readonly TokenKey[];
  readonly settings: NetworkSettings;
  readonly periods: CalendarPeriods;
  readonly rules: RuleLists;
  readonly inboundRules: InboundRules;
  readonly optOutWords: WordReader;
}

/** Top-level keys of the setup file. */
export interface NetworkSettings {
  readonly retentionDays: number;
  /** Of days and months. */
  readonly timeZone: string;
  /** Of months. */
  readonly calendar: "jalali" | "gregorian";
  readonly eventDays: number;
  /** 0: as long as the message. */
  readonly contentDays: number;
  readonly codeContentHours: number;
  readonly optOutNotice: string;
  /** What customers read on their first page; null: nothing. */
  readonly customerNote: string | null;
}

const usualEventDays = 30;

/** The days that are kept of events where none are given. */
export function defaultEventDays(retentionDays: number): number {
  return Math.min(usualEventDays, retentionDays);
}

export interface DirectoryLimits {
  /** Parts of one message. */
  readonly maximumParts: number;
  /** Shared by all directories, because it changes on its own; absent: none. */
  readonly optOuts?: OptOuts;
}

export function emptyLineIndex(): LineIndex {
  return { lines: new Map(), inboundAccounts: new Map(), inboundConnectors: new Map() };
}

/** While the index is built. */
export function addLine(index: LineIndex, row: LineRow): void {
  const { number, kind, inboundAccountId, connectorIds, optOut } = row;
  index.lines.set(number, optOut === null ? { number, kind } : { number, kind, optOut });
  if (inboundAccountId !== null) index.inboundAccounts.set(number, inboundAccountId);
  if (connectorIds !== null) index.inboundConnectors.set(number, new Set(connectorIds));
}

/** By the million. */
export interface NetworkNumbers {
  readonly ported: PortedNumbers;
  readonly listed: ListedNumbers;
}

export function buildNetwork(
  rows: NetworkRows,
  lineIndex: LineIndex,
  { ported, listed }: NetworkNumbers,
  { maximumParts, optOuts = noOptOuts }: DirectoryLimits,
): Network {
  const connectors = rows.connectors.map(buildConnector);
  const rules = ruleListsOf(rows.rules);
  return {
    plan: buildPlan(rows, ported),
    disabledOperators: new Set(rows.operators.filter(({ enabled }) => !enabled).map(({ name }) => name)),
    routes: buildRoutes(rows),
    systemLines: pickSystemLines(rows, lineIndex.lines),
    maximumParts,
    connectors,
    receiptGroups: indexReceiptGroups([...connectors, ...rows.removedConnectors]),
    lineIndex,
    tariffs: new Map(rows.tariffs.map((row) => [row.id, buildTariff(row)])),
    tokenKeys: rows.tokenKeys,
    optOuts,
    listed,
    settings: settingsOf(rows.settings),
    periods: new CalendarPeriods(rows.settings),
    rules,
    compiledRules: compileRules(rules),
    inboundRules: new InboundRules(rules.inboundRules),
    optOutWords: new WordReader({
      stop: rows.settings.optOutStop ?? defaultOptOutWords.stop,
      resume: rows.settings.optOutResume ?? defaultOptOutWords.resume,
    }),
  };
}

function settingsOf(given: NetworkRows["settings"]): NetworkSettings {
  const { retentionDays, timeZone, calendar, contentDays, codeContentHours, customerNote } = given;
  return {
    ...{ retentionDays, timeZone, calendar, contentDays, codeContentHours, customerNote },
    eventDays: given.eventDays ?? defaultEventDays(retentionDays),
    optOutNotice: given.optOutNotice ?? defaultOptOutNotice,
  };
}

export function buildConnector({ settings, ...row }: NetworkRows["connectors"][number]): Connector {
  return { ...row, settings: completeConnectorSettings(settings as unknown as ConnectorSettingsGiven) };
}

function indexReceiptGroups(
  connectors: readonly { readonly id: number; readonly settings: Parameters<typeof receiptGroupKey>[0] }[],
): ReadonlyMap<number, readonly number[]> {
  const groups = new Map<string, number[]>();
  for (const { id, settings } of connectors) {
    const key = receiptGroupKey(settings);
    groups.set(key, [...(groups.get(key) ?? []), id]);
  }
  return new Map([...groups.values()].flatMap((ids) => ids.map((id) => [id, ids.filter((other) => other !== id)])));
}

export function buildRoutes(rows: Pick<NetworkRows, "connectors" | "routes">): readonly Route[] {
  const enabled = new Map(rows.connectors.map((connector) => [connector.id, connector.enabled]));
  return rows.routes.map(({ id, operator, line, connectorIds }) => ({
    id,
    operator,
    line,
    connectors: connectorIds.map((connectorId) => ({ id: connectorId, enabled: enabled.get(connectorId) ?? false })),
  }));
}

function buildPlan({ operators }: NetworkRows, ported: PortedNumbers): NumberingPlan {
  return numberingPlanOf(
    operators.flatMap(({ name, prefixes }) => prefixes.map((prefix) => [prefix, name] as const)),
    ported,
  );
}

function pickSystemLines(
  { settings }: NetworkRows,
  lines: ReadonlyMap<string, SenderLine>,
): AccountTerms["systemLines"] {
  const service = settings.service === null ? undefined : lines.get(settings.service);
  const advertising = settings.advertising === null ? undefined : lines.get(settings.advertising);
  return { ...(service && { service }), ...(advertising && { advertising }) };
}

function buildTariff({ name, prices }: NetworkRows["tariffs"][number]): Tariff {
  const typed = prices.map(({ operator, line, language, price }) => ({
    operator,
    line,
    language: language as Language | "*",
    price: BigInt(price),
  }));
  return { name, prices: typed };
}
