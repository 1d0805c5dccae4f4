// Checks passwords for calls that carry them in every request: what was found right is remembered for a minute under a
// keyed hash, equal checks in one lane are one computation, and few computations run at once.
// Never keeps a password, and never remembers a wrong one as right: the stored hash is part of what is remembered.
import { createHmac, randomBytes } from "node:crypto";
import { hashPassword, passwordMatches } from "./password.ts";
import type { LaneBounds, Place } from "./fair-lanes.ts";
import { WorkQueue } from "./work-queue.ts";

const rememberMs = 60_000;
const maximumRemembered = 10_000;
// argon2 runs in libuv's pool of four threads, which files and name look-ups need, too.
const computationsAtOnce = 2;
const guessesAtOnce = 1;
/** A computation takes some 25 ms: the last one of a full lane waits little more than a second while nobody else does. */
const bounds: LaneBounds = { perLane: { known: 20, fresh: 100, guessing: 100 }, total: 1_000 };

/** Nobody waits for the outcome any more, so that nothing was computed. */
export class CallerGone extends Error {
  override readonly name = "CallerGone";
}

export interface PasswordCheckOptions {
  readonly now?: () => number;
  readonly verify?: ((passwordHash: string, password: string) => Promise<boolean>) | undefined;
}

export interface PasswordAttempt {
  /** Undefined: there is no such user. The check costs the same. */
  readonly passwordHash: string | undefined;
  readonly password: string;
  /** Where it waits for its turn. */
  readonly place: Place;
  /** Asked when its turn comes: whether the caller has left. */
  readonly isGone?: (() => boolean) | undefined;
}

interface CheckUnderWay {
  readonly outcome: Promise<boolean>;
  /** Of each caller who waits for it. */
  readonly areGone: (() => boolean)[];
}

export class PasswordCheck {
  // Known to this process alone, so that what is remembered says nothing about a password to anybody else.
  readonly #secret = randomBytes(32);
  readonly #right = new Map<string, number>();
  readonly #underWay = new Map<string, CheckUnderWay>();
  readonly #queue = new WorkQueue({ atOnce: computationsAtOnce, guessesAtOnce, bounds });
  readonly #now: () => number;
  readonly #verify: (passwordHash: string, password: string) => Promise<boolean>;
  #nobodysHash: Promise<string> | undefined;

  constructor({ now = Date.now, verify = passwordMatches }: PasswordCheckOptions = {}) {
    this.#now = now;
    this.#verify = verify;
  }

  /** All 0 when no check is under way. */
  get load(): {
    readonly running: number;
    readonly waiting: number;
    readonly lanes: number;
    readonly different: number;
  } {
    return { ...this.#queue.load, different: this.#underWay.size };
  }

  /** Throws WorkQueueFull when too many checks wait, CallerGone when nobody waits for this one. */
  async isRight(attempt: PasswordAttempt): Promise<boolean> {
    const { passwordHash, password, place, isGone = () => false } = attempt;
    const key = this.#keyOf(passwordHash ?? "", password);
    if (this.#isRemembered(key)) return true;
    // Only within a lane: whoever waits in a quick one must not come to wait in a slow one.
    const keyInLane = `${key} ${place.lane}`;
    const same = this.#underWay.get(keyInLane);
    if (same !== undefined) {
      same.areGone.push(isGone);
      return same.outcome;
    }
    const areGone = [isGone];
    const outcome = this.#queue
      .run(place, async () => {
        // Meanwhile it may have been found right in another lane.
        if (this.#isRemembered(key)) return true;
        if (areGone.every((isGone) => isGone())) throw new CallerGone();
        return this.#compute(passwordHash, password);
      })
      .finally(() => this.#underWay.delete(keyInLane));
    this.#underWay.set(keyInLane, { outcome, areGone });
    const right = await outcome;
    if (right) this.#remember(key);
    else this.#queue.demote(place.lane);
    return right;
  }

  async #compute(passwordHash: string | undefined, password: string): Promise<boolean> {
    this.#nobodysHash ??= hashPassword(randomBytes(16).toString("hex"));
    const right = await this.#verify(passwordHash ?? (await this.#nobodysHash), password);
    return right && passwordHash !== undefined;
  }

  #keyOf(passwordHash: string, password: string): string {
    return createHmac("sha256", this.#secret).update(passwordHash).update("\0").update(password).digest("base64");
  }

  #isRemembered(key: string): boolean {
    const until = this.#right.get(key);
    if (until === undefined) return false;
    if (until > this.#now()) return true;
    this.#right.delete(key);
    return false;
  }

  #remember(key: string): void {
    if (this.#right.size >= maximumRemembered) {
      const [oldest] = this.#right.keys();
      if (oldest !== undefined) this.#right.delete(oldest);
    }
    this.#right.set(key, this.#now() + rememberMs);
  }
}
