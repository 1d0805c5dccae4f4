// Reads the whole configuration, one statement per table. Never writes: configured-objects.ts and
// setup-accounts.ts save changes.
import { type ConfiguredAccount, listNamedAccounts, type NamedAccounts } from "./configured-accounts.ts";
import { listObjectRows, type ObjectRows, objectSections } from "./configured-objects.ts";
import type { Queryable } from "./database.ts";
import { listSetupStaff, type StaffToSave } from "./credentials.ts";
import { findConfigurationMark } from "./configuration-version.ts";
import { type EndpointRow, listEndpoints } from "./webhook-endpoints.ts";
import { readAsOfNow } from "./transaction-settings.ts";
import { listGivenPorted, listImportedOperators, type PortedNumber } from "./number-lists.ts";

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

/** A retired key verifies until `retiredAt`, when the last token that it signed has expired. */
export interface TokenKeyRow {
  readonly id: number;
  readonly secret: Buffer;
  readonly createdAt: Date;
  readonly retiredAt?: Date;
}

export interface ConfigurationRows {
  readonly version: bigint;
  readonly objects: ObjectRows;
  readonly portedNumbers: readonly PortedNumber[];
  /** Names of operators that have ported numbers which no setup file names. */
  readonly importedOperators: readonly string[];
  /** The names of block lists. */
  readonly listNames: readonly string[];
  /** With their users, API keys and templates. */
  readonly accounts: readonly ConfiguredAccount[];
  readonly endpoints: readonly EndpointRow[];
  readonly tokenKeys: readonly TokenKeyRow[];
  /** Empty unless they were asked for: what serves calls does not know them. */
  readonly staff: readonly StaffToSave[];
}

type TableSection = "portedNumbers" | "accounts" | "templates" | "staff";
export type ConfigurationSection = keyof ObjectRows | TableSection;

/** What a caller needs: of other sections the rows are absent. */
export interface ConfigurationScope extends NamedAccounts {
  /** Absent: all but staff. */
  readonly sections?: readonly ConfigurationSection[];
  /** Of the ported numbers only these; there may be millions. */
  readonly portedNumbers?: readonly string[];
  readonly withStaff?: boolean;
}

/** Reads all tables as of one instant. `tx` is a transaction that has run no statement yet. */
export async function loadConfiguration(tx: Queryable, scope: ConfigurationScope = {}): Promise<ConfigurationRows> {
  await readAsOfNow(tx);
  return readConfiguration(tx, scope);
}

/** As `loadConfiguration`, for a transaction that holds the lock against other writers. */
export async function readConfiguration(tx: Queryable, scope: ConfigurationScope = {}): Promise<ConfigurationRows> {
  const { sections, portedNumbers, withStaff = false } = scope;
  const read = async <Row>(
    needed: readonly ConfigurationSection[],
    list: () => Promise<readonly Row[]>,
  ): Promise<readonly Row[]> =>
    sections === undefined || needed.some((section) => sections.includes(section)) ? list() : [];
  const { version } = await findConfigurationMark(tx);
  return {
    version,
    objects: await listObjectRows(tx, sections && objectSections.filter((section) => sections.includes(section))),
    portedNumbers: await read(["portedNumbers"], () => listGivenPorted(tx, { numbers: portedNumbers })),
    importedOperators: await read(["operators"], () => listImportedOperators(tx)),
    listNames: await read(["blockLists"], () => listBlockListNames(tx)),
    accounts: await read(["accounts", "templates"], () => listNamedAccounts(tx, scope)),
    endpoints: await read(["accounts"], () => listEndpoints(tx, scope)),
    tokenKeys: await listTokenKeys(tx),
    staff: withStaff ? await listSetupStaff(tx) : [],
  };
}

export function listRemovedConnectors(tx: Queryable): Promise<readonly RemovedConnectorRow[]> {
  return tx.query<RemovedConnectorRow>(
    "listRemovedConnectors",
    "select connector_id as id, settings from removed_connector order by connector_id",
  );
}

export async function listTokenKeys(tx: Queryable): Promise<readonly TokenKeyRow[]> {
  const rows = await tx.query<Omit<TokenKeyRow, "retiredAt"> & { retiredAt: Date | null }>(
    "listTokenKeys",
    `select id, secret, created_at as "createdAt", retired_at as "retiredAt" from token_key order by id`,
  );
  return rows.map(({ retiredAt, ...key }) => (retiredAt === null ? key : { ...key, retiredAt }));
}

async function listBlockListNames(tx: Queryable): Promise<readonly string[]> {
  const rows = await tx.query<{ name: string }>("listBlockListNames", "select name from block_list order by name");
  return rows.map(({ name }) => name);
}
