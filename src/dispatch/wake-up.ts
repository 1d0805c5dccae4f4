// Tells dispatchers that something may be due: at once within this process, by NOTIFY from other ones. Polling is the guarantee; this is only speed.
import type { Service } from "../service.ts";
import type { Database } from "../store/database.ts";
import { dueChannel, notifyDue } from "../store/message-queue.ts";

/** `urgent`: one-time codes, which do not wait for a claim to be worth its commit. */
export interface Due {
  readonly urgent: boolean;
}

const urgentPayload = "urgent";

/** At most one NOTIFY in so many milliseconds: what comes in between shares it. */
const notifyEveryMs = 20;

export class WakeUp implements Service {
  readonly name = "wake-up";
  readonly #db: Database;
  readonly #listeners = new Set<(due: Due) => void>();
  #stopListening: (() => Promise<void>) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #urgent = false;
  readonly #hasOthers: () => boolean;

  /** `hasOthers`: whether other nodes share the database, and are to be told. */
  constructor(db: Database, hasOthers: () => boolean) {
    this.#db = db;
    this.#hasOthers = hasOthers;
  }

  async start(): Promise<void> {
    this.#stopListening = await this.#db.listen(dueChannel, (payload) =>
      this.#wakeHere({ urgent: payload === urgentPayload }),
    );
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#stopListening?.();
    this.#stopListening = undefined;
  }

  onWake(listener: (due: Due) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Something is due now. */
  announce(due: Due): void {
    this.#wakeHere(due);
    this.#urgent ||= due.urgent;
    if (this.#timer !== undefined || !this.#hasOthers()) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const payload = this.#urgent ? urgentPayload : "";
      this.#urgent = false;
      // A lost notification costs the others one polling interval.
      void notifyDue(this.#db, payload).catch(() => undefined);
    }, notifyEveryMs);
  }

  #wakeHere(due: Due): void {
    for (const listener of this.#listeners) listener(due);
  }
}
