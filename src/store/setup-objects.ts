// Deletes objects of a setup, which are identified by name, and the rows that belong to them.
import type { Queryable } from "./database.ts";

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
  await tx.query({
    name: `delete_${table}`,
    text: `/* delete_${table} */ delete from ${table} where ${nameColumns[table]} = any($1::text[])`,
    values: [names],
  });
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
  await tx.query({
    name: `delete_${part}`,
    text: `/* delete_${part} */ delete from ${part} p using ${table} o where o.id = p.${id} and o.${nameColumns[table]} = any($1::text[])`,
    values: [names],
  });
}
