// Differences between the stored state and the desired one: the objects to write or remove, each
// described for people; and the entries of the audit for them. Of secrets only that they changed. Pure.
import type { Fields } from "../fields/field.ts";
import { settingsFields } from "../fields/service-fields.ts";
import { groupBy } from "../platform/group-by.ts";
import { formatRials } from "../sms/money.ts";
import type { AuditedChange } from "../store/audit.ts";
import { type Differences, differencesOf, isEqual, linesOf, shortened } from "./compare-objects.ts";
import {
  type AccountState,
  isList,
  isNamed,
  listNames,
  type NamedSection,
  type NamedTable,
  namedSections,
  type ObjectName,
  sectionNames,
  type SetupState,
} from "./sections.ts";

type Keys = Readonly<Record<string, unknown>>;

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
  const named = sectionNames.flatMap((section) =>
    [...new Set([...desired[section].keys(), ...stored[section].keys()])].map((name) => ({ section, name })),
  );
  const others = [...listNames, "settings" as const].map((section) => ({ section, name: "" }));
  return [...named, ...others].flatMap((object): SetupChange[] => {
    const [old, now] = [versionIn(stored, object), versionIn(desired, object)];
    if (isEqual(old, now)) return [];
    const action = old === undefined ? "create" : now === undefined ? "remove" : "change";
    return [
      {
        action,
        ...auditedAs(object),
        // Only when somebody reads it, because thousands of new objects are only counted.
        get details() {
          return describe(object, old, now);
        },
      },
    ];
  });
}

/** Undefined: there is none. A list without rows is none. */
function versionIn(state: SetupState, { section, name }: Pick<ObjectName, "section" | "name">): object | undefined {
  if (isNamed(section)) return state[section].get(name);
  return isList(section) && state[section].length === 0 ? undefined : state[section];
}

function describe(object: ObjectName, old: object | undefined, now: object | undefined): readonly string[] {
  const money = openingOf(old, now);
  if (now === undefined) return money;
  return [...money, ...linesOf(differencesIn(object, old, old === undefined ? withoutDefaults(object, now) : now))];
}

/** Of an account that is new, or removed. */
function openingOf(old: object | undefined, now: object | undefined): readonly string[] {
  const { balance, credit } = (old ?? now) as Partial<AccountState>;
  if (balance === undefined || (old !== undefined && now !== undefined)) return [];
  if (now !== undefined) return credit === "unlimited" ? [] : [`credit: ${formatRials(balance)}`];
  return [`balance: ${formatRials(balance)}${credit === "unlimited" ? ", unlimited" : ""}`];
}

function fieldsOf(section: NamedSection | "settings"): Fields {
  return section === "settings" ? settingsFields : namedSections[section].fields;
}

function withoutDefaults({ section }: ObjectName, values: object): object {
  if (isList(section)) return values;
  const fields = fieldsOf(section);
  return Object.fromEntries(Object.entries(values).filter(([key, value]) => !isEqual(value, fields[key]?.default)));
}

function differencesIn({ section }: ObjectName, old: object | undefined, now: object | undefined): Differences {
  if (!isList(section)) return differencesOf(fieldsOf(section), old as Keys | undefined, now as Keys | undefined);
  const key = section === "routes" ? section : "rules";
  const [before, after] = shortened(old, now);
  return { before: { [key]: before }, after: { [key]: after } };
}

/** Of more changes of one kind at once, the audit gets their count, one for each action. */
const mostEntries = 50;
/** So many of them are named. */
const mostNames = 500;

export function auditSetup(
  stored: SetupState,
  desired: SetupState,
  changes: readonly SetupChange[],
): readonly AuditedChange[] {
  return [...groupBy(changes, ({ kind }) => kind).values()].flatMap((ofKind) => {
    if (ofKind.length <= mostEntries) return ofKind.map((each) => auditOne(stored, desired, each));
    return [...groupBy(ofKind, ({ action }) => action)].map(([action, group]): AuditedChange => ({
      ...{ action, kind: ofKind[0]?.kind ?? "", name: "" },
      [action === "remove" ? "before" : "after"]: {
        count: group.length,
        names: group.slice(0, mostNames).map(({ name }) => name),
      },
    }));
  });
}

function auditOne(stored: SetupState, desired: SetupState, change: SetupChange): AuditedChange {
  const { action, section, kind, name } = change;
  const [old, now] = [versionIn(stored, change), versionIn(desired, change)];
  const { before, after } = differencesIn(change, old, now);
  const account = section === "accounts" ? name : ownerOf(now ?? old);
  return {
    ...{ action, kind, name },
    ...(account !== undefined && { account }),
    ...(old !== undefined && { before }),
    ...(now !== undefined && { after }),
  };
}

/** Of a template. */
function ownerOf(values: object | undefined): string | undefined {
  return (values as { readonly account?: string } | undefined)?.account;
}
