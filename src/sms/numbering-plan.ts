// The operator of a number: its own entry if it was ported, else the longest known prefix. Numbers
// are never rejected here: one without a known prefix has no known operator.
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

// The mobile operators of Iran and their number prefixes: the initial content of the operator
// table. Staff can change the table. Prefixes overlap, and the longest one counts.

export interface OperatorPrefixes {
  readonly name: string;
  /** National form, without the leading 0. */
  readonly prefixes: readonly string[];
}

/**
 * Sources: libphonenumber's carrier data for +98 and, where it has none, validators in use in Iran.
 * They disagree on parts of 099x. The blocks of virtual operators carry their own names although a
 * host network serves them.
 */
export const defaultOperators: readonly OperatorPrefixes[] = [
  {
    name: "MCI",
    prefixes: [
      ...["910", "911", "912", "913", "914", "915", "916", "917", "918", "919"],
      ...["990", "991", "992", "993", "994", "995", "996", "9995", "99902", "99969"],
    ],
  },
  {
    name: "Irancell",
    prefixes: [
      ...["900", "901", "902", "903", "904", "905", "930", "933", "935", "936", "937", "938", "939"],
      ...["941", "9955", "9991"],
    ],
  },
  { name: "RighTel", prefixes: ["920", "921", "922", "923"] },
  { name: "Spadan", prefixes: ["931"] },
  { name: "Taliya", prefixes: ["932"] },
  { name: "TeleKish", prefixes: ["934"] },
  { name: "ShatelMobile", prefixes: ["9981", "9982"] },
  { name: "ApTel", prefixes: ["99910", "99911", "99913", "9993"] },
  { name: "Azartel", prefixes: ["99914"] },
  { name: "SamanTel", prefixes: ["99996", "99997", "99998", "99999"] },
  { name: "ArianTel", prefixes: ["9998"] },
  { name: "LotusTel", prefixes: ["9990"] },
];
