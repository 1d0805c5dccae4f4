// The whole configuration in memory, with the lookups that every call needs. A change makes a new
// value, which shares accounts and ported numbers with the one before. Pure: built from rows; never
// reads the database, the clock or the environment.
import { rulesOfAccount } from "../sms/account-rules.ts";
import type { CalendarPeriods } from "../sms/account-limits.ts";
import type { InboundRule } from "../sms/replies.ts";
import type { AccountTerms } from "../sms/prepare-message.ts";
import type { SendingHours } from "../sms/sending-hours.ts";
import type { SenderLine } from "../sms/sender-line.ts";
import type { Template } from "../sms/template.ts";
import type { NumberBlocks } from "../sms/number-blocks.ts";
import type { ApiKeyRow, UserRow } from "../store/configured-accounts.ts";
import type { AccountIndex, StoredAccount } from "./account-index.ts";
import type { Network, NetworkSettings } from "./network.ts";
import type { PortedIndex } from "./load-numbers.ts";

export interface Account extends StoredAccount {
  /** The days and months by which its limits count. */
  readonly periods: CalendarPeriods;
  readonly terms: AccountTerms;
}

/** By their ids. */
export interface Accounts {
  readonly size: number;
  get(id: number): Account | undefined;
  values(): Iterable<Account>;
}

export interface KnownApiKey {
  readonly key: ApiKeyRow;
  readonly account: Account;
}
export type KnownUser = UserRow & { readonly account: Account };

type OfNetwork =
  | ("connectors" | "receiptGroups" | "routes" | "plan" | "disabledOperators" | "maximumParts")
  | ("tokenKeys" | "rules" | "inboundRules" | "optOuts" | "optOutWords");

export interface Directory extends NetworkSettings, Pick<Network, OfNetwork> {
  readonly version: bigint;
  readonly accounts: Accounts;
  readonly lines: ReadonlyMap<string, SenderLine>;
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

/**
 * Accounts that were asked for, with their terms in a network. They go with the network, or when
 * their account changes. Accounts with the same list of lines share the map of them.
 */
interface WithTerms {
  readonly accounts: WeakMap<StoredAccount, Account>;
  readonly lines: WeakMap<readonly string[], ReadonlyMap<string, SenderLine>>;
}

const withTerms = new WeakMap<Network, WithTerms>();

export function directoryOf(
  version: bigint,
  network: Network,
  index: AccountIndex,
  { ported, listed }: { readonly ported: PortedIndex; readonly listed: NumberBlocks<string> },
): Directory {
  const { lines } = network;
  const made = withTerms.get(network) ?? { accounts: new WeakMap(), lines: new WeakMap() };
  withTerms.set(network, made);
  // Put together when an account is asked for: a new price or route costs nothing for accounts that
  // send nothing.
  const find = (stored: StoredAccount | undefined): Account | undefined => {
    if (stored === undefined) return undefined;
    let account = made.accounts.get(stored);
    if (account === undefined) {
      // Not by `...stored`: V8 gives each copy of so many keys a shape of its own (half a kilobyte).
      account = Object.assign({ periods: network.periods, terms: buildTerms(stored, network, made.lines) }, stored);
      made.accounts.set(stored, account);
    }
    return account;
  };
  const known = <Row extends { readonly accountId: number }>(row: Row | undefined) => {
    const account = row && find(index.byId.get(row.accountId));
    return row && account && { ...row, account };
  };
  return {
    ...network,
    ...network.settings,
    version,
    accounts: {
      size: index.byId.size,
      get: (id) => find(index.byId.get(id)),
      *values() {
        for (const stored of index.byId.values()) {
          const account = find(stored);
          if (account !== undefined) yield account;
        }
      },
    },
    blockLists: listed,
    portedNumbers: { given: ported.given.size, imported: ported.imported.size },
    findAccount: (name) => find(index.find(name)),
    // For each call, so it copies no row.
    findApiKey: (sha256Hex) => {
      const key = index.findApiKey(sha256Hex);
      const account = key && find(index.byId.get(key.accountId));
      return key && account && { key, account };
    },
    findUser: (domain, username) => known(index.findUser(domain, username)),
    userById: (userId) => known(index.userById(userId)),
    inboundAccountOf: (lineNumber) => {
      const line = lines.get(lineNumber);
      if (line === undefined) return 0;
      return index.find(line.inbound ?? "")?.id ?? index.onlyUserOf(lineNumber) ?? 0;
    },
    wantedEventsOf: (accountId) => index.byId.get(accountId)?.wantedEvents ?? 0,
    inboundConnectorsOf: (lineNumber) => lines.get(lineNumber)?.connectors,
  };
}

function buildTerms(stored: StoredAccount, network: Network, known: WithTerms["lines"]): AccountTerms {
  const { plan, disabledOperators, routes, systemLines, maximumParts, lines, tariffs } = network;
  const {
    optOuts,
    listed,
    settings: { optOutNotice },
  } = network;
  const tariff = tariffs.get(stored.tariff);
  if (tariff === undefined) throw new Error(`account ${stored.name} has no tariff`);
  const templates =
    stored.templates.length === 0 ? noTemplates : new Map(stored.templates.map((template) => [template.id, template]));
  const ownLines = known.get(stored.lines) ?? pickLines(stored.lines, lines);
  known.set(stored.lines, ownLines);
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
    lines: ownLines,
    tariff,
    blockedRecipients: stored.blockedRecipients,
    rules: rulesOfAccount(network.compiledRules, stored.name),
    template: (id) => templates.get(id),
  };
}

const noTemplates: ReadonlyMap<string, Template> = new Map();

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
  /** 0: nobody's yet. */
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

// The sending hours of a message that was accepted before: those that count now.

export interface MessageOfLine {
  readonly accountId: number;
  /** The number of its line. */
  readonly sender: string;
  /** Goes out at any hour. */
  readonly isFree: boolean;
}

/** Undefined: it may go out at any hour. */
export function sendingHoursOf(
  { accounts, lines }: Pick<Directory, "accounts" | "lines">,
  { accountId, sender, isFree }: MessageOfLine,
): SendingHours | undefined {
  if (isFree) return undefined;
  const rules = accounts.get(accountId)?.terms.rules;
  // A line that is gone while messages from it wait counts as a dedicated one.
  return rules?.ofLine(lines.get(sender) ?? { number: sender, kind: "dedicated" }).hours;
}
