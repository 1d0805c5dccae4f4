// Checks of single settings, each as a sentence that says what is wrong. Pure.

/** The checked value, or a description of what is wrong with it. */
export type Check = (value: unknown) => { readonly value: unknown } | { readonly fault: string };

export function oneOf(...choices: readonly string[]): Check {
  return (value) =>
    typeof value === "string" && choices.includes(value) ? { value } : { fault: `must be ${listChoices(choices)}` };
}

function listChoices(choices: readonly string[]): string {
  return choices.length === 1 ? String(choices[0]) : `${choices.slice(0, -1).join(", ")} or ${String(choices.at(-1))}`;
}

export function wholeNumberFrom(from: number, to: number): Check {
  return (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= from && value <= to
      ? { value }
      : { fault: `must be a whole number from ${from} to ${to}` };
}

export function numberUpTo(to: number): Check {
  return (value) =>
    typeof value === "number" && value >= 0 && value <= to ? { value } : { fault: `must be a number from 0 to ${to}` };
}

export function auto(otherwise: Check): Check {
  return (value) => {
    if (value === "auto") return { value };
    const checked = otherwise(value);
    return "fault" in checked ? { fault: `${checked.fault}, or auto` } : checked;
  };
}
