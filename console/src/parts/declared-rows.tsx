// A list of objects within a form, or an object with names of its own, as rows that are added,
// typed and taken out. Their columns are what the setup declares of them.
import { useState } from "react";
import type { Fields as DeclaredFields, RecordValue, RowsValue, SetupField } from "../../../src/fields/field.ts";
import { choicesOf } from "../api/queries.ts";
import { isolated, useTexts } from "../texts/texts.ts";
import { Button, Options } from "./controls.tsx";
import { type ControlProps, type FieldSpec, shownText, typedNumber } from "./field-spec.ts";
import { withOwn } from "./fields.tsx";
import styles from "./declared-rows.module.css";
import fieldStyles from "./field.module.css";

/** As it is typed. */
type Row = Readonly<Record<string, string>>;

interface DeclaredRowsProps extends Pick<ControlProps, "value" | "onChange"> {
  readonly label: string;
  readonly kind: RowsValue | RecordValue;
  /** Of some columns: what they are called, and what is offered there. */
  readonly shown?: Readonly<Record<string, ShownColumn>>;
  /** What a new row begins with. */
  readonly initial?: Row;
}

interface ShownColumn {
  readonly title: string;
  readonly options?: NonNullable<FieldSpec["options"]>;
}

export function DeclaredRows({ label, kind, value, onChange, shown = {}, initial = {} }: DeclaredRowsProps) {
  const t = useTexts();
  const columns = columnsOf(kind);
  const keys = Object.keys(columns);
  const [rows, setTyped] = useState(() => typedRows(keys, kind, value));
  const setRows = (typed: readonly Row[]): void => {
    setTyped(typed);
    onChange(givenValue(kind, typed));
  };
  return (
    <div className={styles["rows"]}>
      {rows.map((row, index) => (
        // Rows have no other name than their place.
        <div key={index} className={styles["row"]}>
          {keys.map((key) => {
            const { title, options = offeredIn(columns[key]) } = shown[key] ?? {};
            const typed = row[key] ?? "";
            const shared = {
              "aria-label": title === undefined ? `${label} ${index + 1} ${key}` : `${title} ${index + 1}`,
              value: typed,
            };
            const set = (text: string): void => setRows(rows.with(index, { ...row, [key]: text }));
            return options !== undefined ? (
              <select
                key={key}
                className={fieldStyles["select"]}
                {...shared}
                onChange={(event) => set(event.target.value)}
              >
                <Options options={withOwn(options, typed)} />
              </select>
            ) : (
              <input
                key={key}
                className={fieldStyles["input"]}
                dir="auto"
                placeholder={title ?? key}
                {...shared}
                onChange={(event) => set(event.target.value)}
              />
            );
          })}
          <Button
            kind="quiet"
            aria-label={t("declaredRows.remove", { label, position: index + 1 })}
            onClick={() => setRows(rows.toSpliced(index, 1))}
          >
            {"×"}
          </Button>
        </div>
      ))}
      <NamedTwice kind={kind} rows={rows} />
      <div>
        <Button aria-label={t("declaredRows.add", { label })} onClick={() => setRows([...rows, initial])}>
          {"+"}
        </Button>
      </div>
    </div>
  );
}

/** Undefined: anything may be typed. */
function offeredIn(column: SetupField | undefined): ShownColumn["options"] {
  return column?.kind === "choice" ? choicesOf(["", ...column.words]) : undefined;
}

/** An object has each name once: of several rows the last counts. */
function NamedTwice({ kind, rows }: Pick<DeclaredRowsProps, "kind"> & { readonly rows: readonly Row[] }) {
  const t = useTexts();
  if (kind.kind === "rows") return null;
  const names = rows.map((row) => row[nameColumn]?.trim() ?? "").filter((name) => name !== "");
  const twice = names.find((name, index) => names.indexOf(name) < index);
  return twice === undefined ? null : <p role="alert">{t("declaredRows.twice", { name: isolated(twice) })}</p>;
}

const nameColumn = "name";
const valueColumn = "value";

function columnsOf(kind: RowsValue | RecordValue): DeclaredFields {
  if (kind.kind === "rows") return kind.fields;
  return { [nameColumn]: kind.key, ...(kind.of.kind === "list" ? { [valueColumn]: kind.of } : kind.of.fields) };
}

function typedRows(keys: readonly string[], kind: RowsValue | RecordValue, value: unknown): readonly Row[] {
  if (kind.kind === "rows") {
    const rows = Array.isArray(value) ? (value as readonly Readonly<Record<string, unknown>>[]) : [];
    return rows.map((row) => Object.fromEntries(keys.map((key) => [key, shownText(row[key])])));
  }
  const { of } = kind;
  return Object.entries((value ?? {}) as Readonly<Record<string, unknown>>).map(([key, item]) => {
    if (of.kind === "list") return { [nameColumn]: key, [valueColumn]: shownText(item) };
    return { [nameColumn]: key, ...(typeof item === "string" ? { [of.key]: item } : (item as Row)) };
  });
}

/** As the API takes it. Rows in which nothing is typed are left out. */
function givenValue(kind: RowsValue | RecordValue, rows: readonly Row[]): unknown {
  const given = rows
    .map((row) => Object.fromEntries(Object.entries(row).filter(([, typed]) => typed.trim() !== "")))
    .filter((row) => Object.keys(row).length > 0);
  if (kind.kind === "rows") {
    const written = (key: string, typed: string) => (kind.fields[key]?.kind === "rials" ? typedNumber(typed) : typed);
    return given.map((row) =>
      Object.fromEntries(Object.entries(row).map(([key, typed]) => [key, written(key, typed)])),
    );
  }
  const { of } = kind;
  return Object.fromEntries(
    given.map(({ [nameColumn]: name = "", ...own }) => [
      name,
      of.kind === "list" ? wordsOf(own[valueColumn] ?? "") : own,
    ]),
  );
}

function wordsOf(typed: string): readonly string[] {
  return typed.split(/[,،]/).flatMap((word) => (word.trim() === "" ? [] : [word.trim()]));
}
