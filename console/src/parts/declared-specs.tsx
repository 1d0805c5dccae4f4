// The fields of a form, made of what the setup declares of an object's keys.
import { type Fields as DeclaredFields, defaultsOf, type SetupField } from "../../../src/fields/field.ts";
import { choicesOf } from "../api/queries.ts";
import { isTextKey, type TextKey, type Translate } from "../texts/texts.ts";
import { DeclaredRows } from "./declared-rows.tsx";
import type { FieldSpec } from "./field-spec.ts";
import type { Fields } from "./merge-typed.ts";

/**
 * The label of a key is the text `object.key`, its hint `object.key.hint`, and its heading
 * `object.section.name`, unless `shared` names a text that others have, too. A key without a label
 * has its own name and is folded away.
 */
export function declaredSpecs(
  t: Translate,
  object: "account" | "connectorField",
  fields: DeclaredFields,
  shared: Readonly<Record<string, TextKey>>,
): readonly FieldSpec[] {
  const textOf = (name: string): string | undefined => {
    const key = shared[name] ?? `${object}.${name}`;
    return isTextKey(key) ? t(key) : undefined;
  };
  return Object.entries(fields).map(([name, field]): FieldSpec => {
    const label = textOf(name);
    const section = field.section === undefined ? undefined : textOf(`section.${field.section}`);
    return {
      name,
      label: label ?? name,
      ...controlOf(field),
      ...rowsOf(label ?? name, field),
      hint: textOf(`${name}.hint`),
      ...(section !== undefined && { section }),
      ...(label === undefined && { seldom: true }),
    };
  });
}

function controlOf(field: SetupField): Pick<FieldSpec, "kind" | "options" | "required"> {
  const required = !("default" in field) && field.secret !== true && { required: true };
  switch (field.kind) {
    case "text":
      return { kind: field.secret === true ? "secret" : "text", ...required };
    case "choice":
      return { kind: "choice", options: choicesOf(field.words) };
    case "whole":
      return field.auto === true ? { kind: "number", options: numbersTo(field.max) } : { kind: "number", ...required };
    case "number":
    case "rials":
      return { kind: "number", ...required };
    case "yesNo":
      return { kind: "yesNo" };
    default:
      return { kind: "list" };
  }
}

/** What is a list of objects, or has names of its own. */
export function rowsOf(label: string, field: SetupField): Pick<FieldSpec, "kind" | "control"> | undefined {
  if (field.kind !== "rows" && field.kind !== "record") return undefined;
  return { kind: "json", control: (own) => <DeclaredRows label={label} kind={field} {...own} /> };
}

function numbersTo(last: number): NonNullable<FieldSpec["options"]> {
  return choicesOf(["auto", ...Array.from({ length: last + 1 }, (_, index) => String(index))]);
}

/** What the form of a new object begins with, as JSON has it. */
export function initialValues(fields: DeclaredFields): Fields {
  return Object.fromEntries(
    Object.entries(defaultsOf(fields)).flatMap(([key, value]: [string, unknown]) =>
      value === undefined || value === null || value instanceof Map
        ? []
        : [[key, typeof value === "bigint" ? Number(value) : value]],
    ),
  );
}
