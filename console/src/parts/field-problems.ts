// What a call refused, by the fields of the form that made it.
import { ApiProblem } from "../api/client.ts";

/** What stands beside which of these fields, and whether that is all. */
export function fieldProblems(error: unknown, fields: readonly string[]) {
  const problems = error instanceof ApiProblem ? error.fields : [];
  return {
    problemOf: (name: string): string | undefined => {
      const own = problems.filter(({ field }) => isWithin(field, name)).map(({ errorMessage }) => errorMessage);
      return own.length === 0 ? undefined : own.join(" ");
    },
    isTold: problems.length > 0 && problems.every(({ field }) => fields.some((name) => isWithin(field, name))),
  };
}

/** `prices[2].price` is within `prices`. */
function isWithin(field: string, name: string): boolean {
  return field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`);
}
