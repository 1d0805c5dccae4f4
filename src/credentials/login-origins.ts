// The addresses from which people signed in within the last 30 days: there, they never wait for
// strangers who guess. Kept in memory and, by sign-ins.ts, in the database, where addresses
// are stored as hashes.
import { hash } from "node:crypto";

const keptMs = 30 * 86_400_000;
/** A sign-in that repeats is noted again this often. */
const notedEveryMs = 86_400_000;
const mostOrigins = 100_000;

export interface LoginOrigin {
  readonly personId: number;
  readonly addressHash: Buffer;
}

export class LoginOrigins {
  readonly #now: () => number;
  /** When each was noted, by hash in base64, in the order in which they were. */
  readonly #notedAt = new Map<string, number>();
  #unsaved: readonly LoginOrigin[] = [];

  constructor({ now = Date.now }: { readonly now?: (() => number) | undefined } = {}) {
    this.#now = now;
  }

  isKnown(personId: number, network: string): boolean {
    return this.#ageMs(hashOf(personId, network)) < keptMs;
  }

  /** Call it for each sign-in. Answers whether it is the first in a day. */
  note(personId: number, network: string): boolean {
    const addressHash = hashOf(personId, network);
    if (this.#ageMs(addressHash) < notedEveryMs) return false;
    this.learn({ addressHash, ageMs: 0 });
    this.#unsaved = [...this.#unsaved, { personId, addressHash }];
    return true;
  }

  /** From another node, or from before a restart. */
  learn({ addressHash, ageMs }: { readonly addressHash: Buffer; readonly ageMs: number }): void {
    if (this.#ageMs(addressHash) <= ageMs) return;
    const key = addressHash.toString("base64");
    this.#notedAt.delete(key);
    this.#notedAt.set(key, this.#now() - ageMs);
    const [oldest = ""] = this.#notedAt.keys();
    if (this.#notedAt.size > mostOrigins) this.#notedAt.delete(oldest);
  }

  /** Those that are to be saved. */
  get unsaved(): readonly LoginOrigin[] {
    return this.#unsaved;
  }

  /** The first ones, which were asked for before, are saved. */
  saved(origins: readonly LoginOrigin[]): void {
    this.#unsaved = this.#unsaved.slice(origins.length);
  }

  #ageMs(addressHash: Buffer): number {
    return this.#now() - (this.#notedAt.get(addressHash.toString("base64")) ?? -Infinity);
  }
}

/** The user is part of it, so that rows do not show who shares an address. */
function hashOf(personId: number, network: string): Buffer {
  return hash("sha256", `${personId} ${network}`, "buffer");
}
