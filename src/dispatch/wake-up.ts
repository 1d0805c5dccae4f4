// Tells dispatchers that something may be due: at once within this process, by NOTIFY from other ones. Polling is the guarantee; this is only speed.
import type { Service } from "../service.ts";
import type { Database } from "../store/database.ts";
import { dueChannel, notifyDue } from "../store/message-queue.ts";

/** At most one NOTIFY in so many milliseconds: what comes in between shares it. */
const notifyEveryMs = 20;

export class WakeUp implements Service {
  readonly name = "wake-up";
  readonly #db: Database;
  readonly #listeners = new Set<() => void>();
  #stopListening: (() => Promise<void>) | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #hasOthers: () => boolean;

  /** `hasOthers`: whether other nodes share the database, and are to be told. */
  constructor(db: Database, hasOthers: () => boolean) {
    this.#db = db;
    this.#hasOthers = hasOthers;
  }

  async start(): Promise<void> {
    this.#stopListening = await this.#db.listen(dueChannel, () => this.#wakeHere());
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#stopListening?.();
    this.#stopListening = undefined;
  }

  onWake(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Something is due now. */
  announce(): void {
    this.#wakeHere();
    if (this.#timer !== undefined || !this.#hasOthers()) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      // A lost notification costs the others one polling interval.
      void notifyDue(this.#db).catch(() => undefined);
    }, notifyEveryMs);
  }

  #wakeHere(): void {
    for (const listener of this.#listeners) listener();
  }
}
