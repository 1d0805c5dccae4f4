// Fills a message template with its parameters (API spec 2.3, 2.4, 4.2; decisions §4 "Templates").
// One pass over the template, so a value is never expanded itself. Surplus parameters are ignored.
import { fault, type Fault } from "./fault.ts";

/** A code is asked for by whoever gets it, so rules for what is not asked for leave it alone. */
export const templatePurposes = ["code", "information"] as const;
export type TemplatePurpose = (typeof templatePurposes)[number];

export interface Template {
  readonly id: string;
  readonly content: string;
  /** A line number, "service" or "advertising". */
  readonly sender?: string | undefined;
  readonly approved: boolean;
  /** Validity of a message made from it; absent: the usual validity. */
  readonly validSeconds?: number | undefined;
  /** Absent: code. */
  readonly purpose?: TemplatePurpose;
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

const placeholder = /\{([\p{L}\p{Nd}_-]+)\}/gu;

export function renderTemplate(
  template: Template,
  parameters: readonly TemplateParameter[],
): { readonly content: string } | Fault {
  const values = new Map(parameters.map(({ name, value }) => [name, value]));
  const missing = new Set<string>();
  let unfit: Fault | undefined;
  const content = template.content.replace(placeholder, (_, name: string) => {
    const value = values.get(name);
    if (!values.has(name) || value === null) missing.add(name);
    else unfit ??= judgeValue(name, value);
    return value ?? "";
  });
  if (missing.size > 0) return fault("parameters.missingValue", "parameters", { names: [...missing].join(", ") });
  return unfit ?? { content };
}

/** The values that stand in the text: neither surplus ones nor what a repeated name replaced. */
export function usedValues(template: Template, parameters: readonly TemplateParameter[]): readonly string[] {
  const values = new Map(parameters.map(({ name, value }) => [name, value]));
  const names = new Set(Array.from(template.content.matchAll(placeholder), ([, name = ""]) => name));
  return [...names].map((name) => values.get(name) ?? "");
}

/** The first fault of a value that no template accepts, for a call whose template is unknown. */
export function findUnfitValue(parameters: readonly TemplateParameter[]): Fault | undefined {
  for (const { name, value } of parameters) {
    const unfit = value === null ? undefined : judgeValue(name, value);
    if (unfit !== undefined) return unfit;
  }
  return undefined;
}

function judgeValue(name: string, value: string | undefined): Fault | undefined {
  if (value === undefined) return fault("parameters.valueNotText", "parameters", { name });
  if (!isTooLong(value)) return undefined;
  return fault("parameters.valueTooLong", "parameters", { name, maximum: maximumValueCharacters });
}

// A code point has at most two units, so only lengths between the two bounds are counted.
function isTooLong(value: string): boolean {
  if (value.length <= maximumValueCharacters) return false;
  return value.length > 2 * maximumValueCharacters || Array.from(value).length > maximumValueCharacters;
}
