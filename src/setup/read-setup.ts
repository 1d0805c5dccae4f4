// Reads the values of a setup file into a Setup and checks each key by itself (decisions §6).
// check-setup.ts checks what depends on other objects. Pure; secrets never appear in a fault.
import { settingKeys, readConnectorSettings } from "../connectors/connector-settings.ts";
import { countryCodePattern } from "../sms/msisdn.ts";
import { optOutModes, lineKinds } from "../sms/sender-line.ts";
import { ruleSections } from "../sms/rule-lists.ts";
import { tariffHasDefault, type TariffPrice } from "../sms/tariff.ts";
import { readAccount, readTemplate } from "./read-account.ts";
import { noticeText, readOptOutWords, readRules } from "./read-rules.ts";
import { readStaff } from "./read-staff.ts";
import type { SetupFault } from "./fault.ts";
import { lineMatch, lineNumber, operatorMatch, recipientNumber } from "./read-numbers.ts";
import {
  choice,
  digitsOf,
  nameText,
  ObjectReader,
  operatorName,
  orNone,
  rials,
  timeZoneName,
  ValueFault,
  wholeNumber,
  yesOrNo,
  type ValueReader,
} from "./read-values.ts";
import type {
  Calendar,
  ConnectorSetup,
  LineSetup,
  OperatorSetup,
  PortedNumberSetup,
  RouteSetup,
  SecondFactorRule,
  Setup,
  SystemLinesSetup,
  TariffSetup,
} from "./setup.ts";

const sections = [
  ...["operators", "portedNumbers", "connectors", "routes", "lines", "tariffs", "accounts", "templates"],
  ...["systemLines", "retentionDays", "timeZone", "staffSecondFactor", "staff"],
  ...["calendar", "eventDays", "contentDays", "codeContentHours", "optOutWords", "optOutNotice"],
  ...ruleSections,
];

const maximumRetentionDays = 36_500;
const maximumEventDays = 90;

export interface ReadSetup {
  readonly setup: Setup;
  readonly faults: readonly SetupFault[];
}

export function readSetup(value: unknown): ReadSetup {
  const faults: SetupFault[] = [];
  const root = new ObjectReader({}, [], faults).object([], withoutEmptySections(value)) ?? new ObjectReader({}, [], []);
  root.expectKeys(sections);
  const setup: Setup = {
    operators: root.objects("operators", readOperator) ?? [],
    portedNumbers: root.objects("portedNumbers", readPortedNumber) ?? [],
    connectors: root.objects("connectors", readConnector) ?? [],
    routes: root.objects("routes", readRoute),
    lines: root.objects("lines", readLine) ?? [],
    tariffs: root.objects("tariffs", readTariff) ?? [],
    accounts: root.objects("accounts", readAccount) ?? [],
    templates: root.objects("templates", readTemplate) ?? [],
    systemLines: readSystemLines(root),
    retentionDays: root.optional("retentionDays", wholeNumber(1, maximumRetentionDays)),
    timeZone: root.optional("timeZone", timeZoneName),
    calendar: root.optional("calendar", choice<Calendar>(["jalali", "gregorian"])),
    eventDays: root.optional("eventDays", wholeNumber(1, maximumEventDays)),
    contentDays: root.optional("contentDays", wholeNumber(0, maximumRetentionDays)),
    codeContentHours: root.optional("codeContentHours", wholeNumber(0, 24 * maximumRetentionDays)),
    optOutWords: readOptOutWords(root),
    optOutNotice: root.optional("optOutNotice", noticeText),
    rules: readRules(root),
    staffSecondFactor: root.optional("staffSecondFactor", choice<SecondFactorRule>(["optional", "required"])),
    staff: root.objects("staff", readStaff),
  };
  faults.push(...findRepeated(setup));
  return { setup, faults };
}

/**
 * A section with nothing below it counts as absent. YAML leaves one when all its items are
 * commented out.
 */
function withoutEmptySections(value: unknown): unknown {
  if (value === null || value === undefined) return {};
  if (typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, section]) => section !== null));
}

function readOperator(reader: ObjectReader): OperatorSetup | undefined {
  reader.expectKeys(["name", "prefixes", "enabled"]);
  const name = reader.required("name", operatorName);
  const prefixes = reader.list("prefixes", nationalPrefix);
  const enabled = reader.optional("enabled", yesOrNo);
  return name === undefined
    ? undefined
    : { path: reader.path, name, prefixes: prefixes && [...new Set(prefixes)], enabled };
}

const startsInternationally = new RegExp(`^(?:${countryCodePattern}|0)9`);

const nationalPrefix: ValueReader<string> = (value) => {
  const digits = digitsOf(value);
  if (digits !== undefined && /^9[0-9]{0,9}$/.test(digits)) return digits;
  const hint = startsInternationally.test(digits ?? "") ? "leave out the leading 0 or 98" : undefined;
  return new ValueFault("must be the first digits of a national mobile number, such as 912", hint);
};

function readPortedNumber(reader: ObjectReader): PortedNumberSetup | undefined {
  reader.expectKeys(["number", "operator"]);
  const number = reader.required("number", recipientNumber);
  const operator = reader.required("operator", operatorName);
  return number === undefined || operator === undefined ? undefined : { path: reader.path, number, operator };
}

function readConnector(reader: ObjectReader): ConnectorSetup | undefined {
  reader.expectKeys(["name", "enabled", "paused", ...settingKeys]);
  const name = reader.required("name", nameText);
  const enabled = reader.optional("enabled", yesOrNo);
  const paused = reader.optional("paused", yesOrNo);
  const given = Object.fromEntries(settingKeys.map((key) => [key, reader.raw(key)]));
  const { settings, faults } = readConnectorSettings(given);
  for (const { key, message } of faults) reader.fault([key], message);
  return name === undefined ? undefined : { path: reader.path, name, enabled, paused, settings };
}

function readRoute(reader: ObjectReader): RouteSetup | undefined {
  reader.expectKeys(["operator", "line", "connectors"]);
  const operator = reader.optional("operator", operatorMatch) ?? "*";
  const line = reader.optional("line", lineMatch) ?? "*";
  if (reader.raw("connectors") === undefined) reader.fault(["connectors"], "is missing");
  const connectors = readConnectorNames(reader);
  if (connectors === undefined) return undefined;
  return { path: reader.path, operator, line, connectors };
}

function readLine(reader: ObjectReader): LineSetup | undefined {
  reader.expectKeys(["number", "kind", "inbound", "connectors", "optOut"]);
  const number = reader.required("number", lineNumber);
  const kind = reader.optional("kind", choice(lineKinds));
  const inbound = reader.optional("inbound", orNone(nameText));
  const connectors = readLineConnectors(reader);
  const optOut = reader.optional("optOut", orNone(choice(optOutModes)));
  return number === undefined ? undefined : { path: reader.path, number, kind, inbound, connectors, optOut };
}

/** null: all connectors, as without a list. */
function readLineConnectors(reader: ObjectReader): readonly string[] | null | undefined {
  const given = reader.raw("connectors");
  return given === null || given === "" ? null : readConnectorNames(reader);
}

function readConnectorNames(reader: ObjectReader): readonly string[] | undefined {
  const connectors = reader.list("connectors", nameText);
  if (connectors?.length === 0) reader.fault(["connectors"], "must name at least one connector");
  if (new Set(connectors).size < (connectors?.length ?? 0)) reader.fault(["connectors"], "names a connector twice");
  return connectors;
}

function readTariff(reader: ObjectReader): TariffSetup | undefined {
  reader.expectKeys(["name", "prices"]);
  const name = reader.required("name", nameText);
  const faultsBefore = reader.faults.length;
  const prices = reader.objects("prices", readPrice);
  if (prices !== undefined && reader.faults.length === faultsBefore) checkPrices(reader, prices);
  return name === undefined ? undefined : { path: reader.path, name, prices };
}

function readPrice(reader: ObjectReader): TariffPrice | undefined {
  reader.expectKeys(["operator", "line", "language", "price"]);
  const operator = reader.optional("operator", operatorMatch) ?? "*";
  const line = reader.optional("line", lineMatch) ?? "*";
  const language = reader.optional("language", choice<TariffPrice["language"]>(["fa", "en", "other", "*"])) ?? "*";
  const price = reader.required("price", rials);
  return price === undefined ? undefined : { operator, line, language, price };
}

function checkPrices(reader: ObjectReader, prices: readonly TariffPrice[]): void {
  const seen = new Set<string>();
  for (const [index, { operator, line, language }] of prices.entries()) {
    const match = JSON.stringify([operator, line, language]);
    if (seen.has(match)) reader.fault(["prices", index], "has the same operator, line and language as an earlier row");
    seen.add(match);
  }
  if (!tariffHasDefault({ name: "", prices })) {
    const message = "leaves some messages without a price";
    reader.fault(["prices"], message, 'add a row with operator "*", line "*" and language "*"');
  }
}

function readSystemLines(root: ObjectReader): SystemLinesSetup {
  const value = root.raw("systemLines");
  const reader = value === undefined ? undefined : root.object(["systemLines"], value);
  reader?.expectKeys(["service", "advertising"]);
  return {
    service: reader?.optional("service", orNone(lineNumber)),
    advertising: reader?.optional("advertising", orNone(lineNumber)),
  };
}

/** Objects that appear twice. */
function findRepeated(setup: Setup): SetupFault[] {
  return [
    ...repeated(setup.operators, "name", ({ name }) => name),
    ...repeated(setup.portedNumbers, "number", ({ number }) => number),
    ...repeated(setup.connectors, "name", ({ name }) => name),
    ...repeated(setup.routes ?? [], "line", ({ operator, line }) => `${operator}\n${line}`),
    ...repeated(setup.lines, "number", ({ number }) => number),
    ...repeated(setup.tariffs, "name", ({ name }) => name),
    ...repeated(setup.accounts, "name", ({ name }) => name),
    ...repeated(setup.templates, "id", ({ id }) => id),
    ...repeated(setup.staff ?? [], "username", ({ username }) => username),
    ...findRepeatedPrefixes(setup.operators),
  ];
}

function repeated<Item extends { readonly path: readonly (string | number)[] }>(
  items: readonly Item[],
  key: string,
  identify: (item: Item) => string,
): SetupFault[] {
  const seen = new Set<string>();
  return items.flatMap((item) => {
    const identity = identify(item);
    if (seen.has(identity))
      return { path: [...item.path, key], message: `${identity.replace("\n", " / ")} is listed twice` };
    seen.add(identity);
    return [];
  });
}

function findRepeatedPrefixes(operators: readonly OperatorSetup[]): SetupFault[] {
  const owners = new Map<string, string>();
  return operators.flatMap(({ path, name, prefixes = [] }) =>
    prefixes.flatMap((prefix) => {
      const owner = owners.get(prefix);
      owners.set(prefix, name);
      return owner === undefined || owner === name
        ? []
        : { path: [...path, "prefixes"], message: `${prefix} already belongs to ${owner}` };
    }),
  );
}
