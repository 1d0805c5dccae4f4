// Keeps the opted-out numbers of all lines in memory as they are in the database: reads all of
// them once, and then what changed.
import type { Msisdn } from "../sms/msisdn.ts";
import { placeOf } from "../sms/number-blocks.ts";
import { OptOutIndex, type OptOuts } from "../sms/opt-out-index.ts";
import type { Queryable } from "../store/database.ts";
import {
  beforeAllOptOuts,
  findOptOutChanges,
  findOptOutPosition,
  listOptOutPage,
  type OptOutPosition,
} from "../store/opt-outs.ts";

/**
 * After this time without a successful reading, everything is read again. Notes of changes are kept
 * for longer.
 */
export const longestSilenceMs = 30 * 60_000;
export const keepChangesMinutes = 60;

export class OptOutFollower {
  readonly #db: Queryable;
  readonly #now: () => number;
  readonly #index = new OptOutIndex();
  #position: OptOutPosition | undefined;
  #readAt = 0;

  constructor(db: Queryable, now: () => number = () => performance.now()) {
    this.#db = db;
    this.#now = now;
  }

  /** Empty before the first reading. */
  get current(): OptOuts {
    return this.#index;
  }

  /**
   * Afterwards it is at least as new as the database was at the call. Never two at once. Returns the
   * mark of the configuration, so that one statement polls both.
   */
  async follow(): Promise<string> {
    const askedAt = this.#now();
    if (this.#position === undefined || askedAt - this.#readAt > longestSilenceMs) await this.#readAll();
    const mark = await this.#readChanges();
    this.#readAt = askedAt;
    return mark;
  }

  async #readChanges(): Promise<string> {
    if (this.#position === undefined) throw new Error("all opt-outs are read before the changes");
    const { position, changed, mark } = await findOptOutChanges(this.#db, this.#position);
    if (changed === "all") {
      await this.#readAll();
      return mark;
    }
    // Validated when they were written.
    for (const { line, number, accountIds } of changed) this.#index.set(line, placeOf(number as Msisdn), accountIds);
    this.#position = position;
    return mark;
  }

  /** Changes made while this reads may be missing. They are read afterwards as changes. */
  async #readAll(): Promise<void> {
    const position = await findOptOutPosition(this.#db);
    const index = new OptOutIndex();
    for (let after = beforeAllOptOuts; ;) {
      const { groups, last } = await listOptOutPage(this.#db, after);
      if (groups.length === 0) break;
      for (const { places, ...list } of groups)
        for (let at = 0; at < places.length; at += 4) index.add(list, places.readUInt32BE(at));
      after = last;
    }
    this.#index.become(index);
    this.#position = position;
  }
}
