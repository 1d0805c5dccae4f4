// What all accounts share: operators, connectors, routes, lines, tariffs and settings. Small beside
// the accounts, so it is built again when one of them changes. Pure.
import { connectorFields, receiptGroupKey, type ConnectorSettings } from "../connectors/connector-settings.ts";
import { type Fields, storedValues, type Values } from "../fields/field.ts";
import { lineFields, operatorFields, routeFields, tariffFields } from "../fields/network-fields.ts";
import {
  blockListFields,
  contentRuleFields,
  inboundRuleFields,
  sendingHoursFields,
  settingsFields,
} from "../fields/service-fields.ts";
import type { OperatorLink } from "../connectors/link-settings.ts";
import { CalendarPeriods } from "../sms/account-limits.ts";
import { type CompiledRules, compileRules, type ListedNumbers, type RuleLists } from "../sms/account-rules.ts";
import { InboundRules } from "../sms/replies.ts";
import { numberingPlanOf, type PortedNumbers } from "../sms/numbering-plan.ts";
import { noOptOuts, type OptOuts, defaultOptOutNotice, defaultOptOutWords, WordReader } from "../sms/opt-out-index.ts";
import type { AccountTerms } from "../sms/prepare-message.ts";
import type { Route } from "../sms/routing.ts";
import type { SenderLine } from "../sms/sender-line.ts";
import type { Tariff } from "../sms/tariff.ts";
import type { RemovedConnectorRow, TokenKeyRow } from "../store/configuration.ts";
import type { ObjectRow, ObjectRows } from "../store/configured-objects.ts";

export interface Connector extends OperatorLink {
  readonly enabled: boolean;
  /** Its binds stay, but nothing is submitted on them. */
  readonly paused: boolean;
  readonly settings: ConnectorSettings;
}

export type TokenKey = TokenKeyRow;

/** A line, of which there may be as many as accounts. */
export interface KnownLine extends SenderLine {
  /** The name of the account that gets what comes in on it. */
  readonly inbound?: string;
  /** The connectors that may bring messages for it; absent: all. */
  readonly connectors?: ReadonlySet<number>;
}

/** By number. */
export type KnownLines = ReadonlyMap<string, KnownLine>;

export type SharedTerms = Pick<
  AccountTerms,
  "plan" | "disabledOperators" | "routes" | "systemLines" | "maximumParts" | "optOuts" | "listed"
>;

export interface Network extends SharedTerms {
  readonly compiledRules: CompiledRules;
  readonly connectors: readonly Connector[];
  readonly receiptGroups: ReadonlyMap<number, readonly number[]>;
  readonly lines: KnownLines;
  readonly tariffs: ReadonlyMap<string, Tariff>;
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

/** The days that are kept of events where none are given. */
const usualEventDays = 30;

export interface DirectoryLimits {
  /** Parts of one message. */
  readonly maximumParts: number;
  /** Shared by all directories, because it changes on its own; absent: none. */
  readonly optOuts?: OptOuts;
}

/** `ids`: of connectors, by name. */
export function lineOf({ name: number, body }: ObjectRow, ids: ReadonlyMap<string, number>): KnownLine {
  const { kind, optOut, inbound, connectors } = storedValues(lineFields, body);
  return {
    ...{ number, kind },
    ...(optOut !== null && { optOut }),
    ...(inbound !== null && { inbound }),
    ...(connectors !== null && { connectors: new Set(connectors.flatMap((connector) => ids.get(connector) ?? [])) }),
  };
}

/** The ids of objects by their names. */
export function idsOf(objects: readonly { readonly id: number; readonly name: string }[]): ReadonlyMap<string, number> {
  return new Map(objects.map(({ id, name }) => [name, id]));
}

/** By the million. */
export interface NetworkNumbers {
  readonly ported: PortedNumbers;
  readonly listed: ListedNumbers;
}

export interface NetworkRows {
  /** Without lines. */
  readonly objects: ObjectRows;
  readonly removedConnectors: readonly RemovedConnectorRow[];
  readonly tokenKeys: readonly TokenKeyRow[];
}

export function buildNetwork(
  { objects, removedConnectors, tokenKeys }: NetworkRows,
  lines: KnownLines,
  { ported, listed }: NetworkNumbers,
  { maximumParts, optOuts = noOptOuts }: DirectoryLimits,
): Network {
  const connectors = objects.connectors.map(buildConnector);
  const operators = objects.operators.map(({ name, body }) => ({ name, ...storedValues(operatorFields, body) }));
  const given = settingsOf(objects);
  const rules: RuleLists = {
    blockLists: readAll(blockListFields, objects.blockLists),
    sendingHours: readAll(sendingHoursFields, objects.sendingHours),
    contentRules: readAll(contentRuleFields, objects.contentRules),
    inboundRules: readAll(inboundRuleFields, objects.inboundRules),
  };
  return {
    plan: numberingPlanOf(
      operators.flatMap(({ name, prefixes }) => prefixes.map((prefix) => [prefix, name] as const)),
      ported,
    ),
    disabledOperators: new Set(operators.filter(({ enabled }) => !enabled).map(({ name }) => name)),
    routes: buildRoutes(objects.routes, connectors),
    systemLines: pickSystemLines(given, lines),
    maximumParts,
    connectors,
    receiptGroups: indexReceiptGroups([...connectors, ...removedConnectors]),
    lines,
    tariffs: new Map(objects.tariffs.map(({ name, body }) => [name, { name, ...storedValues(tariffFields, body) }])),
    tokenKeys,
    optOuts,
    listed,
    settings: networkSettings(objects),
    periods: new CalendarPeriods(given),
    rules,
    compiledRules: compileRules(rules),
    inboundRules: new InboundRules(rules.inboundRules),
    optOutWords: new WordReader({
      stop: given.optOutStop ?? defaultOptOutWords.stop,
      resume: given.optOutResume ?? defaultOptOutWords.resume,
    }),
  };
}

function readAll<Declared extends Fields>(fields: Declared, rows: readonly ObjectRow[]): readonly Values<Declared>[] {
  return rows.map(({ body }) => storedValues(fields, body));
}

type Settings = Values<typeof settingsFields>;

function settingsOf({ settings: [row] }: Pick<ObjectRows, "settings">): Settings {
  return storedValues(settingsFields, row?.body ?? {});
}

export function networkSettings(objects: Pick<ObjectRows, "settings">): NetworkSettings {
  const given = settingsOf(objects);
  const { retentionDays, timeZone, calendar, contentDays, codeContentHours, customerNote } = given;
  return {
    ...{ retentionDays, timeZone, calendar, contentDays, codeContentHours, customerNote },
    eventDays: given.eventDays ?? Math.min(usualEventDays, retentionDays),
    optOutNotice: given.optOutNotice ?? defaultOptOutNotice,
  };
}

export function buildConnector({ id, name, body }: ObjectRow): Connector {
  const { enabled, paused, ...settings } = storedValues(connectorFields, body);
  return { id, name, enabled, paused, settings };
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

export function buildRoutes(rows: readonly ObjectRow[], connectors: readonly Connector[]): readonly Route[] {
  const byName = new Map(connectors.map((connector) => [connector.name, connector]));
  return rows.map(({ id, body }) => {
    const { connectors: names, ...match } = storedValues(routeFields, body);
    const ofRoute = names.flatMap((name) => byName.get(name) ?? []);
    return { id, ...match, connectors: ofRoute.map((connector) => ({ id: connector.id, enabled: connector.enabled })) };
  });
}

function pickSystemLines(settings: Settings, lines: ReadonlyMap<string, SenderLine>): AccountTerms["systemLines"] {
  const service = settings.service === null ? undefined : lines.get(settings.service);
  const advertising = settings.advertising === null ? undefined : lines.get(settings.advertising);
  return { ...(service && { service }), ...(advertising && { advertising }) };
}
