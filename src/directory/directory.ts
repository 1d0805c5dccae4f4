// The whole configuration as one immutable value in memory, with the lookups that every call needs.
// A change makes a new value, which shares with the one before all that did not change. Pure: built
// from rows; never reads the database, the clock or the environment.
import { rulesOfAccount, type RuleLists } from "../sms/account-rules.ts";
import type { CalendarPeriods } from "../sms/account-limits.ts";
import type { InboundRules, InboundRule } from "../sms/replies.ts";
import type { NumberingPlan } from "../sms/numbering-plan.ts";
import type { WordReader, OptOuts } from "../sms/opt-out-index.ts";
import type { AccountTerms } from "../sms/prepare-message.ts";
import type { Route } from "../sms/routing.ts";
import type { SenderLine, LineKind } from "../sms/sender-line.ts";
import type { NumberBlocks } from "../sms/number-blocks.ts";
import type { Template } from "../sms/template.ts";
import type { UserRow } from "../store/configured-accounts.ts";
import type { AccountIndex, AccountUsageLimits, StoredAccount, StoredUser } from "./account-index.ts";
import type { Connector, Network, NetworkSettings, TokenKey } from "./network.ts";
import type { PortedIndex } from "./ported-index.ts";
import type { SendingHours } from "../sms/sending-hours.ts";

export interface Account {
  readonly id: number;
  readonly name: string;
  readonly domain: string;
  /** Names of decisions §6, or "*". */
  readonly permissions: ReadonlySet<string>;
  /** 0 means no limit. */
  readonly requestsPerSecond: number;
  readonly limits: AccountUsageLimits;
  /** The days and months by which they count. */
  readonly periods: CalendarPeriods;
  /** CIDR blocks or addresses; empty means from everywhere. */
  readonly allowedIps: readonly string[];
  readonly unlimited: boolean;
  readonly terms: AccountTerms;
  /** Approved or not. */
  readonly templates: readonly Template[];
  /** As a mask of types (event-types.ts). */
  readonly wantedEvents: number;
  /** In the order in which they were made, disabled ones, too. */
}

export interface KnownApiKey {
  readonly account: Account;
  readonly name: string;
  readonly allowedIps: readonly string[];
  /** From then on it is as if it were not there. */
  readonly expiresAtMs: number | undefined;
}

export interface KnownUser {
  readonly account: Account;
  readonly userId: number;
  readonly username: string;
  readonly passwordHash: string;
  readonly passwordVersion: number;
  readonly role: UserRow["role"];
  /** Has a second factor, or must change the password: not for programs. */
  readonly consoleOnly: boolean;
}

export interface Directory extends NetworkSettings {
  readonly version: bigint;
  readonly accounts: ReadonlyMap<number, Account>;
  readonly connectors: readonly Connector[];
  /**
   * Maps each connector to the others of its receipt group, including disabled and removed ones.
   */
  readonly receiptGroups: ReadonlyMap<number, readonly number[]>;
  /** In the order in which they are tried. */
  readonly routes: readonly Route[];
  readonly lines: ReadonlyMap<string, SenderLine>;
  readonly plan: NumberingPlan;
  readonly disabledOperators: ReadonlySet<string>;
  readonly maximumParts: number;
  /** Oldest first. */
  readonly tokenKeys: readonly TokenKey[];
  readonly rules: RuleLists;
  readonly inboundRules: InboundRules;
  readonly optOuts: OptOuts;
  readonly optOutWords: WordReader;
  /** The numbers of all block lists, whether a rule names them or not. */
  readonly blockLists: NumberBlocks<string>;
  /** How many are known, by where they come from. */
  readonly portedNumbers: { readonly given: number; readonly imported: number };
  findAccount(name: string): Account | undefined;
  findApiKey(sha256Hex: string): KnownApiKey | undefined;
  findUser(domain: string, username: string): KnownUser | undefined;
  userById(userId: number): KnownUser | undefined;
  /**
   * The account that gets messages received on a line; 0 when there is none, or when several share
   * the line and none is named for it.
   */
  inboundAccountOf(lineNumber: string): number;
  /** What an account wants of the log, as a mask of types (event-types.ts). */
  wantedEventsOf(accountId: number): number;
  /** The connectors that may bring messages for a line; undefined means all. */
  inboundConnectorsOf(lineNumber: string): ReadonlySet<number> | undefined;
}

export function directoryOf(
  version: bigint,
  network: Network,
  index: AccountIndex,
  { ported, listed }: { readonly ported: PortedIndex; readonly listed: NumberBlocks<string> },
): Directory {
  const { connectors, receiptGroups, routes, lineIndex, plan, disabledOperators, maximumParts } = network;
  const accounts = new AccountsWithTerms(network, index);
  const known = (user: StoredUser | undefined): KnownUser | undefined => {
    const account = user && accounts.get(user.accountId);
    if (user === undefined || account === undefined) return undefined;
    return { ...user, account };
  };
  return {
    version,
    accounts,
    connectors,
    receiptGroups,
    routes,
    lines: lineIndex.lines,
    plan,
    disabledOperators,
    maximumParts,
    tokenKeys: network.tokenKeys,
    ...network.settings,
    rules: network.rules,
    inboundRules: network.inboundRules,
    optOuts: network.optOuts,
    optOutWords: network.optOutWords,
    blockLists: listed,
    portedNumbers: { given: ported.given.size, imported: ported.imported.size },
    findAccount: (name) => accounts.find(name),
    findApiKey: (sha256Hex) => {
      const key = index.findApiKey(sha256Hex);
      const account = key && accounts.get(key.accountId);
      if (key === undefined || account === undefined) return undefined;
      return { account, name: key.name, allowedIps: key.allowedIps, expiresAtMs: key.expiresAtMs };
    },
    findUser: (domain, username) => known(index.findUser(domain, username)),
    userById: (userId) => known(index.userById(userId)),
    inboundAccountOf: (lineNumber) =>
      lineIndex.lines.has(lineNumber)
        ? (lineIndex.inboundAccounts.get(lineNumber) ?? index.onlyUserOf(lineNumber) ?? 0)
        : 0,
    wantedEventsOf: (accountId) => index.byId.get(accountId)?.wantedEvents ?? 0,
    inboundConnectorsOf: (lineNumber) => lineIndex.inboundConnectors.get(lineNumber),
  };
}

/**
 * Accounts that were asked for, with their terms in a network. They go with the network, or when
 * their account changes.
 */
const withTerms = new WeakMap<Network, WeakMap<StoredAccount, Account>>();

/**
 * Puts the terms together when an account is asked for: a new price or route costs nothing for
 * accounts that send nothing.
 */
class AccountsWithTerms implements ReadonlyMap<number, Account> {
  readonly size: number;
  readonly #network: Network;
  readonly #index: AccountIndex;
  readonly #made: WeakMap<StoredAccount, Account>;

  constructor(network: Network, index: AccountIndex) {
    this.size = index.byId.size;
    this.#network = network;
    this.#index = index;
    this.#made = withTerms.get(network) ?? new WeakMap();
    withTerms.set(network, this.#made);
  }

  get(id: number): Account | undefined {
    const stored = this.#index.byId.get(id);
    return stored && this.#complete(stored);
  }

  has(id: number): boolean {
    return this.#index.byId.has(id);
  }

  keys(): MapIterator<number> {
    return this.#index.byId.keys();
  }

  *values(): MapIterator<Account> {
    for (const stored of this.#index.byId.values()) yield this.#complete(stored);
  }

  *entries(): MapIterator<[number, Account]> {
    for (const account of this.values()) yield [account.id, account];
  }

  [Symbol.iterator](): MapIterator<[number, Account]> {
    return this.entries();
  }

  forEach(visit: (account: Account, id: number, accounts: ReadonlyMap<number, Account>) => void): void {
    for (const account of this.values()) visit(account, account.id, this);
  }

  find(name: string): Account | undefined {
    const stored = this.#index.find(name);
    return stored && this.#complete(stored);
  }

  #complete(stored: StoredAccount): Account {
    let account = this.#made.get(stored);
    if (account === undefined) this.#made.set(stored, (account = buildAccount(stored, this.#network)));
    return account;
  }
}

function buildAccount(stored: StoredAccount, network: Network): Account {
  const { id, name, domain, permissions, requestsPerSecond, limits, allowedIps, unlimited } = stored;
  const { templates, wantedEvents } = stored;
  return {
    id,
    name,
    domain,
    permissions,
    requestsPerSecond,
    limits,
    periods: network.periods,
    allowedIps,
    unlimited,
    terms: buildTerms(stored, network),
    templates,
    wantedEvents,
  };
}

function buildTerms(stored: StoredAccount, network: Network): AccountTerms {
  const { plan, disabledOperators, routes, systemLines, maximumParts, lineIndex, tariffs } = network;
  const {
    optOuts,
    listed,
    settings: { optOutNotice },
  } = network;
  const tariff = tariffs.get(stored.tariffId);
  if (tariff === undefined) throw new Error(`account ${stored.name} has no tariff`);
  const templates = new Map(stored.templates.map((template) => [template.id, template]));
  return {
    accountId: stored.id,
    listed,
    optOuts,
    optOutNotice,
    plan,
    disabledOperators,
    routes,
    systemLines,
    maximumParts,
    ...(stored.tidyTexts === true && { tidyTexts: true }),
    lines: pickLines(stored.lines, lineIndex.lines),
    tariff,
    blockedRecipients: stored.blockedRecipients,
    rules: rulesOfAccount(network.compiledRules, stored.name),
    template: (id) => templates.get(id),
  };
}

function pickLines(
  numbers: readonly string[],
  lines: ReadonlyMap<string, SenderLine>,
): ReadonlyMap<string, SenderLine> {
  const own = new Map<string, SenderLine>();
  for (const number of numbers) {
    const line = lines.get(number);
    if (line !== undefined) own.set(number, line);
  }
  return own;
}

// To which account a message from a subscriber goes, and by which rule.

export interface Destination {
  /** 0: nobody's yet (decisions §3). */
  readonly accountId: number;
  /** By which the account gets the message. */
  readonly rule?: InboundRule | undefined;
}

export const nobodys: Destination = { accountId: 0 };

export function destinationOf(directory: Directory, line: string, content: string): Destination {
  const rule = directory.inboundRules.find(line, content);
  const named = rule && directory.findAccount(rule.account);
  return named === undefined ? { accountId: directory.inboundAccountOf(line) } : { accountId: named.id, rule };
}

// The sending hours of a message that was accepted before: those that count now. Pure.

export interface MessageOfLine {
  readonly accountId: number;
  /** The number of its line. */
  readonly sender: string;
  /** Goes out at any hour. */
  readonly isFree: boolean;
}

/** Of a line that is gone while messages from it wait. */
export const kindOfRemoved: LineKind = "dedicated";

/** Undefined: it may go out at any hour. */
export function sendingHoursOf(
  { accounts, lines }: Pick<Directory, "accounts" | "lines">,
  { accountId, sender, isFree }: MessageOfLine,
): SendingHours | undefined {
  if (isFree) return undefined;
  const rules = accounts.get(accountId)?.terms.rules;
  return rules?.ofLine(lines.get(sender) ?? { number: sender, kind: kindOfRemoved }).hours;
}
