// Checks passwords for calls that carry them in every request. A correct password is remembered for
// a minute under a keyed hash, equal checks in one lane share one computation, and few computations
// run at once. Passwords themselves are never kept. The stored hash is part of the remembered key,
// so a changed password is no longer remembered as correct.
import { createHmac, randomBytes } from "node:crypto";
import { hashPassword, passwordMatches } from "./password.ts";
import type { LaneBounds, LanePlace } from "./fair-lanes.ts";
import { WorkQueue } from "./work-queue.ts";

const rememberMs = 60_000;
const maximumRemembered = 10_000;
// argon2 runs in libuv's pool of four threads, which files and name lookups need too.
const computationsAtOnce = 2;
const guessesAtOnce = 1;
/**
 * A computation takes about 25 ms, so the last item of a full lane waits little more than a second
 * when other lanes are empty.
 */
const bounds: LaneBounds = { perLane: { known: 20, fresh: 100, guessing: 100 }, total: 1_000 };

/** Nobody waits for the result any more, so nothing was computed. */
export class CallerGone extends Error {
  override readonly name = "CallerGone";
}

/** The queue of one process, or of all workers of a gateway. */
export function checkQueue(workers = 1): WorkQueue {
  return new WorkQueue({
    atOnce: Math.max(computationsAtOnce, workers),
    // As on a machine with two cores: half of them may be busy with guesses.
    guessesAtOnce: Math.max(guessesAtOnce, Math.floor(workers / 2)),
    bounds,
  });
}

export interface PasswordCheckOptions {
  readonly now?: () => number;
  /** By default a queue of its own. */
  readonly queue?: Pick<WorkQueue, "run" | "demote" | "load"> | undefined;
  readonly verify?: ((passwordHash: string, password: string) => Promise<boolean>) | undefined;
}

export interface PasswordAttempt {
  /** Undefined when there is no such user. The check costs the same. */
  readonly passwordHash: string | undefined;
  readonly password: string;
  /** Where the check waits for its turn. */
  readonly place: LanePlace;
  /** Asked when its turn comes: whether the caller has disconnected. */
  readonly isGone?: (() => boolean) | undefined;
}

interface CheckUnderWay {
  readonly outcome: Promise<boolean>;
  /** One function per caller who waits for the check. */
  readonly areGone: (() => boolean)[];
}

export class PasswordCheck {
  // Known to this process alone, so that the remembered keys reveal nothing about a password to
  // others.
  readonly #secret = randomBytes(32);
  readonly #right = new Map<string, number>();
  readonly #underWay = new Map<string, CheckUnderWay>();
  readonly #queue: Pick<WorkQueue, "run" | "demote" | "load">;
  readonly #now: () => number;
  readonly #verify: (passwordHash: string, password: string) => Promise<boolean>;
  #nobodysHash: Promise<string> | undefined;

  constructor({ now = Date.now, verify = passwordMatches, queue = checkQueue() }: PasswordCheckOptions = {}) {
    this.#queue = queue;
    this.#now = now;
    this.#verify = verify;
  }

  /** All 0 when no check is in progress. */
  get load(): {
    readonly running: number;
    readonly waiting: number;
    readonly lanes: number;
    readonly different: number;
  } {
    return { ...this.#queue.load, different: this.#underWay.size };
  }

  /**
   * Throws WorkQueueFull when too many checks wait, and CallerGone when nobody waits for this one.
   */
  async isRight(attempt: PasswordAttempt): Promise<boolean> {
    const { passwordHash, password, place, isGone = () => false } = attempt;
    const key = this.#keyOf(passwordHash ?? "", password);
    if (this.#isRemembered(key)) return true;
    // Shared only within a lane, so that a caller in a fast lane never waits for a slow one.
    const keyInLane = `${key} ${place.lane}`;
    const same = this.#underWay.get(keyInLane);
    if (same !== undefined) {
      same.areGone.push(isGone);
      return same.outcome;
    }
    const areGone = [isGone];
    const outcome = this.#queue
      .run(place, async () => {
        // Another lane may have found it correct meanwhile.
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
