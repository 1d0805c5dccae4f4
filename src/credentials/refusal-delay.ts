// Delays the refusal of wrong credentials, longer with each repetition, up to two seconds
// (decisions §5). Counts by source address and by user, so that neither one source with many names
// nor many sources with one name stay fast. Correct credentials are never delayed.
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

const firstDelayMs = 50;
const longestDelayMs = 2_000;
/** Failures older than this are forgotten. */
const memoryMs = 10 * 60_000;
const maximumSubjects = 20_000;
/** Refusals delayed at once: as many as requests in progress. */
const maximumHeld = 10_000;
const maximumHeldOfSource = 1_000;

/**
 * Too many refusals are delayed. A caller that is refused at once loses its connection, so a loop
 * of guesses costs one connection per guess.
 */
export class RefusalsFull extends Error {
  override readonly name = "RefusalsFull";

  constructor() {
    super("too many refusals are held back");
  }
}

interface WrongAttempts {
  count: number;
  forgivenAt: number;
}

export interface RefusalDelayOptions {
  readonly now?: () => number;
  readonly wait?: (ms: number) => Promise<unknown>;
  /** Of several workers: what they share is counted by all, and what they hold is divided. */
  readonly shared?: SharedRefusals | undefined;
}

export interface SharedRefusals {
  readonly workers: number;
  /** Tells the others of a failure, by the hash of its subject; each then calls `hear`. */
  readonly tell: (key: string) => void;
}

/** 50 ms, doubled with each repetition. */
export function delayAfter(wrongCount: number): number {
  return Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(wrongCount - 1, 20));
}

export class RefusalDelay {
  readonly #records = new Map<string, WrongAttempts>();
  readonly #now: () => number;
  readonly #wait: (ms: number) => Promise<unknown>;
  /** By key of the source. */
  readonly #held = new Map<string, number>();
  readonly #shared: SharedRefusals | undefined;
  readonly #mostHeld: number;
  readonly #mostHeldOfSource: number;
  #heldInAll = 0;

  constructor({
    now = Date.now,
    wait = (ms) => sleep(ms, undefined, { ref: false }),
    shared,
  }: RefusalDelayOptions = {}) {
    this.#now = now;
    this.#wait = wait;
    this.#shared = shared;
    this.#mostHeld = Math.ceil(maximumHeld / (shared?.workers ?? 1));
    this.#mostHeldOfSource = Math.ceil(maximumHeldOfSource / (shared?.workers ?? 1));
  }

  /** Whether wrong credentials came recently for one of these subjects. */
  isSuspicious(subjects: readonly string[]): boolean {
    return subjects.some((subject) => (this.#records.get(keyOf(subject))?.forgivenAt ?? 0) > this.#now());
  }

  /** Refusals that are being delayed. */
  get held(): number {
    return this.#heldInAll;
  }

  /**
   * Resolves when the refusal may be answered. Throws RefusalsFull when there is no room to wait.
   */
  async refuse(source: string, ...others: readonly string[]): Promise<void> {
    const keys = [source, ...others].map(keyOf);
    const wrongCount = Math.max(...keys.map((key) => this.#count(key)));
    for (const key of keys) this.#shared?.tell(key);
    await this.#hold(keyOf(source), delayAfter(wrongCount));
  }

  /**
   * As `refuse`, for refusals that say nothing about credentials: waits for the longest delay and
   * counts nothing.
   */
  async pace(source: string): Promise<void> {
    await this.#hold(keyOf(source), longestDelayMs);
  }

  /** Another worker has refused this subject. */
  hear(key: string): void {
    this.#count(key);
  }

  async #hold(source: string, ms: number): Promise<void> {
    const own = this.#held.get(source) ?? 0;
    if (own >= this.#mostHeldOfSource || this.#heldInAll >= this.#mostHeld) throw new RefusalsFull();
    this.#held.set(source, own + 1);
    this.#heldInAll += 1;
    try {
      await this.#wait(ms);
    } finally {
      this.#release(source);
    }
  }

  #release(source: string): void {
    this.#heldInAll -= 1;
    const left = (this.#held.get(source) ?? 0) - 1;
    if (left > 0) this.#held.set(source, left);
    else this.#held.delete(source);
  }

  #count(key: string): number {
    const now = this.#now();
    const known = this.#records.get(key);
    const count = known === undefined || known.forgivenAt <= now ? 1 : known.count + 1;
    // Deleted and set again, so that the map is ordered by the last failure and the oldest entry is
    // dropped first.
    this.#records.delete(key);
    if (this.#records.size >= maximumSubjects) {
      const [oldest] = this.#records.keys();
      if (oldest !== undefined) this.#records.delete(oldest);
    }
    this.#records.set(key, { count, forgivenAt: now + memoryMs });
    return count;
  }
}

/** An attacker's name may be as long as a request; the key has a fixed length. */
function keyOf(subject: string): string {
  return createHash("sha256").update(subject).digest("base64");
}
