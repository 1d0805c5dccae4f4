// Checks a setup against everything that will be stored: the objects that it names, what must be
// unique across objects, what must fit together, and what is valid but perhaps not what was meant.
// Checks only what the file gives; the rest was checked when it was stored. Pure.
import { movedBy } from "../connectors/connector-settings.ts";
import { findForeignKeys } from "./certificates.ts";
import { hintFor, kindText, type SetupFault } from "./fault.ts";
import { referencesIn } from "./references.ts";
import { namedSections, type Setup, type SetupState } from "./sections.ts";
import { foldText } from "../sms/folding.ts";
import { defaultOptOutWords } from "../sms/opt-out-index.ts";
import { formatRials } from "../sms/money.ts";

export interface SetupToCheck {
  readonly setup: Setup;
  readonly stored: SetupState;
  readonly desired: SetupState;
}

export function checkSetup({ setup, desired }: SetupToCheck): readonly SetupFault[] {
  return [
    ...findMissing(setup, desired),
    ...findNegativeBalances(setup, desired),
    ...findListsMissing(setup, desired),
    ...findReplyLines(setup, desired),
    ...findSharedWords(setup, desired),
    ...findLateEvents(setup, desired),
    ...findSharedLogins(setup, desired),
    ...findSharedKeys(setup, desired),
    ...findForeignKeys(setup, desired),
  ];
}

function findMissing(setup: Setup, desired: SetupState): readonly SetupFault[] {
  const faults: SetupFault[] = [];
  for (const { section, name, path } of referencesIn(setup)) {
    if (desired[section].has(name)) continue;
    const values = { kind: kindText(namedSections[section].kind), name };
    faults.push({ path, key: "notThere", values, hint: hintFor(name, desired[section].keys()) });
  }
  return faults;
}

function findNegativeBalances({ accounts }: Setup, desired: SetupState): readonly SetupFault[] {
  return accounts.flatMap(({ place, name, values: { credit } }): SetupFault[] => {
    const state = desired.accounts.get(name);
    if (credit === undefined || state === undefined || state.credit === "unlimited" || state.balance >= 0n) return [];
    return [{ path: [...place, "credit"], key: "negativeBalance", hint: { key: "addCredit" } }];
  });
}

/** A rule for a list that is not there would block nobody. */
function findListsMissing({ blockLists = [] }: Setup, { blockListNames }: SetupState): readonly SetupFault[] {
  return blockLists.flatMap(({ place, row: { name } }): SetupFault[] => {
    if (blockListNames.has(name)) return [];
    const hint = hintFor(name, blockListNames) ?? ({ key: "importBlockList" } as const);
    return [{ path: [...place, "name"], key: "notThere", values: { kind: kindText("blockList"), name }, hint }];
  });
}

/** A reply is sent from the line in the name of the account, also after either has changed. */
function findReplyLines(setup: Setup, desired: SetupState): readonly SetupFault[] {
  const named = new Map(setup.accounts.map(({ place, name }) => [name, place]));
  return desired.inboundRules.flatMap(({ line, account, reply }, index): SetupFault[] => {
    const lines = desired.accounts.get(account)?.lines;
    // An account that the file does not name was not read, or was checked when it was stored.
    if (reply === undefined || lines === undefined || lines.includes(line)) return [];
    const given = setup.inboundRules?.[index];
    const place = given?.place ?? named.get(account);
    if (place === undefined) return [];
    const key = given === undefined ? "lines" : "reply";
    return [{ path: [...place, key], key: "replyLine", values: { line, account } }];
  });
}

function findSharedWords({ settings: given }: Setup, { settings }: SetupState): readonly SetupFault[] {
  if (given.optOutStop === undefined && given.optOutResume === undefined) return [];
  const stop = new Set((settings.optOutStop ?? defaultOptOutWords.stop).map(foldText));
  const shared = (settings.optOutResume ?? defaultOptOutWords.resume).find((word) => stop.has(foldText(word)));
  return shared === undefined ? [] : [{ path: ["optOutWords"], key: "stopAndResume", values: { word: shared } }];
}

function findLateEvents({ settings: given }: Setup, { settings }: SetupState): readonly SetupFault[] {
  const { eventDays, retentionDays } = settings;
  if (eventDays === null || eventDays <= retentionDays) return [];
  const path = [given.eventDays === undefined ? "retentionDays" : "eventDays"];
  return [{ path, key: "eventsTooLong", values: { events: eventDays, messages: retentionDays } }];
}

/**
 * Users log in with username, password and domain, so usernames must be unique across the accounts
 * of one domain.
 */
function findSharedLogins(setup: Setup, desired: SetupState): readonly SetupFault[] {
  const shared = repeatedOf(loginsOf(desired));
  if (shared.size === 0) return [];
  const owners = new Map<string, string[]>();
  for (const [name, { domain, users }] of desired.accounts) {
    for (const username of users.keys()) addOwner(owners, shared, loginKey(domain, username), name);
  }
  return setup.accounts.flatMap(({ place, name }) => {
    const { users, domain = "" } = desired.accounts.get(name) ?? {};
    return [...(users?.keys() ?? [])].flatMap((username): SetupFault[] => {
      const others = owners.get(loginKey(domain, username))?.filter((owner) => owner !== name) ?? [];
      if (others.length === 0) return [];
      const values = { username, accounts: others.join(", "), domain };
      return [{ path: [...place, "users"], key: "sharedLogin", values }];
    });
  });
}

function* loginsOf({ accounts }: SetupState): Iterable<string> {
  for (const { domain, users } of accounts.values()) {
    for (const username of users.keys()) yield loginKey(domain, username);
  }
}

function loginKey(domain: string, username: string): string {
  return `${domain.toLowerCase()}\n${username}`;
}

/** Whose key it is besides is not said: the account may be another customer's. */
function findSharedKeys(setup: Setup, desired: SetupState): readonly SetupFault[] {
  const shared = repeatedOf(hashesOf(desired));
  if (shared.size === 0) return [];
  const owners = new Map<string, string[]>();
  for (const [account, { apiKeys }] of desired.accounts) {
    for (const { key } of apiKeys.values()) addOwner(owners, shared, key, account);
  }
  return setup.accounts.flatMap(({ place, name, values: { apiKeys = [] } }) =>
    apiKeys.flatMap(({ values: { key = "" } }, index): SetupFault[] => {
      const accounts = owners.get(key) ?? [];
      if (accounts.length < 2) return [];
      const isForeign = accounts.some((account) => account !== name);
      return [{ path: [...place, "apiKeys", index, "key"], key: isForeign ? "foreignKey" : "sameKey" }];
    }),
  );
}

function* hashesOf({ accounts }: SetupState): Iterable<string> {
  for (const { apiKeys } of accounts.values()) for (const { key } of apiKeys.values()) yield key;
}

/** Hardly ever any: of a hundred thousand keys nothing else is kept. */
function repeatedOf(values: Iterable<string>): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const value of values) {
    if (seen.has(value)) repeated.add(value);
    else seen.add(value);
  }
  return repeated;
}

function addOwner(owners: Map<string, string[]>, shared: ReadonlySet<string>, value: string, owner: string): void {
  if (shared.has(value)) owners.set(value, [...(owners.get(value) ?? []), owner]);
}

/** Connectors that shall go elsewhere without their password. */
export function findMovedConnectors({ setup, stored, desired }: SetupToCheck): readonly SetupFault[] {
  return setup.connectors.flatMap(({ place, name, values: { password } }): SetupFault[] => {
    const old = stored.connectors.get(name);
    const now = desired.connectors.get(name);
    if (old === undefined || now === undefined || password !== undefined) return [];
    const moved = movedBy(old, now);
    if (moved.length === 0) return [];
    return [{ path: [...place, "password"], key: "passwordAgain", values: { keys: moved.join(", ") } }];
  });
}

/**
 * `openings`: the credit booked when each account was created; null if that is no longer known.
 */
export function findWarnings(
  { setup, desired }: Omit<SetupToCheck, "stored">,
  openings: ReadonlyMap<string, bigint | null>,
): readonly SetupFault[] {
  return [...templateWarnings(setup, desired), ...creditWarnings(setup, openings)];
}

function templateWarnings({ templates }: Setup, desired: SetupState): readonly SetupFault[] {
  return templates.flatMap(({ place, name: id }) => {
    const template = desired.templates.get(id);
    if (template === undefined) return [];
    const { account, sender, content } = template;
    const warnings = findLiteralBraces(content).map((braces): SetupFault => ({
      path: [...place, "content"],
      key: "literalBraces",
      values: { braces },
      hint: { key: "placeholderName" },
    }));
    const own = desired.accounts.get(account)?.lines ?? [];
    // A kind of line names no line.
    if (sender !== null && /^[0-9]/.test(sender) && !own.includes(sender))
      warnings.push({ path: [...place, "sender"], key: "foreignSender", values: { sender, account } });
    return warnings;
  });
}

const braces = /\{([^{}]*)\}/g;
const placeholderName = /^[\p{L}\p{Nd}_-]+$/u;

/**
 * Braces that look like a placeholder but are none. They are sent
 * unchanged.
 */
function findLiteralBraces(content: string): readonly string[] {
  return Array.from(content.matchAll(braces)).flatMap(([all, name = ""]) => (placeholderName.test(name) ? [] : all));
}

/** Existing accounts for which the file gives a credit amount. */
export function accountsWithSpentCredit({ accounts }: SetupState, given: Setup["accounts"]): readonly string[] {
  return given.flatMap(({ name, values: { credit } }) =>
    typeof credit === "bigint" && accounts.has(name) ? [name] : [],
  );
}

/** An edited `credit` of an existing account has no effect: it was booked when it was created. */
function creditWarnings({ accounts }: Setup, openings: ReadonlyMap<string, bigint | null>): readonly SetupFault[] {
  return accounts.flatMap(({ name, place, values: { credit } }): SetupFault[] => {
    const opening = openings.get(name);
    if (typeof credit !== "bigint" || typeof opening !== "bigint" || credit === opening) return [];
    return [
      {
        path: [...place, "credit"],
        key: "creditBooked",
        values: { opening: formatRials(opening) },
        hint: { key: "bookCredit", values: { name } },
      },
    ];
  });
}
