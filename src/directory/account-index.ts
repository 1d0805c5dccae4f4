// All accounts as they are stored, with their users, keys and templates, and the lookups
// that every call needs. What accounts share is in network.ts. Pure.
import { limitFields } from "../fields/account-fields.ts";
import { defaultsOf, type Values } from "../fields/field.ts";
import type { Template } from "../sms/template.ts";
import type { ApiKeyRow, UserRow, WholeAccount } from "../store/configured-accounts.ts";

/** What an account may use up, as its fields declare. */
export type AccountUsageLimits = Values<typeof limitFields>;

export interface StoredAccount {
  readonly id: number;
  readonly name: string;
  readonly domain: string;
  readonly tariff: string;
  readonly permissions: ReadonlySet<string>;
  readonly requestsPerSecond: number;
  readonly limits: AccountUsageLimits;
  readonly allowedIps: readonly string[];
  readonly unlimited: boolean;
  readonly tidyTexts?: true;
  readonly blockedRecipients: ReadonlySet<string>;
  readonly lines: readonly string[];
  /** As a mask of types (event-types.ts). */
  readonly wantedEvents: number;
  readonly templates: readonly Template[];
  /** Only those that may sign in. */
  readonly users: readonly UserRow[];
  readonly apiKeys: readonly ApiKeyRow[];
}

/**
 * The accounts that have a line: how many, and the sum of their ids, which is the id of a single
 * one.
 */
interface LineUse {
  accounts: number;
  ids: number;
}

export class AccountIndex {
  readonly byId = new Map<number, StoredAccount>();
  readonly #byName = new Map<string, StoredAccount>();
  readonly #apiKeys = new Map<string, ApiKeyRow>();
  readonly #usersByName = new Map<string, UserRow>();
  readonly #usersById = new Map<number, UserRow>();
  readonly #lineUses = new Map<string, LineUse>();
  /** Few sets of permissions are in use, by thousands of accounts. */
  readonly #permissions = new Map<string, ReadonlySet<string>>();
  /** Few tariffs are. */
  readonly #texts = new Map<string, string>();
  /** Many accounts have the same lines. */
  readonly #lists = new Map<string, readonly string[]>();

  find(name: string): StoredAccount | undefined {
    return this.#byName.get(name);
  }

  findApiKey(sha256Hex: string): ApiKeyRow | undefined {
    return this.#apiKeys.get(sha256Hex);
  }

  findUser(domain: string, username: string): UserRow | undefined {
    return this.#usersByName.get(userKey(domain, username));
  }

  userById(userId: number): UserRow | undefined {
    return this.#usersById.get(userId);
  }

  /** The only account that has the line; undefined if none or several have it. */
  onlyUserOf(lineNumber: string): number | undefined {
    const use = this.#lineUses.get(lineNumber);
    return use?.accounts === 1 ? use.ids : undefined;
  }

  /**
   * Removes these accounts, and puts those that are still there. All at once, because a name, a key or a user may
   * go from one to another.
   */
  replace(ids: Iterable<number>, accounts: readonly StoredAccount[]): void {
    for (const id of ids) this.#remove(id);
    for (const account of accounts) this.put(account);
  }

  /** In the form in which it is kept, which shares what many accounts have. */
  stored(account: WholeAccount): StoredAccount {
    const { id, name, domain, tariff, requestsPerSecond, unlimited, blockedRecipients, wantedEvents } = account;
    return {
      id,
      name,
      // If both texts are equal, one of them serves for both.
      domain: domain === name ? name : domain,
      tariff: this.#sharedText(tariff),
      permissions: this.#permissionSet(account.permissions),
      requestsPerSecond,
      limits: limitsOf(account),
      allowedIps: account.allowedIps,
      unlimited,
      ...(account.tidyTexts && { tidyTexts: true }),
      blockedRecipients: blockedRecipients.length === 0 ? nobody : new Set(blockedRecipients),
      lines: this.#sharedList(account.lines),
      wantedEvents,
      templates: account.templates.length === 0 ? none : account.templates.map(storedTemplate),
      users: account.users.length === 0 ? none : account.users.filter(({ enabled }) => enabled),
      apiKeys: account.apiKeys,
    };
  }

  /** One that is not there yet. */
  put(account: StoredAccount): void {
    const { id, name, domain, apiKeys, users, lines } = account;
    this.byId.set(id, account);
    this.#byName.set(name, account);
    for (const key of apiKeys) this.#apiKeys.set(key.sha256Hex, key);
    for (const user of users) {
      this.#usersById.set(user.personId, user);
      this.#usersByName.set(userKey(domain, user.username), user);
    }
    for (const number of lines) this.#useLine(number, 1, id);
  }

  #remove(id: number): void {
    const stored = this.byId.get(id);
    if (stored === undefined) return;
    this.byId.delete(id);
    this.#byName.delete(stored.name);
    for (const key of stored.apiKeys) this.#apiKeys.delete(key.sha256Hex);
    for (const user of stored.users) {
      this.#usersById.delete(user.personId);
      this.#usersByName.delete(userKey(stored.domain, user.username));
    }
    for (const number of stored.lines) this.#useLine(number, -1, -id);
  }

  #permissionSet(permissions: readonly string[]): ReadonlySet<string> {
    const key = permissions.join();
    let set = this.#permissions.get(key);
    if (set === undefined) this.#permissions.set(key, (set = new Set(permissions)));
    return set;
  }

  /** One text for all accounts that have the same. */
  #sharedText(text: string): string {
    const known = this.#texts.get(text) ?? text;
    this.#texts.set(known, known);
    return known;
  }

  /** One list for all accounts that have the same, as long as these are few. */
  #sharedList(list: readonly string[]): readonly string[] {
    if (list.length === 0) return none;
    const key = list.join();
    const known = this.#lists.get(key);
    if (known === undefined && this.#lists.size < mostSharedLists) this.#lists.set(key, list);
    return known ?? list;
  }

  #useLine(number: string, accounts: number, ids: number): void {
    const use = this.#lineUses.get(number) ?? { accounts: 0, ids: 0 };
    use.accounts += accounts;
    use.ids += ids;
    if (use.accounts === 0) this.#lineUses.delete(number);
    else this.#lineUses.set(number, use);
  }
}

const mostSharedLists = 1000;

const noLimits: AccountUsageLimits = defaultsOf(limitFields);
const limitKeys = Object.keys(limitFields) as readonly (keyof AccountUsageLimits)[];

/** Most accounts have none: one object stands for all. */
function limitsOf(account: WholeAccount): AccountUsageLimits {
  if (limitKeys.every((key) => account[key] === noLimits[key])) return noLimits;
  return Object.fromEntries(limitKeys.map((key) => [key, account[key]])) as unknown as AccountUsageLimits;
}

const none: readonly never[] = [];
const nobody: ReadonlySet<string> = new Set();

function storedTemplate(template: WholeAccount["templates"][number]): Template {
  const { id, content, sender, approved, refused, validSeconds, purpose, tlvs } = template;
  return {
    id,
    content,
    approved,
    ...(refused === null ? {} : { refused }),
    ...(sender === null ? {} : { sender }),
    ...(validSeconds === null ? {} : { validSeconds }),
    ...(purpose === "code" ? {} : { purpose }),
    ...(tlvs.length === 0 ? {} : { tlvs }),
  };
}

/** Domains are host names, so their case has no meaning; the case of a username has. */
function userKey(domain: string, username: string): string {
  return `${domain.toLowerCase()}\n${username}`;
}
