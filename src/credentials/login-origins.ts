// The addresses from which each user logged in within the last 24 hours, so that a flood of guesses
// does not keep out a user at a known address. Kept in memory and, by save-login-origins.ts, in the
// database, where addresses are stored as hashes. Bounded per user and in total.
import { hash } from "node:crypto";

const keptMs = 24 * 3_600_000;
/** A login that repeats is saved again this often. */
const savedEveryMs = 3_600_000;
const maximumOfUser = 32;
const usualMaximum = 100_000;

export interface LoginOrigin {
  readonly userId: number;
  readonly addressHash: Buffer;
}

export interface LoginOriginsOptions {
  readonly now?: () => number;
  readonly maximumInAll?: number;
}

interface Origin {
  seenAt: number;
  /** Undefined means never. */
  savedAt: number | undefined;
}

export class LoginOrigins {
  readonly #now: () => number;
  readonly #maximumInAll: number;
  /** By user, then by hash of the network in base64; both in the order of their last login. */
  readonly #users = new Map<number, Map<string, Origin>>();
  #count = 0;
  readonly #unsaved = new Map<string, LoginOrigin>();

  constructor({ now = Date.now, maximumInAll = usualMaximum }: LoginOriginsOptions = {}) {
    this.#now = now;
    this.#maximumInAll = maximumInAll;
  }

  get count(): number {
    return this.#count;
  }

  isKnown(userId: number, network: string): boolean {
    const origin = this.#users.get(userId)?.get(digestOf(userId, network));
    return origin !== undefined && origin.seenAt > this.#now() - keptMs;
  }

  /** Call it for each correct password. */
  note(userId: number, network: string): void {
    const digest = digestOf(userId, network);
    const now = this.#now();
    const savedAt = this.#users.get(userId)?.get(digest)?.savedAt;
    this.#put(userId, digest, { seenAt: now, savedAt });
    if (savedAt !== undefined && savedAt > now - savedEveryMs) return;
    const key = `${userId} ${digest}`;
    if (!this.#unsaved.has(key)) this.#unsaved.set(key, { userId, addressHash: Buffer.from(digest, "base64") });
  }

  /** Adds a login that another node, or this one before its restart, has saved. */
  learn(userId: number, addressHash: Buffer, ageMs: number): void {
    const digest = addressHash.toString("base64");
    const seenAt = this.#now() - ageMs;
    const known = this.#users.get(userId)?.get(digest);
    if (known !== undefined && known.seenAt >= seenAt) known.savedAt = Math.max(known.savedAt ?? seenAt, seenAt);
    else this.#put(userId, digest, { seenAt, savedAt: seenAt });
  }

  /** The logins to save. Report them with `saved` afterwards. */
  unsaved(): readonly LoginOrigin[] {
    return [...this.#unsaved.values()];
  }

  saved(origins: readonly LoginOrigin[]): void {
    const now = this.#now();
    for (const { userId, addressHash } of origins) {
      const digest = addressHash.toString("base64");
      this.#unsaved.delete(`${userId} ${digest}`);
      const origin = this.#users.get(userId)?.get(digest);
      if (origin !== undefined) origin.savedAt = now;
    }
  }

  #put(userId: number, digest: string, origin: Origin): void {
    const own = this.#users.get(userId) ?? new Map<string, Origin>();
    this.#users.delete(userId);
    this.#users.set(userId, own);
    if (!own.delete(digest)) this.#count += 1;
    own.set(digest, origin);
    if (own.size > maximumOfUser) this.#forgetOldest(userId, own);
    while (this.#count > this.#maximumInAll) {
      const [oldest] = this.#users;
      if (oldest === undefined) return;
      this.#forgetOldest(...oldest);
    }
  }

  #forgetOldest(userId: number, own: Map<string, Origin>): void {
    const [digest] = own.keys();
    if (digest === undefined) return;
    own.delete(digest);
    this.#unsaved.delete(`${userId} ${digest}`);
    this.#count -= 1;
    if (own.size === 0) this.#users.delete(userId);
  }
}

/** Includes the user's id, so that the hashes of one address differ between users. */
function digestOf(userId: number, network: string): string {
  return hash("sha256", `${userId} ${network}`, "base64");
}
