// The columns of configured objects, as their fields declare them: how they are read, and how many
// rows of them are written.
import type { SetupField, Fields } from "../fields/field.ts";
import { bool, type Column, float8, int8, text } from "./row-statement.ts";

export interface FieldColumn {
  /** Of the field. */
  readonly key: string;
  readonly column: string;
  readonly kind: SetupField["kind"];
}

export function columnsOf(fields: Fields): readonly FieldColumn[] {
  return Object.entries(fields).flatMap(([key, { column, kind }]) =>
    column === undefined ? [] : [{ key, column, kind }],
  );
}

/** What a row holds under the field's key. */
export type KeyedValues = Readonly<Record<string, unknown>>;

/** Lists as one text each: no name of a permission, address or number has a comma. */
export function columnToWrite<Row>(kind: SetupField["kind"], valueOf: (row: Row) => unknown): Column<Row> {
  if (kind === "rials") return int8<Row>((row) => valueOf(row) as bigint);
  if (kind === "whole" || kind === "number") return float8<Row>((row) => valueOf(row) as number);
  if (kind === "yesNo") return bool<Row>((row) => valueOf(row) as boolean);
  if (kind === "list") return text<Row>((row) => (valueOf(row) as readonly string[]).join());
  return text<Row>((row) => valueOf(row) as string);
}

/** The written column as the table has it. */
export function writtenValue({ column, kind }: FieldColumn, alias: string): string {
  return kind === "list" ? `string_to_array(${alias}.${column}, ',')` : `${alias}.${column}`;
}

/** A column as `readValue` takes it: a list is a text with commas. */
export function selectedValue({ column, kind }: FieldColumn): string {
  if (kind === "list") return `nullif(array_to_string(${column}, ','), '')`;
  if (kind === "whole" || kind === "number") return `${column}::float8`;
  return column;
}

/** From a row, or from JSON, in which rials are text. */
export function readColumn({ kind }: FieldColumn, value: unknown): unknown {
  if (kind === "list") return splitList(value as string | null);
  return kind === "rials" ? BigInt(value as bigint | string) : value;
}

/**
 * A list as a statement returns it, with commas. Long lists travel as one text: splitting it is
 * many times faster than parsing an array or one row per element.
 */
export function splitList(text: string | null): readonly string[] {
  return text === null || text === "" ? none : text.split(",");
}

/** Most lists of most accounts are empty: one stands for all. */
const none: readonly never[] = [];
