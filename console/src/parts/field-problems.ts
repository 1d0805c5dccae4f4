// Sorts the problems of a refused call by the fields of its form.
import { ApiProblem } from "../api/client.ts";

/** `problemOf`: the text beside a field. `isTold`: each problem stands beside one of `fields`. */
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
