// Checks passwords for calls that carry them in every request. A correct password is remembered for
// a minute under a keyed hash, and few checks are computed at once. Passwords themselves are never
// kept. The stored hash is part of the remembered key, so a changed password is no longer
// remembered as correct.
import { createHmac, randomBytes } from "node:crypto";
import { Semaphore } from "../platform/semaphore.ts";
import { hash, verify } from "@node-rs/argon2";

const rememberMs = 60_000;
const mostRemembered = 10_000;
/**
 * A check takes about 25 ms of a core, in libuv's pool of four threads, which files and name
 * lookups need too. All strangers are one key: the other place is reserved for people at addresses
 * from which they signed in before.
 */
const limits = { total: 2, perKey: 1, waiting: 1_500, waitingPerKey: 500, waitMs: 10_000 };
const strangers = "strangers";

export interface PasswordCheckOptions {
  readonly now?: (() => number) | undefined;
  readonly verify?: ((passwordHash: string, password: string) => Promise<boolean>) | undefined;
}

export class PasswordCheck {
  // Known to this process alone, so that the remembered keys reveal nothing about a password to
  // others.
  readonly #secret = randomBytes(32);
  readonly #rightUntil = new Map<string, number>();
  readonly #semaphore = new Semaphore(limits);
  readonly #now: () => number;
  readonly #verify: (passwordHash: string, password: string) => Promise<boolean>;
  #nobodysHash: Promise<string> | undefined;

  constructor({ now = Date.now, verify = passwordMatches }: PasswordCheckOptions = {}) {
    this.#now = now;
    this.#verify = verify;
  }

  /** The name of a password for one stored hash; it tells nothing about either. */
  keyOf(passwordHash: string | undefined, password: string): string {
    const keyed = createHmac("sha256", this.#secret)
      .update(passwordHash ?? "")
      .update("\0");
    return keyed.update(password).digest("base64");
  }

  /** Whether it was found right within the last minute. */
  isRemembered(key: string): boolean {
    return (this.#rightUntil.get(key) ?? 0) > this.#now();
  }

  /**
   * Without a stored hash there is no such person, and the check costs the same. Throws
   * SemaphoreFull when too many checks wait.
   */
  async isRight(
    passwordHash: string | undefined,
    password: string,
    { isKnown, network }: { readonly isKnown: boolean; readonly network: string },
  ): Promise<boolean> {
    const isRight = await this.#semaphore.run(isKnown ? network : strangers, async () => {
      this.#nobodysHash ??= hashPassword(randomBytes(16).toString("hex"));
      return this.#verify(passwordHash ?? (await this.#nobodysHash), password);
    });
    if (!isRight || passwordHash === undefined) return false;
    this.#remember(this.keyOf(passwordHash, password));
    return true;
  }

  #remember(key: string): void {
    this.#rightUntil.delete(key);
    this.#rightUntil.set(key, this.#now() + rememberMs);
    const [oldest = ""] = this.#rightUntil.keys();
    if (this.#rightUntil.size > mostRemembered) this.#rightUntil.delete(oldest);
  }
}

// Hashes and checks passwords: argon2id, 19 MiB, two passes. Costly on purpose, so concurrent
// checks are bounded, and callers keep the outcome of a check for a short time (above).

// OWASP's choice for argon2id, which is the library's default algorithm: 19 MiB, t=2, p=1.
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** PHC string of a new hash with a random salt. */
export async function hashPassword(password: string): Promise<string> {
  return hash(password, parameters);
}

/** A hash that cannot be parsed matches nothing. */
export async function passwordMatches(passwordHash: string, password: string): Promise<boolean> {
  try {
    return await verify(passwordHash, password);
  } catch {
    return false;
  }
}
