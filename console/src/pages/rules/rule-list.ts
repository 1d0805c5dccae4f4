// A list of rules with one of them changed, added, moved or removed, and faults of a list as those
// of one rule. Pure.

/** By the keys of the setup file. */
export type Rule = Readonly<Record<string, unknown>>;

/** A rule with a name is known by it; others by what they match. */
function keyOf(rule: Rule): string {
  const { name, line, words, prefix } = rule;
  return JSON.stringify(typeof name === "string" ? [name] : [line, words, prefix]);
}

/** Where the rule stands now; -1: somebody has removed it, or changed what it is known by. */
export function placeOf(rules: readonly Rule[], rule: Rule): number {
  return rules.findIndex((each) => keyOf(each) === keyOf(rule));
}

/** In the place of `old`, or at the end. */
export function withRule(rules: readonly Rule[], old: Rule | undefined, now: Rule): readonly Rule[] {
  const place = old === undefined ? -1 : placeOf(rules, old);
  return place < 0 ? [...rules, now] : rules.with(place, now);
}

export function withoutRule(rules: readonly Rule[], rule: Rule): readonly Rule[] {
  const place = placeOf(rules, rule);
  return rules.filter((_, index) => index !== place);
}

/** One place up. */
export function raised(rules: readonly Rule[], rule: Rule): readonly Rule[] {
  const place = placeOf(rules, rule);
  const before = rules[place - 1];
  const self = rules[place];
  if (before === undefined || self === undefined) return rules;
  return rules.with(place - 1, self).with(place, before);
}

/**
 * As the API takes it. An empty list means what one that is left out does, and links that all may
 * stand are no rule by themselves. A received message that a rule names nothing of is any.
 */
export function asGiven(section: string, fields: Rule): Rule {
  const given = Object.fromEntries(
    Object.entries(fields).filter(
      ([key, value]) => !(Array.isArray(value) && value.length === 0) && !(key === "links" && value === "any"),
    ),
  );
  const isAny = section === "inboundRules" && given["words"] === undefined && given["prefix"] === undefined;
  return isAny ? { ...given, any: true } : given;
}

interface FieldFault {
  readonly field: string;
  readonly errorMessage: string;
}

/** `contentRules[2].words[0]` is a fault of `words` where the third rule stands in the form. */
export function asFaultsOfRule(faults: readonly FieldFault[], section: string, place: number): readonly FieldFault[] {
  const beginning = `${section}[${String(place)}].`;
  return faults.map(({ field, errorMessage }) => ({
    field: field.startsWith(beginning) ? (/^[a-zA-Z]+/.exec(field.slice(beginning.length))?.[0] ?? field) : field,
    errorMessage,
  }));
}
