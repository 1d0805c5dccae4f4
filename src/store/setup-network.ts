// Saves operators, prefixes, ported numbers, connectors and routes from a setup file, and deletes objects
// of any kind. Called in one transaction that holds the configuration's lock. Objects are identified by
// name; an object keeps its id as long as it exists.
import type { Values } from "../fields/field.ts";
import type { operatorFields, routeFields } from "../fields/network-fields.ts";
import { type RuleLists, ruleSections } from "../sms/account-rules.ts";
import type { Queryable } from "./database.ts";
import { int4, json, rows, rowStatement, text } from "./row-statement.ts";
import type { PortedNumber } from "./number-lists.ts";

export type OperatorToSave = Values<typeof operatorFields> & { readonly name: string };

/** Writes operators with exactly these prefixes, and takes the prefixes from any other operator. */
export async function saveOperators(tx: Queryable, operators: readonly OperatorToSave[]): Promise<void> {
  await tx.query(
    "upsertOperators",
    `insert into operator (name, enabled)
select name, enabled from jsonb_to_recordset($1::jsonb) as given (name text, enabled boolean)
on conflict (name) do update set enabled = excluded.enabled`,
    [JSON.stringify(operators)],
  );
  await deleteParts(
    tx,
    "number_prefix",
    operators.map(({ name }) => name),
  );
  const prefixes = operators.flatMap(({ name, prefixes }) => prefixes.map((prefix) => ({ prefix, name })));
  await tx.query(
    "insertPrefixes",
    `insert into number_prefix (prefix, operator_id)
select given.prefix, o.id
  from unnest($1::text[], $2::text[]) as given (prefix, name) join operator o on o.name = given.name
on conflict (prefix) do update set operator_id = excluded.operator_id`,
    [prefixes.map(({ prefix }) => prefix), prefixes.map(({ name }) => name)],
  );
}

export async function upsertPortedNumbers(tx: Queryable, numbers: readonly PortedNumber[]): Promise<void> {
  await tx.query(
    "upsertPortedNumbers",
    `insert into ported_number (number, operator_id)
select given.number, o.id
  from unnest($1::text[], $2::text[]) as given (number, name) join operator o on o.name = given.name
on conflict (number) do update set operator_id = excluded.operator_id`,
    [numbers.map(({ number }) => number), numbers.map(({ operator }) => operator)],
  );
}

export interface ConnectorToSave {
  readonly name: string;
  readonly enabled: boolean;
  readonly paused: boolean;
  readonly settings: object;
}

export async function upsertConnectors(tx: Queryable, connectors: readonly ConnectorToSave[]): Promise<void> {
  await tx.query(
    "upsertConnectors",
    `insert into connector (name, enabled, paused, settings)
select name, enabled, paused, settings
  from jsonb_to_recordset($1::jsonb) as given (name text, enabled boolean, paused boolean, settings jsonb)
on conflict (name) do update set enabled = excluded.enabled, paused = excluded.paused, settings = excluded.settings`,
    [JSON.stringify(connectors)],
  );
}

export async function deleteConnectors(tx: Queryable, names: readonly string[]): Promise<void> {
  await tx.query(
    "deleteConnectors",
    `with deleted as (delete from connector where name = any($1::text[]) returning id, settings)
insert into removed_connector (connector_id, settings)
select id, jsonb_build_object('host', settings->'host', 'port', settings->'port', 'systemId', settings->'systemId',
                              'receiptGroup', coalesce(settings->>'receiptGroup', ''))
  from deleted`,
    [names],
  );
}

interface PlacedRule {
  readonly section: string;
  readonly position: number;
  readonly body: object;
}

export const insertRulesStatement = rowStatement(
  "insertRules",
  {
    rule: rows<PlacedRule>({
      section: text("section"),
      position: int4("position"),
      body: json(({ body }) => JSON.stringify(body)),
    }),
  },
  ({ rule }) => `insert into rule (section, position, body) select section, position, body from ${rule.as("given")}`,
);

/** Leaves exactly these rules, each list in its order. */
export async function replaceRules(tx: Queryable, rules: RuleLists): Promise<void> {
  await tx.query("deleteRules", "delete from rule");
  const placed = ruleSections.flatMap((section) =>
    rules[section].map((body, position) => ({ section, position, body })),
  );
  await tx.query(insertRulesStatement.with({ rule: placed }));
}

/**
 * Leaves exactly these routes, in this order. A route with the operator and line of an old one
 * keeps its id.
 */
export async function replaceRoutes(tx: Queryable, routes: readonly Values<typeof routeFields>[]): Promise<void> {
  const operators = routes.map(({ operator }) => operator);
  const lines = routes.map(({ line }) => line);
  await tx.query(
    "deleteOtherRoutes",
    `delete from route r
 where not exists (select from unnest($1::text[], $2::text[]) as given (operator, line)
                    where given.operator = r.operator and given.line = r.line)`,
    [operators, lines],
  );
  await tx.query(
    "upsertRoutes",
    `insert into route (position, operator, line)
select position, operator, line from unnest($1::text[], $2::text[]) with ordinality as given (operator, line, position)
on conflict (operator, line) do update set position = excluded.position`,
    [operators, lines],
  );
  await tx.query("deleteRouteConnectors", "delete from route_connector");
  const pairs = routes.flatMap(({ operator, line, connectors }) =>
    connectors.map((connector, position) => ({ operator, line, connector, position })),
  );
  await tx.query(
    "insertRouteConnectors",
    `insert into route_connector (route_id, position, connector_id)
select r.id, given.position, c.id
  from jsonb_to_recordset($1::jsonb) as given (operator text, line text, connector text, position integer)
  join route r on r.operator = given.operator and r.line = given.line
  join connector c on c.name = given.connector`,
    [JSON.stringify(pairs)],
  );
}

/** The tables of objects, with the columns of their names. */
const nameColumns = {
  operator: "name",
  ported_number: "number",
  sender_line: "number",
  tariff: "name",
  account: "name",
  template: "id",
};

type ObjectTable = keyof typeof nameColumns;

/** With everything that belongs to them. The messages and the ledger of an account stay. */
export async function deleteObjects(tx: Queryable, table: ObjectTable, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await tx.query(`delete_${table}`, `delete from ${table} where ${nameColumns[table]} = any($1::text[])`, [names]);
}

/** The tables of rows that belong to objects, with the columns of their ids. */
const parts = {
  number_prefix: ["operator", "operator_id"],
  tariff_price: ["tariff", "tariff_id"],
  line_connector: ["sender_line", "line_id"],
  account_line: ["account", "account_id"],
} as const;

export async function deleteParts(tx: Queryable, part: keyof typeof parts, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const [table, id] = parts[part];
  await tx.query(
    `delete_${part}`,
    `delete from ${part} p using ${table} o where o.id = p.${id} and o.${nameColumns[table]} = any($1::text[])`,
    [names],
  );
}
