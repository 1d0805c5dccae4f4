// The entries of the audit for a change of the configuration: what differs in each object, before
// and after, by the keys of the setup file and without secrets. Pure.
import type { RuleSection } from "../sms/rule-lists.ts";
import type { AuditedChange } from "../store/audit.ts";
import {
  accountKeys,
  apiKeysWithoutSecrets,
  connectorKeys,
  lineKeys,
  templateKeys,
  webhookKeys,
} from "./export-setup.ts";
import type { SetupChange, SetupKind } from "./setup-changes.ts";
import type { AccountState, SetupState } from "./setup-state.ts";

type Keys = Readonly<Record<string, unknown>>;

/** More changes of one kind at once are told as their count, one for each action. */
const mostEntries = 50;
/**
 * An entry that only counts its objects names this many of them, so that `apply` can say whose
 * change it would undo.
 */
const mostNames = 500;
/** For a longer list, an entry has only the added and removed items, and at most this many. */
const mostItems = 100;
const longestText = 2_000;

export function auditSetup(
  stored: SetupState,
  desired: SetupState,
  changes: readonly SetupChange[],
): readonly AuditedChange[] {
  return groupBy(changes, ({ kind }) => kind).flatMap((ofKind) => {
    if (ofKind.length <= mostEntries) return ofKind.map((each) => auditOne(stored, desired, each));
    return groupBy(ofKind, ({ action }) => action).map(countChanges);
  });
}

function groupBy(changes: readonly SetupChange[], keyOf: (change: SetupChange) => string): SetupChange[][] {
  const groups = new Map<string, SetupChange[]>();
  for (const change of changes) {
    const group = groups.get(keyOf(change));
    if (group === undefined) groups.set(keyOf(change), [change]);
    else group.push(change);
  }
  return [...groups.values()];
}

function countChanges(group: readonly SetupChange[]): AuditedChange {
  const [{ action, kind } = { action: "change", kind: "settings" } as const] = group;
  const counted = { count: group.length, names: group.slice(0, mostNames).map(({ name }) => name) };
  return { action, kind, name: "", [action === "remove" ? "before" : "after"]: counted };
}

function auditOne(stored: SetupState, desired: SetupState, { action, kind, name }: SetupChange): AuditedChange {
  const old = keysOf(stored, kind, name);
  const now = keysOf(desired, kind, name);
  const account = kind === "account" ? name : kind === "template" ? (now ?? old)?.["account"] : undefined;
  const { before, after } = differing(old ?? {}, { ...now, ...changedSecrets(stored, desired, kind, name) });
  return {
    action,
    kind,
    name,
    ...(typeof account === "string" && { account }),
    ...(old !== undefined && { before }),
    ...(now !== undefined && { after }),
  };
}

function differing(old: Keys, now: Keys): { readonly before: Keys; readonly after: Keys } {
  const before: Record<string, unknown> = {};
  const after: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
    const [left, right] = [old[key], now[key]];
    if (JSON.stringify(left) === JSON.stringify(right)) continue;
    if (left !== undefined) before[key] = shorten(left, right);
    if (right !== undefined) after[key] = shorten(right, left);
  }
  return { before, after };
}

function shorten(value: unknown, other: unknown): unknown {
  if (typeof value === "string" && value.length > longestText) return cut(value);
  if (!Array.isArray(value)) return shortObject(value);
  if (value.length <= mostItems) return value as unknown[];
  const others = new Set((Array.isArray(other) ? other : []).map((item) => JSON.stringify(item)));
  const own = (value as unknown[]).filter((item) => !others.has(JSON.stringify(item)));
  return { count: value.length, onlyHere: own.slice(0, mostItems) };
}

/** At a whole character: half of one is refused by the database. */
function cut(text: string): string {
  return `${text.slice(0, longestText).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Such as certificates. */
function shortObject(value: unknown): unknown {
  const text = typeof value === "object" && value !== null ? JSON.stringify(value) : "";
  return text.length > longestText ? cut(text) : value;
}

/**
 * An object of the state by the keys of the setup file, without secrets; undefined where there is
 * none.
 */
function keysOf(state: SetupState, kind: SetupKind, name: string): Keys | undefined {
  const of = <State>(states: ReadonlyMap<string, State>, describe: (found: State) => object): Keys | undefined => {
    const found = states.get(name);
    return found === undefined ? undefined : (withoutBigints(describe(found)) as Keys);
  };
  switch (kind) {
    case "operator":
      return of(state.operators, ({ enabled, prefixes }) => ({ enabled, prefixes: prefixes.toSorted() }));
    case "portedNumber":
      return of(state.portedNumbers, (operator) => ({ operator }));
    case "connector":
      return of(state.connectors, connectorKeys);
    case "line":
      return of(state.lines, lineKeys);
    case "tariff":
      return of(state.tariffs, (prices) => ({ prices }));
    case "account":
      return of(state.accounts, (account) => ({
        ...accountKeys(account),
        ...peopleOf(account),
        ...webhookKeys(account),
      }));
    case "template":
      return of(state.templates, templateKeys);
    case "rules":
      return { rules: state.rules[name as RuleSection] };
    case "route":
      return { routes: state.routes };
    case "staff":
      return of(state.staff, ({ role, enabled }) => ({ role, enabled }));
    case "settings":
      return { ...state.settings };
  }
}

function peopleOf({ users, apiKeys }: AccountState): Keys {
  return {
    users: [...users.keys()].toSorted(),
    roles: Object.fromEntries([...users].toSorted().map(([name, { role }]) => [name, role])),
    apiKeys: apiKeysWithoutSecrets({ apiKeys }),
  };
}

/** That a secret is another one, never what it was or is. */
function changedSecrets(stored: SetupState, desired: SetupState, kind: SetupKind, name: string): Keys {
  if (kind === "connector") {
    const [old, now] = [stored.connectors.get(name), desired.connectors.get(name)];
    const isChanged = old !== undefined && now !== undefined && old.settings.password !== now.settings.password;
    return isChanged ? { password: "changed" } : {};
  }
  if (kind === "staff") {
    const [old, now] = [stored.staff.get(name), desired.staff.get(name)];
    return old !== undefined && now !== undefined && old.passwordHash !== now.passwordHash
      ? { password: "changed" }
      : {};
  }
  const [old, now] = [stored.accounts.get(name), desired.accounts.get(name)];
  if (kind !== "account" || old === undefined || now === undefined) return {};
  const newPasswords = [...now.users].filter(
    ([user, { passwordHash }]) => (old.users.get(user)?.passwordHash ?? passwordHash) !== passwordHash,
  );
  const newKeys = [...now.apiKeys].filter(
    ([key, { sha256Hex }]) => (old.apiKeys.get(key)?.sha256Hex ?? sha256Hex) !== sha256Hex,
  );
  const newSecrets = [...now.endpoints].filter(
    ([endpoint, { secret }]) => (old.endpoints.get(endpoint)?.secret ?? secret) !== secret,
  );
  return {
    ...(newSecrets.length > 0 && { secretsChanged: newSecrets.map(([endpoint]) => endpoint) }),
    ...(newPasswords.length > 0 && { passwordsChanged: newPasswords.map(([user]) => user) }),
    ...(newKeys.length > 0 && { keysChanged: newKeys.map(([key]) => key) }),
  };
}

/** Prices; rials fit into a number. */
function withoutBigints(value: object): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, item: unknown) => (typeof item === "bigint" ? Number(item) : item)),
  ) as unknown;
}
