// Fills a message template with its parameters (API spec 2.3, 2.4, 4.2; decisions §4 "Templates").
// One pass over the template: a value is never read as a template itself, and surplus parameters are ignored.
import { fault, type Fault } from "./fault.ts";

export interface Template {
  readonly id: string;
  readonly content: string;
  /** A line number, "service" or "advertising". */
  readonly sender?: string | undefined;
  readonly approved: boolean;
  /** How long a message made from it is of use; absent: as long as any message. */
  readonly validSeconds?: number | undefined;
}

/** `null` is a missing value; an empty text is a value. Of a repeated name the last one counts. */
export interface TemplateParameter {
  readonly name: string;
  readonly value: string | null;
}

/** Characters of a value, counted as Unicode code points. */
export const maximumValueCharacters = 100;

const placeholder = /\{([\p{L}\p{Nd}_-]+)\}/gu;

export function renderTemplate(
  template: Template,
  parameters: readonly TemplateParameter[],
): { readonly content: string } | Fault {
  const values = new Map(parameters.map(({ name, value }) => [name, value]));
  const missing = new Set<string>();
  let tooLong: string | undefined;
  const content = template.content.replace(placeholder, (_, name: string) => {
    const value = values.get(name);
    if (value === undefined || value === null) {
      missing.add(name);
      return "";
    }
    if (isTooLong(value)) tooLong ??= name;
    return value;
  });
  if (missing.size > 0) return fault("parameters.missingValue", "parameters", { names: [...missing].join(", ") });
  return tooLong === undefined ? { content } : valueTooLong(tooLong);
}

/** The first value that is too long for any template, for a call whose template is not known. */
export function findTooLongValue(parameters: readonly TemplateParameter[]): Fault | undefined {
  const parameter = parameters.find(({ value }) => value !== null && isTooLong(value));
  return parameter === undefined ? undefined : valueTooLong(parameter.name);
}

function valueTooLong(name: string): Fault {
  return fault("parameters.valueTooLong", "parameters", { name, maximum: maximumValueCharacters });
}

// A code point takes at most two units, so only lengths between the two bounds need counting.
function isTooLong(value: string): boolean {
  if (value.length <= maximumValueCharacters) return false;
  return value.length > 2 * maximumValueCharacters || Array.from(value).length > maximumValueCharacters;
}
