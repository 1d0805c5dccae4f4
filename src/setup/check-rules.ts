// Checks the rules and settings of events and rules of sending against everything that will be
// stored: the lines and accounts that they name, and what must fit together. Pure.
import { foldText } from "../sms/folding.ts";
import { defaultOptOutWords } from "../sms/opt-out-words.ts";
import type { RuleScope } from "../sms/rule-scope.ts";
import { hintFor, type SetupFault, type SetupPath } from "./fault.ts";
import type { RuleInFile, Setup } from "./setup.ts";
import type { SetupState } from "./setup-state.ts";

interface References {
  name(kind: "accounts" | "lines", name: string, place: () => SetupPath): void;
  line(line: string, place: () => SetupPath): void;
}

export function checkRules(check: References, { rules }: Setup): void {
  const scoped: readonly RuleInFile<RuleScope>[] = [
    ...(rules.blockLists ?? []),
    ...(rules.sendingHours ?? []),
    ...(rules.contentRules ?? []),
  ];
  for (const { path, rule } of scoped) {
    for (const [index, line] of rule.lines.entries()) check.line(line, () => [...path, "lines", index]);
    for (const [index, name] of rule.accounts.entries())
      if (name !== "*") check.name("accounts", name, () => [...path, "accounts", index]);
  }
  for (const { path, rule } of rules.inboundRules ?? []) {
    check.name("lines", rule.line, () => [...path, "line"]);
    check.name("accounts", rule.account, () => [...path, "account"]);
  }
}

export function findRuleConflicts(setup: Setup, desired: SetupState): readonly SetupFault[] {
  return [
    ...findListsMissing(setup, desired),
    ...findLinesMissing(setup, desired),
    ...findSharedWords(setup, desired),
    ...findLateEvents(setup, desired),
  ];
}

/** A rule for a list that is not there would block nobody. */
function findListsMissing({ rules }: Setup, { blockLists }: SetupState): readonly SetupFault[] {
  return (rules.blockLists ?? []).flatMap(({ path, rule: { name } }) => {
    if (blockLists.has(name)) return [];
    const hint = hintFor(name, blockLists) ?? "create it with hodhod block-list import";
    return [{ path: [...path, "name"], message: `there is no block list ${name}`, hint }];
  });
}

/** A reply is sent from the line in the name of the account, also after either has changed. */
function findLinesMissing(setup: Setup, desired: SetupState): readonly SetupFault[] {
  const named = new Map(setup.accounts.map(({ path, name }) => [name, path]));
  return desired.rules.inboundRules.flatMap(({ line, account, reply }, index) => {
    const lines = desired.accounts.get(account)?.lines;
    // An account that the file does not name was not read, or was checked when it was stored.
    if (reply === undefined || lines === undefined || lines.includes(line)) return [];
    const given = setup.rules.inboundRules?.[index];
    const place = given === undefined ? named.get(account) : given.path;
    if (place === undefined) return [];
    const message = `a reply goes out from ${line}, which is not a line of account ${account}`;
    return [{ path: [...place, given === undefined ? "lines" : "reply"], message }];
  });
}

function findSharedWords({ optOutWords }: Setup, { settings }: SetupState): readonly SetupFault[] {
  if (optOutWords.stop === undefined && optOutWords.resume === undefined) return [];
  const stop = new Set((settings.optOutStop ?? defaultOptOutWords.stop).map(foldText));
  const shared = (settings.optOutResume ?? defaultOptOutWords.resume).find((word) => stop.has(foldText(word)));
  if (shared === undefined) return [];
  return [{ path: ["optOutWords"], message: `${shared} is both a stop word and a resume word` }];
}

function findLateEvents(setup: Setup, { settings }: SetupState): readonly SetupFault[] {
  const { eventDays, retentionDays } = settings;
  if (eventDays === null || eventDays <= retentionDays) return [];
  const key = setup.eventDays === undefined ? "retentionDays" : "eventDays";
  return [{ path: [key], message: `events are kept for ${eventDays} days, but messages for ${retentionDays}` }];
}
