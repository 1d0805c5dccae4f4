// Statements that take many rows, one array a column. A table of columns says once what each column
// is called, of which type it is and where its value comes from: the placeholders of the text and
// the values of a call both follow from it. The text is built once, not at each call. And the
// columns of configured objects, as their fields declare them.
import type { Fields, SetupField } from "../fields/field.ts";
import { elementTypes, type ElementType, encodeArray } from "./array-parameters.ts";
import type { Statement } from "./database.ts";
import { weekName, weekOfIds, weekStart } from "./partitions.ts";
import { uuidv7Time } from "../platform/uuid.ts";

/** One column of the rows. */
export interface Column<Row> {
  /** Of an element, as SQL names it. */
  readonly type: string;
  readonly encode: (rows: readonly Row[]) => Buffer;
}

/** The keys of a row with values of this type. */
type KeyOf<Row, T> = keyof { [Key in keyof Row as Row[Key] extends T | null | undefined ? Key : never]: Key };

/** A column holds what each row has under a key, or what is made of each row. */
function columnOf<T>(type: string, elementType: ElementType<T>) {
  return <Row>(value: KeyOf<Row, T> | ((row: Row) => T | null | undefined)): Column<Row> => {
    const valueOf = typeof value === "function" ? value : (row: Row) => row[value] as T | null | undefined;
    return { type, encode: (rows) => encodeArray(elementType, rows, valueOf) };
  };
}

export const bool = columnOf("boolean", elementTypes.bool);
export const bytea = columnOf("bytea", elementTypes.bytea);
/** Of texts of hexadecimal digits. */
export const hexBytea = columnOf("bytea", elementTypes.hexBytea);
export const float8 = columnOf("double precision", elementTypes.float8);
export const int2 = columnOf("smallint", elementTypes.int2);
export const int4 = columnOf("int", elementTypes.int4);
export const int8 = columnOf("bigint", elementTypes.int8);
export const json = columnOf("json", elementTypes.json);
export const text = columnOf("text", elementTypes.text);
export const timestamptz = columnOf("timestamptz", elementTypes.timestamptz);
export const uuid = columnOf("uuid", elementTypes.uuid);

/** Rows as a statement takes them: the columns by name, in the order of their placeholders. */
export interface Rows<Row> {
  readonly columns: readonly (readonly [name: string, column: Column<Row>])[];
}

export function rows<Row>(columns: Readonly<Record<string, Column<Row>>>): Rows<Row> {
  return { columns: Object.entries(columns) };
}

/** A parameter with one value; its type follows from its place in the text. */
export interface Single<T> {
  readonly single: true;
  /** Only its type says so. */
  readonly valueOf?: (value: T) => unknown;
}

export function single<T>(): Single<T> {
  return { single: true };
}

// Each is given rows or values of its own type.
type Parameter = Rows<never> | Single<never>;

type GivenFor<One> = One extends Rows<infer Row> ? readonly Row[] : One extends Single<infer Value> ? Value : never;

/** For each parameter; those that a statement may lack may always be given. */
type Given<Parameters extends Readonly<Record<string, Parameter>>> = {
  readonly [Name in keyof Parameters]: GivenFor<Parameters[Name]>;
};

/** How a text refers to rows. */
export interface RowsInText {
  /** To stand after `from` or `join`. Each column named costs, also if it is not used; unless given, all are. */
  as(alias: string, names?: readonly string[]): string;
  /** With the number of the row, from 1, as one more column. */
  numberedAs(alias: string, numberName: string): string;
  /** The array of one column. */
  array(name: string): string;
}

type InTextFor<One> = One extends Rows<never> ? RowsInText : One extends Single<never> ? string : never;

type InText<Parameters extends Readonly<Record<string, Parameter>>> = {
  readonly [Name in keyof Parameters]: InTextFor<Parameters[Name]>;
};

/** A statement whose text is known; `with` makes it ready to run. */
export interface RowStatement<Values> {
  readonly name: string;
  readonly text: string;
  with(given: Values): Statement;
}

/** The parameters are numbered in the order in which they are listed. */
export function rowStatement<const Parameters extends Readonly<Record<string, Parameter>>>(
  name: string,
  parameters: Parameters,
  textOf: (parameters: InText<Parameters>) => string,
): RowStatement<Given<Parameters>> {
  const listed = Object.entries<Parameter>(parameters);
  const inText: Record<string, RowsInText | string> = {};
  let count = 0;
  for (const [key, parameter] of listed) {
    inText[key] = "columns" in parameter ? rowsInText(parameter, count + 1) : `$${String(count + 1)}`;
    count += "columns" in parameter ? parameter.columns.length : 1;
  }
  // Both have the keys of the parameters, which the types of this function's signature follow.
  const text = `/* ${name} */\n${textOf(inText as InText<Parameters>)}`;
  return {
    name,
    text,
    with: (given) => {
      const values: unknown[] = [];
      for (const [key, parameter] of listed) {
        const value = given[key] as never;
        if ("columns" in parameter) for (const [, column] of parameter.columns) values.push(column.encode(value));
        else values.push(value);
      }
      return { name, text, values };
    },
  };
}

interface IdRange {
  readonly leastId: string;
  readonly greatestId: string;
}

/**
 * A statement on messages m, made once more for each week with the bounds of its ids in the text. A
 * plan for all values names each partition, and with half a year of them the statement takes twice
 * as long; with the bounds it names the week's alone.
 */
export function byWeek<const Parameters extends Readonly<Record<string, Parameter>>>(
  name: string,
  parameters: Parameters,
  textOf: (parameters: InText<Parameters>, isInWeek: string) => string,
) {
  type Made = RowStatement<Given<Parameters>>;
  const make = (ofName: string, isInWeek: string): Made =>
    rowStatement(ofName, parameters, (inText) => textOf(inText, isInWeek));
  const ofAll = make(name, "true");
  const made: { readonly from: string; readonly before: string; readonly statement: Made }[] = [];
  return {
    ...ofAll,
    /** For messages with ids in this range; it may be empty. */
    of: ({ leastId, greatestId }: IdRange): Made => {
      const known = made.find(({ from, before }) => leastId >= from && greatestId < before);
      if (known !== undefined) return known.statement;
      const monday = weekStart(new Date(uuidv7Time(leastId)));
      const [from, before] = weekOfIds(monday);
      if (greatestId >= before || greatestId < leastId) return ofAll;
      const statement = make(`${name}_${weekName(monday)}`, `m.id >= '${from}' and m.id < '${before}'`);
      made.push({ from, before, statement });
      return statement;
    },
  };
}

/**
 * The least and the greatest message id. With them the planner skips the partitions (weeks) of
 * other messages.
 */
export function idRange(rows: readonly { messageId: string }[]): IdRange {
  let leastId = "ffffffff-ffff-ffff-ffff-ffffffffffff";
  let greatestId = "00000000-0000-0000-0000-000000000000";
  for (const { messageId } of rows) {
    if (messageId < leastId) leastId = messageId;
    if (messageId > greatestId) greatestId = messageId;
  }
  return { leastId, greatestId };
}

function rowsInText({ columns }: Rows<never>, first: number): RowsInText {
  const arrays = new Map(columns.map(([name, { type }], index) => [name, `$${String(first + index)}::${type}[]`]));
  // Side by side in the list of the select: as one function after `from`, each array would be copied
  // into a store of its own first, which takes most of the time of a statement with few rows.
  const unnested = (names: readonly string[]): string =>
    names.map((name) => `unnest(${arrays.get(name) ?? ""}) as ${name}`).join(", ");
  const number = `generate_subscripts(${[...arrays.values()][0] ?? ""}, 1)`;
  const all = [...arrays.keys()];
  return {
    as: (alias, names = all) => `(select ${unnested(names)}) as ${alias}`,
    numberedAs: (alias, numberName) => `(select ${unnested(all)}, ${number} as ${numberName}) as ${alias}`,
    array: (name) => {
      const array = arrays.get(name);
      if (array === undefined) throw new Error(`the rows have no column ${name}`);
      return array;
    },
  };
}

export interface Conditions {
  /** To stand after `where`. */
  readonly text: string;
  readonly values: unknown[];
  /** Adds a value, and answers its placeholder. */
  readonly value: (value: unknown) => string;
}

/**
 * `given`: conditions with `?` in the place of the value; undefined leaves one out. `values`: those of
 * other conditions of the statement.
 */
export function conditions(given: Readonly<Record<string, unknown>>, values: unknown[] = []): Conditions {
  const value = (one: unknown): string => `$${values.push(one)}`;
  const texts = Object.entries(given).flatMap(([text, one]) =>
    one === undefined ? [] : [text.replaceAll("?", value(one))],
  );
  return { text: texts.length === 0 ? "true" : texts.join(" and "), values, value };
}

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
