// Reads the whole configuration, one statement per table. Never writes: setup-*.ts save changes.
import type { Values } from "../fields/field.ts";
import { settingsFields } from "../fields/service-fields.ts";
import type { LineKind, OptOutMode } from "../sms/sender-line.ts";
import type { RuleSection } from "../sms/account-rules.ts";
import { type ConfiguredAccount, listNamedAccounts, type NamedAccounts } from "./configured-accounts.ts";
import { onlyOf, type Queryable } from "./database.ts";
import { listSetupStaff, type StaffToSave } from "./credentials.ts";
import { columnsOf, splitList } from "./row-statement.ts";
import { rowStatement } from "./row-statement.ts";
import { type EndpointRow, listEndpoints } from "./webhook-endpoints.ts";
import { readAsOfNow } from "./transaction-settings.ts";
import { listGivenPorted, type PortedNumber } from "./number-lists.ts";

export interface OperatorRow {
  readonly id: number;
  readonly name: string;
  readonly enabled: boolean;
  readonly prefixes: readonly string[];
  /** Ported numbers that no setup file names. */
  readonly hasImportedNumbers: boolean;
}

export interface ConnectorRow {
  readonly id: number;
  readonly name: string;
  readonly enabled: boolean;
  readonly paused: boolean;
  /** Keys of the setup file, validated when they were written. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** A connector that staff removed. Receipts for messages it sent may still arrive. */
export interface RemovedConnectorRow {
  readonly id: number;
  readonly settings: {
    readonly host: string;
    readonly port: number;
    readonly systemId: string;
    readonly receiptGroup: string;
  };
}

export interface RouteRow {
  readonly id: number;
  readonly operator: string;
  readonly line: string;
  readonly connectorIds: readonly number[];
}

export interface LineRow {
  readonly number: string;
  readonly kind: LineKind;
  readonly inboundAccountId: number | null;
  readonly inboundAccount: string | null;
  /** The connectors that may bring messages for the line; null means all. */
  readonly connectorIds: readonly number[] | null;
  /** Null: that of the kind. */
  readonly optOut: OptOutMode | null;
}

/** A rule as the setup file writes it, validated when it was written. */
export interface RuleRow {
  readonly section: RuleSection;
  readonly body: object;
}

/** A price is text, because JSON numbers cannot represent every bigint. */
export interface TariffRow {
  readonly id: number;
  readonly name: string;
  readonly prices: readonly { operator: string; line: string; language: string; price: string }[];
}

/** A retired key verifies until `retiredAt`, when the last token that it signed has expired. */
export interface TokenKeyRow {
  readonly id: number;
  readonly secret: Buffer;
  readonly createdAt: Date;
  readonly retiredAt?: Date;
}

export interface ConfigurationRows {
  readonly version: bigint;
  readonly settings: Values<typeof settingsFields>;
  readonly operators: readonly OperatorRow[];
  readonly portedNumbers: readonly PortedNumber[];
  readonly connectors: readonly ConnectorRow[];
  readonly removedConnectors: readonly RemovedConnectorRow[];
  readonly routes: readonly RouteRow[];
  /** In the order of each section. */
  readonly rules: readonly RuleRow[];
  /** Names, without their numbers. */
  readonly blockLists: readonly { readonly name: string }[];
  readonly lines: readonly LineRow[];
  readonly tariffs: readonly TariffRow[];
  /** With their users, API keys and templates. */
  readonly accounts: readonly ConfiguredAccount[];
  readonly endpoints: readonly EndpointRow[];
  readonly tokenKeys: readonly TokenKeyRow[];
  /** Empty unless they were asked for: what serves calls does not know them. */
  readonly staff: readonly StaffToSave[];
}

/** The tables to read, by what a caller needs: of the others the rows are absent. */
export interface ConfigurationScope extends NamedAccounts {
  /** Absent: all tables. */
  readonly tables?: readonly ConfigurationTable[];
  /** Of the ported numbers only these; there may be millions. */
  readonly portedNumbers?: readonly string[];
  readonly withStaff?: boolean;
}

export type ConfigurationTable = Exclude<keyof ConfigurationRows, "version" | "settings">;

/** Reads all tables as of one instant. `tx` is a transaction that has run no statement yet. */
export async function loadConfiguration(tx: Queryable, scope: ConfigurationScope = {}): Promise<ConfigurationRows> {
  await readAsOfNow(tx);
  return readConfiguration(tx, scope);
}

/** As `loadConfiguration`, for a transaction that holds the lock against other writers. */
export async function readConfiguration(tx: Queryable, scope: ConfigurationScope = {}): Promise<ConfigurationRows> {
  const { tables, portedNumbers, withStaff = false } = scope;
  const read = async <Row>(table: ConfigurationTable, list: () => Promise<readonly Row[]>): Promise<readonly Row[]> =>
    tables === undefined || tables.includes(table) ? list() : [];
  return {
    ...(await findSettings(tx)),
    operators: await read("operators", () => listOperators(tx)),
    portedNumbers: await read("portedNumbers", () => listGivenPorted(tx, { numbers: portedNumbers })),
    connectors: await read("connectors", () => listConnectors(tx)),
    removedConnectors: await read("removedConnectors", () => listRemovedConnectors(tx)),
    routes: await read("routes", () => listRoutes(tx)),
    rules: await read("rules", () => listRules(tx)),
    blockLists: await read("blockLists", () => listBlockListNames(tx)),
    lines: await read("lines", () => listLines(tx)),
    tariffs: await read("tariffs", () => listTariffs(tx)),
    accounts: await read("accounts", () => listNamedAccounts(tx, scope)),
    endpoints: await read("endpoints", () => listEndpoints(tx, scope)),
    tokenKeys: await read("tokenKeys", () => listTokenKeys(tx)),
    staff: withStaff ? await listSetupStaff(tx) : [],
  };
}

const settingsColumns = columnsOf(settingsFields).map(({ key, column }) => `${column} as "${key}"`);

export const findSettingsStatement = rowStatement(
  "findSettings",
  {},
  () => `select version, ${settingsColumns.join(", ")} from configuration`,
);

async function findSettings(tx: Queryable): Promise<Pick<ConfigurationRows, "version" | "settings">> {
  const row = await onlyOf(
    tx.query<ConfigurationRows["settings"] & { version: bigint }>(findSettingsStatement.with({})),
  );
  const { version, ...settings } = row;
  return { version, settings };
}

async function listOperators(tx: Queryable): Promise<readonly OperatorRow[]> {
  const rows = await tx.query<Omit<OperatorRow, "prefixes"> & { prefixes: string | null }>(
    "listOperators",
    `select o.id, o.name, o.enabled, string_agg(p.prefix, ',' order by p.prefix) as prefixes,
       exists (select from ported_block b where b.operator_id = o.id) as "hasImportedNumbers"
  from operator o left join number_prefix p on p.operator_id = o.id
 group by o.id order by o.id`,
  );
  return rows.map((row) => ({ ...row, prefixes: splitList(row.prefixes) }));
}

function listConnectors(tx: Queryable): Promise<readonly ConnectorRow[]> {
  return tx.query<ConnectorRow>(
    "listConnectors",
    "select id, name, enabled, paused, settings from connector order by id",
  );
}

function listRemovedConnectors(tx: Queryable): Promise<readonly RemovedConnectorRow[]> {
  return tx.query<RemovedConnectorRow>(
    "listRemovedConnectors",
    "select connector_id as id, settings from removed_connector order by connector_id",
  );
}

async function listRoutes(tx: Queryable): Promise<readonly RouteRow[]> {
  return tx.query<RouteRow>(
    "listRoutes",
    `select r.id, r.operator, r.line,
       coalesce(array_agg(c.connector_id order by c.position) filter (where c.connector_id is not null), '{}') as "connectorIds"
  from route r left join route_connector c on c.route_id = r.id
 group by r.id order by r.position, r.id`,
  );
}

function listRules(tx: Queryable): Promise<readonly RuleRow[]> {
  return tx.query<RuleRow>("listRules", "select section, body from rule order by section, position");
}

/** In the order of numbers, after the given one. */
export function listLines(
  tx: Queryable,
  { after = "", limit }: { readonly after?: string; readonly limit?: number } = {},
): Promise<readonly LineRow[]> {
  return tx.query<LineRow>(
    "listLines",
    `select l.number, l.kind, l.inbound_account_id as "inboundAccountId", l.opt_out as "optOut",
       (select a.name from account a where a.id = l.inbound_account_id) as "inboundAccount",
       (select array_agg(c.connector_id order by c.connector_id) from line_connector c where c.line_id = l.id) as "connectorIds"
  from sender_line l where l.number > $1 order by l.number limit $2`,
    [after, limit],
  );
}

async function listTariffs(tx: Queryable): Promise<readonly TariffRow[]> {
  return tx.query<TariffRow>(
    "listTariffs",
    `select t.id, t.name,
       coalesce(jsonb_agg(jsonb_build_object('operator', p.operator, 'line', p.line, 'language', p.language, 'price', p.price::text)
                          order by p.operator, p.line, p.language) filter (where p.tariff_id is not null), '[]') as prices
  from tariff t left join tariff_price p on p.tariff_id = t.id
 group by t.id order by t.id`,
  );
}

async function listTokenKeys(tx: Queryable): Promise<readonly TokenKeyRow[]> {
  const rows = await tx.query<Omit<TokenKeyRow, "retiredAt"> & { retiredAt: Date | null }>(
    "listTokenKeys",
    `select id, secret, created_at as "createdAt", retired_at as "retiredAt" from token_key order by id`,
  );
  return rows.map(({ retiredAt, ...key }) => (retiredAt === null ? key : { ...key, retiredAt }));
}

function listBlockListNames(tx: Queryable): Promise<readonly { readonly name: string }[]> {
  return tx.query<{ name: string }>("listBlockListNames", "select name from block_list order by name");
}
