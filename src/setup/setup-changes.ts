// Differences between the stored state and the desired one: the objects to write or remove, each
// described for people; and the entries of the audit for them. Pure. Secrets are only told as
// changed; no password hash or key appears.
import type { RowsValue } from "../fields/field.ts";
import { settingsFields } from "../fields/service-fields.ts";
import { groupBy } from "../platform/group-by.ts";
import { formatRials } from "../sms/money.ts";
import type { AuditedChange, TraceOfChange } from "../store/audit.ts";
import {
  auditDifferences,
  changedItems,
  describeDifferences,
  describeRows,
  isEqual,
  rowText,
  shorten,
} from "./compare-objects.ts";
import {
  type AccountState,
  isList,
  isNamed,
  listNames,
  type ListSection,
  listSections,
  type NamedSection,
  type NamedTable,
  namedSections,
  type ObjectName,
  sectionNames,
  type SetupState,
} from "./sections.ts";

export type SetupKind = NamedTable["kind"] | "route" | "rules";

export interface SetupChange {
  readonly action: "create" | "change" | "remove";
  readonly section: ObjectName["section"];
  readonly kind: SetupKind;
  readonly name: string;
  /** `window: 100 → 50` */
  readonly details: readonly string[];
}

/** The object as changes and the audit name it. */
export function auditedAs({ section, name }: ObjectName): Pick<SetupChange, "section" | "kind" | "name"> {
  if (section === "routes") return { section, kind: "route", name: section };
  if (isNamed(section)) return { section, kind: namedSections[section].kind, name };
  return { section, kind: section === "settings" ? "settings" : "rules", name: section };
}

export function findChanges(stored: SetupState, desired: SetupState): readonly SetupChange[] {
  const settings = describeDifferences(settingsFields, stored.settings, desired.settings);
  return [
    ...sectionNames.flatMap((section) => compareNamed(section, stored, desired)),
    ...listNames.flatMap((section) => compareList(section, stored[section], desired[section])),
    ...(settings.length === 0
      ? []
      : [{ action: "change", ...auditedAs({ section: "settings", name: "" }), details: settings } as const]),
  ];
}

function compareNamed(section: NamedSection, stored: SetupState, desired: SetupState): readonly SetupChange[] {
  const { fields } = namedSections[section];
  const object = (name: string) => auditedAs({ section, name });
  const changes: SetupChange[] = [];
  for (const [name, now] of desired[section]) {
    const old = stored[section].get(name);
    if (old === now) continue;
    if (old === undefined) {
      changes.push(creation(object(name), () => [...openingOf(now), ...describeDifferences(fields, undefined, now)]));
      continue;
    }
    const details = describeDifferences(fields, old, now);
    if (details.length > 0) changes.push({ action: "change", ...object(name), details });
  }
  for (const [name, old] of stored[section])
    if (!desired[section].has(name)) changes.push({ action: "remove", ...object(name), details: lossOf(old) });
  return changes;
}

/** Described only when somebody reads it, because thousands of new objects are only counted. */
function creation(object: ReturnType<typeof auditedAs>, describe: () => readonly string[]): SetupChange {
  return {
    action: "create",
    ...object,
    get details() {
      return describe();
    },
  };
}

function openingOf(now: object): readonly string[] {
  const { balance, credit } = now as Partial<AccountState>;
  return balance === undefined || credit === "unlimited" ? [] : [`credit: ${formatRials(balance)}`];
}

/** What is removed with an account. */
function lossOf(old: object): readonly string[] {
  if (!("balance" in old)) return [];
  const { balance, credit, users, apiKeys, webhooks } = old as AccountState;
  const lists = { users, apiKeys, webhooks };
  return [
    `balance: ${formatRials(balance)}${credit === "unlimited" ? ", unlimited" : ""}`,
    ...Object.entries(lists).flatMap(([key, list]) =>
      list.size === 0 ? [] : [`${key}: ${[...list.keys()].map((name) => `-${name}`).join(" ")}`],
    ),
  ];
}

function compareList(section: ListSection, old: readonly object[], now: readonly object[]): readonly SetupChange[] {
  if (isEqual(old, now)) return [];
  const textsOf = (rows: readonly object[]): readonly string[] =>
    rows.map((row) => rowText(listSections[section].fields, row as Readonly<Record<string, unknown>>));
  const action = old.length === 0 ? "create" : now.length === 0 ? "remove" : "change";
  const ordered: Pick<RowsValue, "unordered"> = {};
  const details = describeRows(ordered, textsOf(old), textsOf(now), "");
  return [{ action, ...auditedAs({ section, name: "" }), details }];
}

/** More changes of one kind at once are told as their count, one for each action. */
const mostEntries = 50;
/**
 * An entry that only counts its objects names this many of them, so that `apply` can say whose
 * change it would undo.
 */
const mostNames = 500;

export function auditSetup(
  stored: SetupState,
  desired: SetupState,
  changes: readonly SetupChange[],
): readonly AuditedChange[] {
  return [...groupBy(changes, ({ kind }) => kind).values()].flatMap((ofKind) => {
    if (ofKind.length <= mostEntries) return ofKind.map((each) => auditOne(stored, desired, each));
    return [...groupBy(ofKind, ({ action }) => action).values()].map(countChanges);
  });
}

function countChanges(group: readonly SetupChange[]): AuditedChange {
  const [{ action, kind } = { action: "change", kind: "settings" } as const] = group;
  const counted = { count: group.length, names: group.slice(0, mostNames).map(({ name }) => name) };
  return { action, kind, name: "", [action === "remove" ? "before" : "after"]: counted };
}

function auditOne(stored: SetupState, desired: SetupState, change: SetupChange): AuditedChange {
  const { action, section, kind, name } = change;
  if (isList(section)) {
    const key = section === "routes" ? section : "rules";
    const [before, after] = [stored[section], desired[section]];
    return { action, kind, name, before: { [key]: shorten(before, after) }, after: { [key]: shorten(after, before) } };
  }
  if (section === "settings")
    return { action, kind, name, ...auditDifferences(settingsFields, stored.settings, desired.settings) };
  const [old, now] = [stored[section].get(name), desired[section].get(name)];
  const { before, after } = auditDifferences(namedSections[section].fields, old, now);
  const account = section === "accounts" ? name : section === "templates" ? ownerOf(now ?? old) : undefined;
  return {
    ...{ action, kind, name },
    ...(account !== undefined && { account }),
    ...(old !== undefined && { before }),
    ...(now !== undefined && { after }),
  };
}

function ownerOf(template: object | undefined): string | undefined {
  return (template as { readonly account?: string } | undefined)?.account;
}

/** As the console calls them, which changes these one by one. */
const kindsOfItems = { users: "user", apiKeys: "apiKey", webhooks: "webhookEndpoint" } as const;

/**
 * Where the audit may name the last change of each object. For an account this includes each of its
 * users, API keys and endpoints that changes: a setup file changes them with their account. New
 * objects have no traces.
 */
export function tracesOf(
  stored: SetupState,
  desired: SetupState,
  changes: readonly SetupChange[],
): readonly TraceOfChange[] {
  return changes.flatMap(({ action, kind, name }, change): readonly TraceOfChange[] => {
    if (action === "create") return [];
    const own = { change, object: "", kind, name };
    if (kind !== "account") return [own];
    const [old, now] = [stored.accounts.get(name), desired.accounts.get(name)];
    const ofItems = (["users", "apiKeys", "webhooks"] as const).flatMap((list) =>
      changedItems(old?.[list], now?.[list]).flatMap((item) => [
        { change, object: `${list} ${item}`, kind: kindsOfItems[list], name: item, account: name },
        { change, object: `${list} ${item}`, kind: "account", name, keys: [list] },
      ]),
    );
    return [own, ...ofItems];
  });
}
