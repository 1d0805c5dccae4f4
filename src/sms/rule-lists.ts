// The ordered lists of rules of the setup file (events-and-rules, "Setup lists").
import type { BlockListRule } from "./block-lists.ts";
import type { ContentRule } from "./content-rules.ts";
import type { InboundRule } from "./inbound-rules.ts";
import type { SendingHoursRule } from "./sending-hours.ts";

/** In the order in which they are tried. */
export interface RuleLists {
  readonly blockLists: readonly BlockListRule[];
  readonly sendingHours: readonly SendingHoursRule[];
  readonly contentRules: readonly ContentRule[];
  readonly inboundRules: readonly InboundRule[];
}

export type RuleSection = keyof RuleLists;

export const ruleSections: readonly RuleSection[] = ["blockLists", "sendingHours", "contentRules", "inboundRules"];

export const noRules: RuleLists = { blockLists: [], sendingHours: [], contentRules: [], inboundRules: [] };

export function isRuleSection(section: string): section is RuleSection {
  return (ruleSections as readonly string[]).includes(section);
}

/** Of rules in their order, whatever their lists. They were validated when they were written. */
export function ruleListsOf(rows: readonly { readonly section: string; readonly body: object }[]): RuleLists {
  const list = (section: RuleSection): object[] =>
    rows.filter((row) => row.section === section).map(({ body }) => body);
  return {
    blockLists: list("blockLists"),
    sendingHours: list("sendingHours"),
    contentRules: list("contentRules"),
    inboundRules: list("inboundRules"),
  } as unknown as RuleLists;
}
