// Identifies the caller: by API key, access token, or username with password and domain.
// Returns a Caller or nothing; the HTTP layer decides what to answer. An unknown user and a
// wrong password look the same, in text and in time.
import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { SemaphoreFull } from "../platform/semaphore.ts";
import type { Account, Directory, KnownUser } from "../directory/directory.ts";
import type { Rights } from "./abilities.ts";
import { AccessTokens } from "./access-token.ts";
import { type Attempt, FailedAttempts, TooManyAttempts } from "./failed-attempts.ts";
import { PasswordCheck, type PasswordCheckOptions } from "./password-check.ts";
import { loginSubject, type Person, SignIns, whoOf } from "./sign-ins.ts";
import { sourceNetwork } from "../platform/addresses.ts";

export interface Caller {
  readonly account: Account;
  /** The key's own list if it has one, otherwise the account's. */
  readonly allowedIps: readonly string[];
  readonly rights: Rights;
  /** As the audit names the key or the user. */
  readonly who: string;
  /** A user of whom the console asks more than a password: programs need an API key. */
  readonly consoleOnly: boolean;
}

export interface Credentials {
  readonly username: string;
  readonly password: string;
  readonly domain: string;
  /** Source address of the call. */
  readonly address?: string;
}

/** Whose password is checked. */
export interface PasswordOwner extends Person {
  readonly passwordHash: string;
}

export interface Login {
  /** The name under which wrong attempts for this person are counted. The person need not exist. */
  readonly subject: string;
  readonly address: string;
}

export interface IssuedToken {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  readonly caller: Caller;
}

export interface AuthenticatorOptions {
  /** The directory service; `current` is read on each call. */
  readonly directory: { readonly current: Directory };
  readonly tokenLifetimeSeconds: number;
  /** Where sign-ins are recorded; by default known to this authenticator alone. */
  readonly signIns?: SignIns;
  /** Where the use of a key is noted; absent: nowhere. */
  readonly keyUses?: Set<string>;
  readonly now?: () => number;
  readonly wait?: (ms: number) => Promise<unknown>;
  readonly verify?: PasswordCheckOptions["verify"];
  /** Of a gateway; each allows its share of wrong attempts. */
  readonly workers?: number;
}

const firstDelayMs = 50;
const longestDelayMs = 2_000;

export class Authenticator {
  readonly #directory: { readonly current: Directory };
  readonly #tokens: AccessTokens;
  readonly #passwords: PasswordCheck;
  readonly #attempts: FailedAttempts;
  readonly #signIns: SignIns;
  readonly #keyUses: Set<string> | undefined;
  readonly #now: () => number;
  readonly #wait: (ms: number) => Promise<unknown>;
  /** Equal checks of one address share one computation. */
  readonly #underWay = new Map<string, Promise<boolean>>();

  constructor(options: AuthenticatorOptions) {
    const { directory, tokenLifetimeSeconds, keyUses, now = Date.now, verify, workers } = options;
    this.#directory = directory;
    this.#tokens = new AccessTokens({ lifetimeSeconds: tokenLifetimeSeconds, now });
    this.#passwords = new PasswordCheck({ now, verify });
    this.#attempts = new FailedAttempts({ now, workers });
    this.#keyUses = keyUses;
    this.#now = now;
    this.#wait = options.wait ?? ((ms) => sleep(ms, undefined, { ref: false }));
    this.#signIns = options.signIns ?? new SignIns({ now });
  }

  /** The caller must await `delayRefusal` before it refuses a wrong key. */
  byApiKey(key: string): Caller | undefined {
    if (key === "") return undefined;
    const sha256Hex = hash("sha256", key, "hex");
    const known = this.#directory.current.findApiKey(sha256Hex);
    if (known === undefined) return undefined;
    const { account, key: own } = known;
    const { expiresAt } = own;
    if (expiresAt !== null && expiresAt.getTime() <= this.#now()) return undefined;
    this.#keyUses?.add(sha256Hex);
    return {
      account,
      allowedIps: own.allowedIps.length > 0 ? own.allowedIps : account.allowedIps,
      rights: { permissions: account.permissions },
      who: `key:${account.name}/${own.name}`,
      consoleOnly: false,
    };
  }

  /** The caller must await `delayRefusal` before it refuses a wrong token. */
  async byAccessToken(token: string): Promise<Caller | undefined> {
    const user = await this.#tokens.verify(this.#directory.current, token);
    return user && callerOf(user);
  }

  /**
   * Delays wrong credentials itself. Throws TooManyAttempts, or SemaphoreFull when too many checks
   * wait.
   */
  async byPassword(credentials: Credentials): Promise<Caller | undefined> {
    const user = await this.#checkPassword(credentials);
    return user && callerOf(user);
  }

  /** As `byPassword`, with an access token for the user. */
  async issueToken(credentials: Credentials): Promise<IssuedToken | undefined> {
    const user = await this.#checkPassword(credentials);
    if (user === undefined) return undefined;
    return {
      accessToken: await this.#tokens.issue(this.#directory.current, user),
      expiresInSeconds: this.#tokens.lifetimeSeconds,
      caller: callerOf(user),
    };
  }

  /**
   * Await this before refusing a wrong API key or token: it takes longer each time, up to two
   * seconds.
   */
  async delayRefusal(address: string): Promise<void> {
    await this.#delay(this.#attempts.addWrongKey(sourceNetwork(address)));
  }

  /**
   * Whether the password is the owner's. Without an owner the check takes as long. Delays a wrong
   * password itself. Throws TooManyAttempts or SemaphoreFull.
   */
  isPasswordOf(owner: PasswordOwner | undefined, password: string, login: Login): Promise<boolean> {
    const key = this.#passwords.keyOf(owner?.passwordHash, password);
    if (this.#passwords.isRemembered(key)) return Promise.resolve(true);
    const keyOfAttempt = `${key} ${sourceNetwork(login.address)}`;
    const outcome =
      this.#underWay.get(keyOfAttempt) ??
      this.attempt(owner, login, (attempt) => this.#passwords.isRight(owner?.passwordHash, password, attempt)).finally(
        () => this.#underWay.delete(keyOfAttempt),
      );
    this.#underWay.set(keyOfAttempt, outcome);
    return outcome;
  }

  /**
   * A check of a password or of a code, within the limits of wrong ones (failed-attempts.ts). A
   * wrong one is delayed and recorded.
   */
  async attempt(
    owner: Person | undefined,
    { subject, address }: Login,
    check: (attempt: Attempt) => Promise<boolean>,
  ): Promise<boolean> {
    const network = sourceNetwork(address);
    const attempt = { subject, network, isKnown: owner !== undefined && this.#signIns.isKnown(owner, network) };
    try {
      this.#attempts.begin(attempt);
      if (await check(attempt)) {
        this.#attempts.takeBack(attempt);
        return true;
      }
    } catch (error) {
      const isLimited = error instanceof TooManyAttempts;
      if (!isLimited) this.#attempts.takeBack(attempt);
      if (!isLimited && !(error instanceof SemaphoreFull)) throw error;
      this.#signIns.refused(isLimited ? "limited" : "busy");
      await this.#wait(longestDelayMs);
      throw error;
    }
    this.#signIns.failed(owner, address);
    await this.#delay(this.#attempts.failuresAt(attempt));
    return false;
  }

  /**
   * To be called when all that is asked for was right: from then on the person is known at this
   * address. Answers how many attempts failed before, in a row.
   */
  signedIn(person: Person, address: string): number {
    return this.#signIns.succeeded(person, address);
  }

  /** 50 ms, doubled with each repetition. */
  async #delay(failures: number): Promise<void> {
    await this.#wait(Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(failures - 1, 20)));
  }

  async #checkPassword({ username, password, domain, address = "" }: Credentials): Promise<KnownUser | undefined> {
    const user = this.#directory.current.findUser(domain, username);
    const login = { subject: loginSubject(username, domain), address };
    if (!(await this.isPasswordOf(user, password, login)) || user === undefined) return undefined;
    // Who must still set a password or give a code has not signed in.
    if (!callerOf(user).consoleOnly) this.#signIns.succeeded(user, address, { isProgram: true });
    return user;
  }
}

function callerOf(user: KnownUser): Caller {
  const { account, role, consoleOnly } = user;
  const { allowedIps, permissions } = account;
  return { account, allowedIps, rights: { role, permissions }, who: whoOf(user), consoleOnly };
}
