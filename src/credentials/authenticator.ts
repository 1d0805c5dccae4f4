// Identifies the caller: by API key, access token, or username with password and domain (API spec
// 5). Returns a Caller or nothing; the HTTP layer decides what to answer. An unknown user and a
// wrong password look the same, in text and in time.
import { hash } from "node:crypto";
import type { Account, Directory, KnownUser } from "../directory/directory.ts";
import { AccessTokens } from "./access-token.ts";
import type { Place } from "./fair-lanes.ts";
import { LoginOrigins } from "./login-origins.ts";
import { PasswordCheck, type PasswordCheckOptions } from "./password-check.ts";
import { RefusalDelay } from "./refusal-delay.ts";
import { sourceNetwork } from "./source-network.ts";
import { WorkQueueFull } from "./work-queue.ts";

export interface Caller {
  readonly account: Account;
  readonly via: "apiKey" | "token" | "credentials";
  /** The key's own list if it has one, otherwise the account's. */
  readonly allowedIps: readonly string[];
}

export interface Credentials {
  readonly username: string;
  readonly password: string;
  readonly domain: string;
  /** Source address of the call. Wrong credentials are slowed down by source and by user. */
  readonly address?: string;
  /** Whether the caller has disconnected; then nothing is computed. */
  readonly isGone?: () => boolean;
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
  /** The addresses from which users logged in; by default known to this authenticator alone. */
  readonly origins?: LoginOrigins;
  readonly now?: () => number;
  readonly wait?: (ms: number) => Promise<unknown>;
  readonly verify?: PasswordCheckOptions["verify"];
}

export class Authenticator {
  readonly #directory: { readonly current: Directory };
  readonly #tokens: AccessTokens;
  readonly #passwords: PasswordCheck;
  readonly #refusals: RefusalDelay;
  readonly #origins: LoginOrigins;

  constructor({ directory, tokenLifetimeSeconds, origins, now, wait, verify }: AuthenticatorOptions) {
    this.#directory = directory;
    this.#tokens = new AccessTokens({ lifetimeSeconds: tokenLifetimeSeconds, ...(now && { now }) });
    this.#passwords = new PasswordCheck({ ...(now && { now }), ...(verify && { verify }) });
    this.#refusals = new RefusalDelay({ ...(now && { now }), ...(wait && { wait }) });
    this.#origins = origins ?? new LoginOrigins({ ...(now && { now }) });
  }

  /** Password checks in progress; all 0 when there are none. */
  get load(): PasswordCheck["load"] {
    return this.#passwords.load;
  }

  /** The caller must await `delayRefusal` before it refuses a wrong key. */
  byApiKey(key: string): Caller | undefined {
    if (key === "") return undefined;
    const known = this.#directory.current.findApiKey(hash("sha256", key, "hex"));
    if (known === undefined) return undefined;
    const { account } = known;
    return { account, via: "apiKey", allowedIps: known.allowedIps.length > 0 ? known.allowedIps : account.allowedIps };
  }

  /** The caller must await `delayRefusal` before it refuses a wrong token. */
  async byAccessToken(token: string): Promise<Caller | undefined> {
    const user = await this.#tokens.verify(this.#directory.current, token);
    return user && { account: user.account, via: "token", allowedIps: user.account.allowedIps };
  }

  /**
   * Delays wrong credentials itself. Throws WorkQueueFull or RefusalsFull in a flood, and
   * CallerGone when nobody waits for the result.
   */
  async byPassword(credentials: Credentials): Promise<Caller | undefined> {
    const user = await this.#checkPassword(credentials);
    return user && { account: user.account, via: "credentials", allowedIps: user.account.allowedIps };
  }

  /** As `byPassword`, with an access token for the user. */
  async issueToken(credentials: Credentials): Promise<IssuedToken | undefined> {
    const user = await this.#checkPassword(credentials);
    if (user === undefined) return undefined;
    return {
      accessToken: await this.#tokens.issue(this.#directory.current, user),
      expiresInSeconds: this.#tokens.lifetimeSeconds,
      caller: { account: user.account, via: "credentials", allowedIps: user.account.allowedIps },
    };
  }

  /**
   * Await this before refusing a wrong API key or token: it takes longer each time, up to two
   * seconds. Throws RefusalsFull in a flood.
   */
  async delayRefusal(address: string): Promise<void> {
    await this.#refusals.refuse(addressSubject(sourceNetwork(address)));
  }

  /**
   * Await this before refusing a login beyond the rate, so that immediate repetitions are slowed
   * down. Throws RefusalsFull in a flood.
   */
  async pace(address: string): Promise<void> {
    await this.#refusals.pace(addressSubject(sourceNetwork(address)));
  }

  async #checkPassword({
    username,
    password,
    domain,
    address = "",
    isGone,
  }: Credentials): Promise<KnownUser | undefined> {
    const user = this.#directory.current.findUser(domain, username);
    const network = sourceNetwork(address);
    const subjects = [addressSubject(network), `user ${domain.toLowerCase()} ${username}`] as const;
    const attempt = { passwordHash: user?.passwordHash, password, place: this.#placeOf(user, network), isGone };
    try {
      if (await this.#passwords.isRight(attempt)) {
        if (user !== undefined) this.#origins.note(user.userId, network);
        return user;
      }
    } catch (error) {
      // A full lane costs its caller the same delay as a wrong password; otherwise a flood of
      // guesses would be answered at once.
      if (error instanceof WorkQueueFull) await this.#refusals.refuse(...subjects);
      throw error;
    }
    await this.#refusals.refuse(...subjects);
    return undefined;
  }

  /**
   * Each address waits in its own lane. A user at an address they have used before waits in another
   * lane, ahead of strangers.
   */
  #placeOf(user: KnownUser | undefined, network: string): Place {
    if (user !== undefined && this.#origins.isKnown(user.userId, network))
      return { standing: "known", lane: `user ${user.userId} ${network}` };
    const isGuessing = this.#refusals.isSuspicious([addressSubject(network)]);
    return { standing: isGuessing ? "guessing" : "fresh", lane: addressSubject(network) };
  }
}

function addressSubject(network: string): string {
  return `address ${network}`;
}
