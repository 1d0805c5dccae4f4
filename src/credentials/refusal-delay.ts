// Makes wrong credentials slower as they repeat, up to two seconds (decisions §5). Counts by source address and by user,
// so that neither one source with many names nor many sources with one name stay quick. Right ones never meet it.
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

const firstDelayMs = 50;
const longestDelayMs = 2_000;
/** Wrong ones older than this are forgiven. */
const memoryMs = 10 * 60_000;
const maximumSubjects = 20_000;
/** Answers held back at once: as many as requests may be under way. */
const maximumHeld = 10_000;
const maximumHeldOfSource = 1_000;

/** Too many answers are held back. Whoever is answered at once loses the connection, so that a loop of guesses costs one for each. */
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
}

/** 50 ms, then twice as long each time. */
export function delayAfter(wrongCount: number): number {
  return Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(wrongCount - 1, 20));
}

export class RefusalDelay {
  readonly #records = new Map<string, WrongAttempts>();
  readonly #now: () => number;
  readonly #wait: (ms: number) => Promise<unknown>;
  /** By key of the source. */
  readonly #held = new Map<string, number>();
  #heldInAll = 0;

  constructor({ now = Date.now, wait = (ms) => sleep(ms, undefined, { ref: false }) }: RefusalDelayOptions = {}) {
    this.#now = now;
    this.#wait = wait;
  }

  /** Whether wrong credentials came for one of these subjects lately. */
  isSuspicious(subjects: readonly string[]): boolean {
    return subjects.some((subject) => (this.#records.get(keyOf(subject))?.forgivenAt ?? 0) > this.#now());
  }

  /** Refusals held back: 0 when there is none. */
  get held(): number {
    return this.#heldInAll;
  }

  /** Resolves when the refusal may be answered; throws RefusalsFull where there is no room to wait. */
  async refuse(source: string, ...others: readonly string[]): Promise<void> {
    const wrongCount = Math.max(...[source, ...others].map((subject) => this.#count(keyOf(subject))));
    await this.#hold(keyOf(source), delayAfter(wrongCount));
  }

  /** As `refuse`, for what says nothing of credentials: holds for the longest time and counts nothing. */
  async pace(source: string): Promise<void> {
    await this.#hold(keyOf(source), longestDelayMs);
  }

  async #hold(source: string, ms: number): Promise<void> {
    const own = this.#held.get(source) ?? 0;
    if (own >= maximumHeldOfSource || this.#heldInAll >= maximumHeld) throw new RefusalsFull();
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
    // Set anew, so that the map's order is that of the last wrong one and the oldest goes first.
    this.#records.delete(key);
    if (this.#records.size >= maximumSubjects) {
      const [oldest] = this.#records.keys();
      if (oldest !== undefined) this.#records.delete(oldest);
    }
    this.#records.set(key, { count, forgivenAt: now + memoryMs });
    return count;
  }
}

/** A name of a wrong caller's choice may be as long as a request: what is remembered of it has one length. */
function keyOf(subject: string): string {
  return createHash("sha256").update(subject).digest("base64");
}
