// Identifies the caller: by API key, access token, or username with password and domain (API spec
// 5). Returns a Caller or nothing; the HTTP layer decides what to answer. An unknown user and a
// wrong password look the same, in text and in time.
import { hash } from "node:crypto";
import type { Account, Directory, KnownUser } from "../directory/directory.ts";
import type { UserRole } from "./abilities.ts";
import { AccessTokens } from "./access-token.ts";
import type { LanePlace } from "./fair-lanes.ts";
import type { KeyUses } from "./key-uses.ts";
import { LoginOrigins } from "./login-origins.ts";
import { PasswordCheck, type PasswordCheckOptions } from "./password-check.ts";
import { RefusalDelay, type SharedRefusals } from "./refusal-delay.ts";
import { sourceNetwork } from "./source-network.ts";
import { WorkQueueFull } from "./work-queue.ts";

export interface Caller {
  readonly account: Account;
  readonly via: "apiKey" | "token" | "credentials";
  /** The key's own list if it has one, otherwise the account's. */
  readonly allowedIps: readonly string[];
  /** Of a user; a key has none. */
  readonly role?: UserRole;
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

/** Whose password is checked. */
export interface PasswordOwner {
  /**
   * The key for remembered login addresses: the id of a user, or the negated id of a staff member.
   */
  readonly originId: number;
  readonly passwordHash: string;
}

export interface Login {
  readonly password: string;
  /** The name under which wrong attempts for this person are counted. The person need not exist. */
  readonly subject: string;
  readonly address: string;
  readonly isGone?: (() => boolean) | undefined;
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
  /** Where the use of a key is noted; absent: nowhere. */
  readonly keyUses?: KeyUses;
  readonly now?: () => number;
  readonly wait?: (ms: number) => Promise<unknown>;
  readonly verify?: PasswordCheckOptions["verify"];
  /** For one of several workers: the queue of checks and the refusals that all workers share. */
  readonly queue?: PasswordCheckOptions["queue"];
  readonly sharedRefusals?: SharedRefusals | undefined;
}

export class Authenticator {
  readonly #directory: { readonly current: Directory };
  readonly #tokens: AccessTokens;
  readonly #passwords: PasswordCheck;
  readonly #refusals: RefusalDelay;
  readonly #origins: LoginOrigins;
  readonly #keyUses: KeyUses | undefined;
  readonly #now: () => number;

  constructor(options: AuthenticatorOptions) {
    const { directory, tokenLifetimeSeconds, origins, keyUses, now, wait, verify } = options;
    this.#directory = directory;
    this.#tokens = new AccessTokens({ lifetimeSeconds: tokenLifetimeSeconds, ...(now && { now }) });
    this.#passwords = new PasswordCheck({ ...(now && { now }), ...(verify && { verify }), queue: options.queue });
    this.#refusals = new RefusalDelay({ ...(now && { now }), ...(wait && { wait }), shared: options.sharedRefusals });
    this.#keyUses = keyUses;
    this.#now = now ?? Date.now;
    this.#origins = origins ?? new LoginOrigins({ ...(now && { now }) });
  }

  /** Password checks in progress; all 0 when there are none. */
  get load(): PasswordCheck["load"] {
    return this.#passwords.load;
  }

  /** Wrong credentials came to another worker, for the subject with this hash. */
  hearOfRefusal(key: string): void {
    this.#refusals.hear(key);
  }

  /** The caller must await `delayRefusal` before it refuses a wrong key. */
  byApiKey(key: string): Caller | undefined {
    if (key === "") return undefined;
    const sha256Hex = hash("sha256", key, "hex");
    const known = this.#directory.current.findApiKey(sha256Hex);
    if (known === undefined) return undefined;
    const { account, expiresAtMs } = known;
    if (expiresAtMs !== undefined && expiresAtMs <= this.#now()) return undefined;
    this.#keyUses?.note(sha256Hex);
    return { account, via: "apiKey", allowedIps: known.allowedIps.length > 0 ? known.allowedIps : account.allowedIps };
  }

  /** The caller must await `delayRefusal` before it refuses a wrong token. */
  async byAccessToken(token: string): Promise<Caller | undefined> {
    const user = await this.#tokens.verify(this.#directory.current, token);
    return user && callerOf(user, "token");
  }

  /**
   * Delays wrong credentials itself. Throws WorkQueueFull or RefusalsFull in a flood, and
   * CallerGone when nobody waits for the result.
   */
  async byPassword(credentials: Credentials): Promise<Caller | undefined> {
    const user = await this.#checkPassword(credentials);
    return user && callerOf(user, "credentials");
  }

  /** As `byPassword`, with an access token for the user. */
  async issueToken(credentials: Credentials): Promise<IssuedToken | undefined> {
    const user = await this.#checkPassword(credentials);
    if (user === undefined) return undefined;
    return {
      accessToken: await this.#tokens.issue(this.#directory.current, user),
      expiresInSeconds: this.#tokens.lifetimeSeconds,
      caller: callerOf(user, "credentials"),
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

  /**
   * Whether the password is the owner's. Without an owner the check takes as long. Delays a wrong
   * password itself. Throws WorkQueueFull or RefusalsFull in a flood, and CallerGone when nobody
   * waits.
   */
  async isPasswordOf(owner: PasswordOwner | undefined, login: Login): Promise<boolean> {
    const network = sourceNetwork(login.address);
    const attempt = {
      passwordHash: owner?.passwordHash,
      password: login.password,
      place: this.#placeOf(owner, network),
      isGone: login.isGone,
    };
    try {
      if (await this.#passwords.isRight(attempt)) {
        if (owner !== undefined) this.#origins.note(owner.originId, network);
        return true;
      }
    } catch (error) {
      // Whoever fills a lane is delayed as after a wrong password. Otherwise a flood of guesses
      // would be answered at once.
      if (error instanceof WorkQueueFull) await this.refuseLogin(login);
      throw error;
    }
    await this.refuseLogin(login);
    return false;
  }

  /**
   * To be awaited before a login is refused for another reason than its password, such as a wrong
   * code.
   */
  async refuseLogin({ subject, address }: Pick<Login, "subject" | "address">): Promise<void> {
    await this.#refusals.refuse(addressSubject(sourceNetwork(address)), subject);
  }

  async #checkPassword({
    username,
    password,
    domain,
    address = "",
    isGone,
  }: Credentials): Promise<KnownUser | undefined> {
    const user = this.#directory.current.findUser(domain, username);
    const owner = user && { originId: user.userId, passwordHash: user.passwordHash };
    const login = { password, subject: userSubject(domain, username), address, isGone };
    return (await this.isPasswordOf(owner, login)) ? user : undefined;
  }

  /**
   * Each address waits in its own lane. A user at an address they have used before waits in another
   * lane, ahead of strangers.
   */
  #placeOf(owner: PasswordOwner | undefined, network: string): LanePlace {
    if (owner !== undefined && this.#origins.isKnown(owner.originId, network))
      return { standing: "known", lane: `user ${owner.originId} ${network}` };
    const isGuessing = this.#refusals.isSuspicious([addressSubject(network)]);
    return { standing: isGuessing ? "guessing" : "fresh", lane: addressSubject(network) };
  }
}

function addressSubject(network: string): string {
  return `address ${network}`;
}

/** The name under which wrong attempts for a user are counted. */
export function userSubject(domain: string, username: string): string {
  return `user ${domain.toLowerCase()} ${username}`;
}

function callerOf({ account, role }: KnownUser, via: Caller["via"]): Caller {
  return { account, via, allowedIps: account.allowedIps, role };
}
