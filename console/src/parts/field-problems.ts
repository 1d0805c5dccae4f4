// Sorts the problems of a refused call by the fields of its form.
import { ApiProblem } from "../api/client.ts";
import { isolated } from "../texts/texts.ts";
import type { Fields } from "./merge-typed.ts";

/**
 * `problemOf`: the text beside a field. `isTold`: each problem stands beside one of `fields`.
 * `sent`: what was refused, so that a problem of one text of many says of which.
 */
export function fieldProblems(error: unknown, fields: readonly string[], sent: Fields = {}) {
  const problems = error instanceof ApiProblem ? error.fields : [];
  return {
    problemOf: (name: string): string | undefined => {
      const own = problems.filter(({ field }) => isWithin(field, name));
      const told = own.map(({ field, errorMessage }) => named(textOfMany(sent, field), errorMessage));
      return told.length === 0 ? undefined : told.join(" ");
    },
    isTold: problems.length > 0 && problems.every(({ field }) => fields.some((name) => isWithin(field, name))),
  };
}

/** `prices[2].price` is within `prices`. */
function isWithin(field: string, name: string): boolean {
  return field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`);
}

/** The third of `blockedRecipients` for `blockedRecipients[2]`. */
function textOfMany(sent: Fields, field: string): string | undefined {
  const [, name = "", index = ""] = /^(\w+)\[(\d+)\]$/.exec(field) ?? [];
  const list = sent[name];
  const text: unknown = Array.isArray(list) ? list[Number(index)] : undefined;
  return typeof text === "string" ? text : undefined;
}

/** The text keeps its own direction, whichever the language has. */
function named(text: string | undefined, problem: string): string {
  return text === undefined ? problem : `${isolated(text)}: ${problem}`;
}
