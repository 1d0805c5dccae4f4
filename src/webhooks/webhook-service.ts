// The service that sends webhooks on this node: takes a fair share of the slots of endpoints, gives
// back what others should have, and stores about once a second how far the endpoints are.
import { FailureLatch, PeriodicService, type Service } from "../platform/service.ts";
import type { Database } from "../store/database.ts";
import { acquireSlots, readSlotHolders, releaseSlots, webhookSlots } from "../store/webhook-leases.ts";
import { findReplays } from "../store/webhook-progress.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { EventSender, type EventSenderOptions, type NodeLeaseHeld } from "./event-sender.ts";
import type { EventPoster, RequestPoster } from "./request-poster.ts";

export interface WebhookServiceOptions extends Omit<EventSenderOptions, "membership" | "poster" | "onReplayDone"> {
  readonly db: Database;
  readonly telemetry: Telemetry;
  readonly membership: NodeLeaseHeld & { onLeaseLost(listener: () => void): () => void };
  readonly poster: EventPoster & Pick<RequestPoster, "close">;
  /** How long a stop waits for requests under way. */
  readonly drainMs: number;
}

const reviewEveryMs = 1000;
const trimEveryMs = 10 * 60_000;
/** How long endpoints that move to another node are waited for. */
const leaveMs = 3000;
const longestDrainMs = 5000;

export class WebhookService implements Service {
  readonly name = "webhooks";
  readonly sender: EventSender;
  readonly #options: WebhookServiceOptions;
  readonly #review: PeriodicService;
  readonly #trim: PeriodicService;
  readonly #latch: FailureLatch;
  #held: ReadonlySet<number> = new Set();
  /** Under which the slots are held. */
  #nodeId = "";
  #forget: (() => void)[] = [];
  #isStopping = false;
  #reviewing: Promise<unknown> | undefined;

  constructor(options: WebhookServiceOptions) {
    const { telemetry } = options;
    this.#options = options;
    this.sender = new EventSender({ ...options, onReplayDone: () => this.#reviewSoon() });
    this.#latch = new FailureLatch("webhook-slots", telemetry);
    this.#review = new PeriodicService({
      ...{ name: this.name, everyMs: reviewEveryMs, telemetry },
      runOnce: () => this.#latch.watch(() => this.review()),
    });
    this.#trim = new PeriodicService({
      ...{ name: "webhook-attempts", everyMs: trimEveryMs, firstAfterMs: trimEveryMs, telemetry },
      runOnce: () => this.sender.trimAttempts(),
    });
  }

  async start(): Promise<void> {
    const { directory, membership } = this.#options;
    this.#isStopping = false;
    this.#forget = [
      directory.onChange(() => void this.sender.reconcile()),
      membership.onLeaseLost(() => this.#loseAll()),
    ];
    this.sender.start();
    await this.#review.start();
    await this.#trim.start();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const forget of this.#forget.splice(0)) forget();
    await this.#trim.stop();
    await this.#review.stop();
    await this.#reviewing;
    const { db, membership, poster, drainMs } = this.#options;
    await this.sender.stop(Math.min(drainMs, longestDrainMs));
    await poster.close();
    const held = this.#held;
    this.#held = new Set();
    if (held.size > 0 && membership.isLeaseHeld) await releaseSlots(db, this.#nodeId, [...held]).catch(() => undefined);
  }

  /** A round: slots, replays, and what is to be stored. */
  async review(): Promise<void> {
    const { membership, telemetry, db } = this.#options;
    if (this.#isStopping) return;
    if (membership.nodeId !== this.#nodeId) this.#loseAll();
    if (!membership.isLeaseHeld) return;
    // What waited for the lease or the database goes on.
    if (this.sender.isStale) await this.sender.reconcile();
    this.#nodeId = membership.nodeId;
    await this.#reviewSlots();
    if (this.sender.endpoints > 0) this.sender.setReplays(await findReplays(db, [...this.#held]));
    await this.sender.save();
    telemetry.emit("webhook.endpoints", { count: this.sender.endpoints });
    telemetry.emit("webhook.waiting", { count: this.sender.waiting });
  }

  /** Does not wait for the next round: until what was done is stored, no other replay begins. */
  #reviewSoon(): void {
    if (this.#isStopping) return;
    this.#reviewing ??= this.#review.runNow().finally(() => (this.#reviewing = undefined));
  }

  async #reviewSlots(): Promise<void> {
    const { db, directory, telemetry } = this.#options;
    const [anyAccount] = directory.current.accountsWithEndpoints();
    // Where nobody has an endpoint, nothing is asked.
    if (anyAccount === undefined && this.sender.endpoints === 0) return;
    const nodeId = this.#nodeId;
    const { nodes, own, free } = await readSlotHolders(db, nodeId);
    const share = Math.ceil(webhookSlots / Math.max(1, nodes));
    let held: readonly number[] = own;
    if (own.length > share) {
      const surplus = own.slice(share);
      // If this fails, the next round begins with the slots again.
      this.#held = new Set();
      await this.sender.leave(new Set(surplus), leaveMs);
      await releaseSlots(db, nodeId, surplus);
      held = own.slice(0, share);
    } else if (own.length < share && free > 0) {
      const wanted = share - own.length;
      held = [...own, ...(await db.transaction((tx) => acquireSlots(tx, { nodeId, wanted })))];
    }
    const isSame = held.length === this.#held.size && held.every((slot) => this.#held.has(slot));
    if (isSame) return;
    this.#held = new Set(held);
    await this.sender.hold(this.#held);
    telemetry.emit("webhook.slots", { held: held.length });
  }

  /** The other nodes take this one for dead. */
  #loseAll(): void {
    this.#held = new Set();
    this.sender.forgetAll();
  }
}
