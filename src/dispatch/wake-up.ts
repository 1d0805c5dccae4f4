// Notifies dispatchers that something may be due: directly within this process, by NOTIFY in other
// processes. Only for speed; correctness depends on polling alone.
import { randomUUID } from "node:crypto";
import type { Service } from "../platform/service.ts";
import type { Database } from "../store/database.ts";
import { dueChannel, notifyDue } from "../store/queue-times.ts";

/** `urgent`: one-time codes, which do not wait until a claim is worth its commit. */
export interface Due {
  readonly urgent: boolean;
  /** How many parts entered the queue; absent where nobody counted them. */
  readonly parts?: number;
}

const urgentPayload = "urgent";

/** At most one NOTIFY in this many milliseconds; announcements in between share it. */
const notifyEveryMs = 20;

export class WakeUp implements Service {
  readonly name = "wake-up";
  readonly #db: Database;
  /** Named in what it sends, because its own notifications come back. */
  readonly #id = randomUUID();
  readonly #listeners = new Set<(due: Due) => void>();
  #stopListening: (() => Promise<void>) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #urgent = false;
  readonly #hasOthers: () => boolean;

  /** `hasOthers`: whether other nodes share the database and must be notified. */
  constructor(db: Database, hasOthers: () => boolean) {
    this.#db = db;
    this.#hasOthers = hasOthers;
  }

  async start(): Promise<void> {
    this.#stopListening = await this.#db.listen(dueChannel, (payload) => {
      const [sender, urgency] = payload.split(" ");
      if (sender !== this.#id) this.#wakeHere({ urgent: urgency === urgentPayload });
    });
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
      const payload = this.#urgent ? `${this.#id} ${urgentPayload}` : this.#id;
      this.#urgent = false;
      // When a notification is lost, the other nodes find the message at their next poll.
      void notifyDue(this.#db, payload).catch(() => undefined);
    }, notifyEveryMs);
  }

  #wakeHere(due: Due): void {
    for (const listener of this.#listeners) listener(due);
  }
}
