// The fields of a form: what each is called, how it is given, and how a form is read. Pure but for
// the form.
import type { ReactNode, TextareaHTMLAttributes } from "react";
import { asciiDigits } from "../format/numbers.ts";
import type { Translate } from "../texts/texts.ts";
import type { Fields } from "./merge-typed.ts";

/** What a control of its own shows and changes. */
export interface ControlProps {
  /** As the API has it; undefined: the key is left out. */
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly problem: string | undefined;
}

export interface FieldSpec {
  /** The key of the API. */
  readonly name: string;
  readonly label: string;
  /**
   * `long`: a text of several lines. `lines`: texts, one a line, each as it is typed. `json`: a
   * control of its own for what no field holds. `phones`: phone
   * numbers, one a line. `number` with options: a choice of numbers and words.
   */
  readonly kind: "text" | "long" | "number" | "choice" | "yesNo" | "list" | "lines" | "phones" | "secret" | "json";
  readonly hint?: ReactNode;
  readonly required?: boolean;
  readonly options?: readonly { readonly value: string; readonly text: string }[];
  /** Those of one section stand together under this heading. */
  readonly section?: string;
  /** Folded away until it is asked for. */
  readonly seldom?: boolean;
  /** Of kind `list`: one a line. */
  readonly isLong?: boolean;
  /** Of kind `json`. */
  readonly control?: (own: ControlProps) => ReactNode;
  /** Of kind `json`: the control shows the label, and what is wrong, itself. */
  readonly isLabelled?: boolean;
  /** Of what is typed, such as its greatest length. */
  readonly typing?: Pick<TextareaHTMLAttributes<Element>, "dir" | "rows" | "maxLength" | "inputMode" | "placeholder">;
  /** Said of a wrong value instead of the API's words. */
  readonly problem?: string;
}

const wholeForm = /^-?\d{1,15}(\.\d+)?$/;

/** As the API takes it: what is left empty has no key. */
export function readFields(form: HTMLFormElement, specs: readonly FieldSpec[]): Fields {
  const given = new FormData(form);
  const entries = specs.map(({ name, kind }) => [name, readField(given.get(name), kind)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function readField(given: FormDataEntryValue | null, kind: FieldSpec["kind"]): unknown {
  const text = typeof given === "string" ? given : "";
  if (kind === "yesNo") return given !== null;
  if (kind === "list") return listOf(text);
  if (kind === "phones") return phonesOf(text);
  if (kind === "lines") return textLines(text);
  if (kind === "json") return text === "" ? undefined : (JSON.parse(text) as unknown);
  if (kind === "secret" || kind === "long") return text === "" ? undefined : text;
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  return kind === "number" ? typedNumber(trimmed) : trimmed;
}

/** What is no number goes as it is: the API says what it must be. */
export function typedNumber(text: string): number | string {
  const digits = asciiDigits(text).replace(/[,٬\s]/g, "");
  return wholeForm.test(digits) ? Number(digits) : text;
}

/** Undefined where there is none: the key is left out. */
export function textLines(text: string): readonly string[] | undefined {
  const lines = text.split("\n").map((line) => line.trim());
  const given = lines.filter((line) => line !== "");
  return given.length === 0 ? undefined : given;
}

/** Values between commas, blanks or lines. */
function listOf(text: string): readonly string[] {
  return asciiDigits(text)
    .split(/[\s,،;؛]+/)
    .filter((item) => item !== "");
}

/** One on each line, or between commas: blanks within a number are dropped by the API. */
function phonesOf(text: string): readonly string[] {
  return asciiDigits(text)
    .split(/[\n,،;؛]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** As a field shows it. */
export function shownText(value: unknown): string {
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** One phone number, as it is typed. */
export function numberSpec(t: Translate): FieldSpec {
  return {
    name: "number",
    label: t("number"),
    kind: "text",
    required: true,
    hint: t("number.hint"),
    typing: { dir: "ltr", inputMode: "tel" },
  };
}
