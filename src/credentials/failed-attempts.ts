// How many wrong passwords may be tried in an hour: 100 for a user from addresses that never signed
// in as that user, then one in 10 s for all such addresses together; and 100 from an address. At an
// address from which a user signed in before, the user has a count of their own, beyond which it is
// one in 10 s, too: so no stranger keeps them out. Held in memory: each process counts for itself.
import { hash } from "node:crypto";

const mostAnHour = 100;
const hourMs = 3_600_000;
const slowMs = 10_000;
const mostCounts = 100_000;

/** Too many wrong passwords; nothing was checked. */
export class TooManyAttempts extends Error {
  override readonly name = "TooManyAttempts";
  readonly seconds: number;

  constructor(waitMs: number) {
    super("too many wrong passwords");
    this.seconds = Math.ceil(waitMs / 1000);
  }
}

/** Somebody tries a password. */
export interface Attempt {
  /** For whom. The person need not exist. */
  readonly subject: string;
  /** From where (`sourceNetwork`). */
  readonly network: string;
  /** Whether the person signed in from there before. */
  readonly isKnown: boolean;
}

interface Count {
  failures: number;
  lastAt: number;
  readonly since: number;
}

export interface FailedAttemptsOptions {
  readonly now?: (() => number) | undefined;
  /** Of a gateway; each has its share. */
  readonly workers?: number | undefined;
}

export class FailedAttempts {
  readonly #now: () => number;
  readonly #workers: number;
  readonly #counts = new Map<string, Count>();

  constructor({ now = Date.now, workers = 1 }: FailedAttemptsOptions = {}) {
    this.#now = now;
    this.#workers = workers;
  }

  /**
   * Counts the attempt as a failed one until `takeBack` is called, so that attempts at the same
   * time do not exceed the limit. Throws TooManyAttempts.
   */
  begin(attempt: Attempt): void {
    const { person, address } = keysOf(attempt);
    const waitMs = Math.max(this.#waitMs(person), attempt.isKnown ? 0 : this.#waitMs(address));
    if (waitMs > 0) throw new TooManyAttempts(waitMs);
    this.#add(person);
    this.#add(address);
  }

  /** It was right, or not checked at all. */
  takeBack(attempt: Attempt): void {
    for (const key of Object.values(keysOf(attempt))) {
      const count = this.#counts.get(key);
      if (count !== undefined) count.failures -= 1;
    }
  }

  /** Wrong keys and tokens only slow their address down. Answers how many there were. */
  addWrongKey(network: string): number {
    return this.#add(`key ${network}`);
  }

  /** Those of the last hour at this address. */
  failuresAt(attempt: Attempt): number {
    return this.#current(keysOf(attempt).address)?.failures ?? 0;
  }

  #waitMs(key: string): number {
    const count = this.#current(key);
    if (count === undefined || count.failures < Math.ceil(mostAnHour / this.#workers)) return 0;
    const freeAt = key.startsWith("address ") ? count.since + hourMs : count.lastAt + slowMs * this.#workers;
    return freeAt - this.#now();
  }

  #current(key: string): Count | undefined {
    const count = this.#counts.get(key);
    if (count === undefined || count.since + hourMs > this.#now()) return count;
    this.#counts.delete(key);
    return undefined;
  }

  #add(key: string): number {
    const now = this.#now();
    const count = this.#current(key) ?? { failures: 0, lastAt: now, since: now };
    count.failures += 1;
    count.lastAt = now;
    // Set again, so that the count that was changed least recently is the first.
    this.#counts.delete(key);
    this.#counts.set(key, count);
    const [oldest = ""] = this.#counts.keys();
    if (this.#counts.size > mostCounts) this.#counts.delete(oldest);
    return count.failures;
  }
}

function keysOf({ subject, network, isKnown }: Attempt): { readonly person: string; readonly address: string } {
  // What a stranger writes for a name may be long.
  const who = hash("sha256", subject, "base64url");
  return { person: isKnown ? `known ${network} ${who}` : `user ${who}`, address: `address ${network}` };
}
