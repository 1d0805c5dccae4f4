// The operator of a number: its own entry if it was ported, else the longest known prefix. Numbers
// are never rejected here: one without a known prefix has no known operator (decisions §4
// `operator`).
import type { Msisdn } from "./msisdn.ts";

/** Numbers that moved to another operator than their prefix says. */
export interface PortedNumbers {
  get(number: Msisdn): string | undefined;
}

export interface NumberingPlan {
  /** National prefix, without the leading 0, to operator name. */
  readonly prefixes: ReadonlyMap<string, string>;
  readonly ported: PortedNumbers;
  /** Number of digits of the longest prefix. */
  readonly longestPrefix: number;
}

export const unknownOperator = "Unknown";

const countryCodeDigits = 2;

export function buildNumberingPlan(
  prefixes: Iterable<readonly [string, string]>,
  ported: Iterable<readonly [Msisdn, string]>,
): NumberingPlan {
  return numberingPlanOf(prefixes, new Map(ported));
}

/** With ported numbers that are indexed already. */
export function numberingPlanOf(prefixes: Iterable<readonly [string, string]>, ported: PortedNumbers): NumberingPlan {
  const byPrefix = new Map(prefixes);
  const longestPrefix = Math.max(0, ...Array.from(byPrefix.keys(), (prefix) => prefix.length));
  return { prefixes: byPrefix, ported, longestPrefix };
}

export function operatorOf(msisdn: Msisdn, plan: NumberingPlan): string {
  const ported = plan.ported.get(msisdn);
  if (ported !== undefined) return ported;
  const prefix = prefixOf(msisdn, plan);
  return (prefix === undefined ? undefined : plan.prefixes.get(prefix)) ?? unknownOperator;
}

/** The longest known prefix of the number, without the leading 0. */
export function prefixOf(msisdn: Msisdn, plan: NumberingPlan): string | undefined {
  for (let digits = plan.longestPrefix; digits > 0; digits -= 1) {
    const prefix = msisdn.slice(countryCodeDigits, countryCodeDigits + digits);
    if (plan.prefixes.has(prefix)) return prefix;
  }
  return undefined;
}
