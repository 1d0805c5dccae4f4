// Who calls: by API key, access token, or username with password and domain (API spec 5). Answers a Caller or nothing; the
// front door decides what that means. Never tells an unknown user from a wrong password, in words or in time.
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
  /** The key's own list where it has one, else the account's. */
  readonly allowedIps: readonly string[];
}

export interface Credentials {
  readonly username: string;
  readonly password: string;
  readonly domain: string;
  /** Source address of the call: wrong credentials are slowed down by source and by user. */
  readonly address?: string;
  /** Whether the caller has left: then nothing is computed. */
  readonly isGone?: () => boolean;
}

export interface IssuedToken {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  readonly caller: Caller;
}

export interface AuthenticatorOptions {
  /** The directory service: asked for `current` on each call. */
  readonly directory: { readonly current: Directory };
  readonly tokenLifetimeSeconds: number;
  /** From where users logged in; unless given, it is known to this authenticator alone. */
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

  /** Password checks under way: all 0 when there is none. */
  get load(): PasswordCheck["load"] {
    return this.#passwords.load;
  }

  /** A wrong key is to be answered only after `delayRefusal`. */
  byApiKey(key: string): Caller | undefined {
    if (key === "") return undefined;
    const known = this.#directory.current.findApiKey(hash("sha256", key, "hex"));
    if (known === undefined) return undefined;
    const { account } = known;
    return { account, via: "apiKey", allowedIps: known.allowedIps.length > 0 ? known.allowedIps : account.allowedIps };
  }

  /** A wrong token is to be answered only after `delayRefusal`. */
  async byAccessToken(token: string): Promise<Caller | undefined> {
    const user = await this.#tokens.verify(this.#directory.current, token);
    return user && { account: user.account, via: "token", allowedIps: user.account.allowedIps };
  }

  /** Delays by itself when they are wrong. Throws WorkQueueFull or RefusalsFull in a flood, CallerGone when nobody waits. */
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

  /** To be awaited before a wrong API key or token is refused: longer each time, up to two seconds. Throws RefusalsFull in a flood. */
  async delayRefusal(address: string): Promise<void> {
    await this.#refusals.refuse(addressSubject(sourceNetwork(address)));
  }

  /** To be awaited before a login beyond the rate is refused, so that who repeats it at once is slowed down. Throws RefusalsFull in a flood. */
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
      // Who fills a lane pays as if the password had been wrong, or a flood of guesses would be answered at once.
      if (error instanceof WorkQueueFull) await this.#refusals.refuse(...subjects);
      throw error;
    }
    await this.#refusals.refuse(...subjects);
    return undefined;
  }

  /** Each address waits in a lane of its own; a user at an address of theirs in another, ahead of strangers. */
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
