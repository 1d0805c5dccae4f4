// The fields of an object of the configuration: what each is called, how it is given, and how a
// form is read. Pure but for the form.
import type { ReactNode } from "react";
import { asciiDigits } from "../../format/numbers.ts";
import type { Fields } from "./merge-typed.ts";

export interface FieldSpec {
  /** The key of the setup file. */
  readonly name: string;
  readonly label: string;
  /**
   * `lines`: texts, one a line, each as it is typed. `json`: a control of its own, which keeps its
   * value in a hidden field of this name. `phones`: phone numbers, one a line.
   */
  readonly kind: "text" | "number" | "choice" | "yesNo" | "list" | "lines" | "phones" | "secret" | "json";
  readonly hint?: string | undefined;
  readonly required?: boolean;
  readonly options?: readonly { readonly value: string; readonly text: string }[];
  /** Those of one section stand together under this heading. */
  readonly section?: string;
  /** Folded away until it is asked for. */
  readonly seldom?: boolean;
  /** Of kind `list`: one a line. */
  readonly isLong?: boolean;
  /** Of kind `json`. */
  readonly control?: (value: unknown) => ReactNode;
  /** Of kind `json`: the control shows the label itself. */
  readonly isLabelled?: boolean;
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
  if (kind === "secret") return text === "" ? undefined : text;
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  const digits = asciiDigits(trimmed);
  // What is no number goes as it is: the API says what it must be. A choice such as `auto` or 5 has
  // both.
  if (kind === "number") return numberOr(digits.replace(/[,٬]/g, ""), trimmed);
  if (kind === "choice") return numberOr(digits, trimmed);
  return trimmed;
}

function numberOr(digits: string, given: string): unknown {
  return wholeForm.test(digits) ? Number(digits) : given;
}

/** Undefined where there is none: the key is left out. */
export function textLines(text: string): readonly string[] | undefined {
  const lines = text.split("\n").map((line) => line.trim());
  const given = lines.filter((line) => line !== "");
  return given.length === 0 ? undefined : given;
}

/** Values between commas, blanks or lines. */
export function listOf(text: string): readonly string[] {
  return asciiDigits(text)
    .split(/[\s,،;؛]+/)
    .filter((item) => item !== "");
}

/** One on each line, or between commas: blanks within a number are dropped by the API. */
export function phonesOf(text: string): readonly string[] {
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
