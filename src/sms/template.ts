// Fills a message template with its parameters.
// One pass over the template, so a value is never expanded itself. Surplus parameters are ignored.
import { fault, type Fault } from "./fault.ts";

/** A code is asked for by whoever gets it, so rules for what is not asked for leave it alone. */
export const templatePurposes = ["code", "information"] as const;
export type TemplatePurpose = (typeof templatePurposes)[number];

/** An optional parameter of submit_sm with one of the values. */
export interface GivenTlv {
  /** Hexadecimal: 0x1400. */
  readonly tag: string;
  readonly text?: string | undefined;
  readonly hex?: string | undefined;
  readonly number?: number | undefined;
}

export interface Template {
  readonly id: string;
  readonly content: string;
  /** A line number, "service" or "advertising". */
  readonly sender?: string | undefined;
  readonly approved: boolean;
  /** Why staff refused it. */
  readonly refused?: string | undefined;
  /** Validity of a message made from it; absent: the usual validity. */
  readonly validSeconds?: number | undefined;
  /** Absent: code. */
  readonly purpose?: TemplatePurpose;
  /** Optional parameters of each submit_sm of its messages. */
  readonly tlvs?: readonly GivenTlv[];
}

/** Whether a message is one that its recipient has asked for. */
export function isCode(template: Template | undefined): boolean {
  return template !== undefined && template.purpose !== "information";
}

/**
 * `null` is a missing value and `undefined` one that is not text. An empty text is a value. Of a
 * repeated name the last one counts.
 */
export interface TemplateParameter {
  readonly name: string;
  readonly value: string | null | undefined;
}

/** Maximum length of a value, in Unicode code points. */
export const maximumValueCharacters = 100;
/** No part holds more UTF-16 units: those of a text in the GSM alphabet that is alone. */
export const mostUnitsOfPart = 160;

const placeholder = /\{([\p{L}\p{Nd}_-]+)\}/gu;

/** The names of the placeholders, in their order, each once. */
export function placeholdersOf({ content }: Pick<Template, "content">): readonly string[] {
  return [...new Set([...content.matchAll(placeholder)].map(([, name = ""]) => name))];
}

/** The length is known, and judged, before the text is made: a short template may name one value often. */
export function renderTemplate(
  { content }: Pick<Template, "content">,
  parameters: readonly TemplateParameter[],
  maximumParts: number,
): { readonly content: string } | Fault {
  const values = new Map(parameters.map(({ name, value }) => [name, value]));
  const missing = new Set<string>();
  let unfit: Fault | undefined;
  let length = content.length;
  for (const [whole, name = ""] of content.matchAll(placeholder)) {
    const value = values.get(name);
    if (!values.has(name) || value === null) missing.add(name);
    else unfit ??= checkValue(name, value);
    length += (value?.length ?? 0) - whole.length;
  }
  if (missing.size > 0) return fault("parameters.missingValue", "parameters", { names: [...missing].join(", ") });
  if (unfit !== undefined) return unfit;
  if (length > maximumParts * mostUnitsOfPart) return fault("content.tooLong", "parameters", { maximum: maximumParts });
  return { content: fill(content, values) };
}

function fill(content: string, values: ReadonlyMap<string, string | null | undefined>): string {
  return content.replace(placeholder, (_, name: string) => values.get(name) ?? "");
}

/** One or more placeholders with nothing visible between them. */
const adjacent = new RegExp(`${placeholder.source}(?:[\\s\\p{Cf}]*${placeholder.source})*`, "gu");

/**
 * What the values make of the text: each that stands in it, and those that follow one another
 * joined. Neither surplus values nor what a repeated name replaced.
 */
export function filledTexts(
  { content }: Pick<Template, "content">,
  parameters: readonly TemplateParameter[],
): string[] {
  const values = new Map(parameters.map(({ name, value }) => [name, value]));
  const found = Array.from(content.matchAll(adjacent), ([run]) => run);
  const runs = [...found, ...found.flatMap((run) => run.match(placeholder) ?? [])];
  return [...new Set(runs)].map((run) => fill(run, values));
}

/** The first fault of a value that no template accepts, for a call whose template is unknown. */
export function findUnfitValue(parameters: readonly TemplateParameter[]): Fault | undefined {
  for (const { name, value } of parameters) {
    const unfit = value === null ? undefined : checkValue(name, value);
    if (unfit !== undefined) return unfit;
  }
  return undefined;
}

function checkValue(name: string, value: string | undefined): Fault | undefined {
  if (value === undefined) return fault("parameters.valueNotText", "parameters", { name });
  if (!isLongerThan(maximumValueCharacters, value)) return undefined;
  return fault("parameters.valueTooLong", "parameters", { name, maximum: maximumValueCharacters });
}

/**
 * In Unicode code points. One has at most two units, so only lengths between the two bounds are
 * counted.
 */
export function isLongerThan(maximum: number, text: string): boolean {
  if (text.length <= maximum) return false;
  return text.length > 2 * maximum || Array.from(text).length > maximum;
}
