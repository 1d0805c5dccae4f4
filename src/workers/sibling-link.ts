// What a worker has of its siblings, all by way of the parent.
import type { LanePlace } from "../credentials/fair-lanes.ts";
import { checkQueue } from "../credentials/password-check.ts";
import { WorkQueueFull } from "../credentials/work-queue.ts";
import type { SiblingNews, Siblings } from "./siblings.ts";
import { type Conversation, NoAnswer } from "./conversation.ts";
import type { ParentNews, ParentQuestion, WorkerNews, WorkerQuestion } from "./messages.ts";
import { Outbox } from "./outbox.ts";

/** For what the parent asks its other workers. */
const answerWithinMs = 5_000;
/**
 * Longer than the longest queue of checks takes. After that the parent stands still, and this
 * worker checks by itself.
 */
const turnWithinMs = 30_000;

type Parent = Conversation<WorkerQuestion, WorkerNews, ParentQuestion, ParentNews>;

export class SiblingLink implements Siblings {
  readonly gatewayId: string;
  readonly workers: number;
  readonly #parent: Parent;
  readonly #outbox: Outbox;
  readonly #listeners: ((news: SiblingNews) => void)[] = [];
  /** For the short time after the parent has ended. */
  readonly #ownQueue = checkQueue();
  #lastTurn = 0;

  constructor(parent: Parent, { gatewayId, workers }: { readonly gatewayId: string; readonly workers: number }) {
    this.gatewayId = gatewayId;
    this.workers = workers;
    this.#parent = parent;
    this.#outbox = new Outbox((news) => parent.hint({ kind: "siblings", news }));
  }

  /** Without its parent a worker is about to end. */
  async readiness(): Promise<Record<string, boolean>> {
    const checks = await this.#parent.ask({ kind: "readiness" }, answerWithinMs).catch(() => ({ workers: false }));
    // The parent answers so.
    return checks as Record<string, boolean>;
  }

  async metricsText(): Promise<string> {
    return String(await this.#parent.ask({ kind: "metrics" }, answerWithinMs));
  }

  tell(news: SiblingNews): void {
    this.#outbox.add(news);
  }

  onNews(listener: (news: SiblingNews) => void): void {
    this.#listeners.push(listener);
  }

  hear(news: readonly SiblingNews[]): void {
    for (const each of news) for (const listener of this.#listeners) listener(each);
  }

  async passwordTurn(place: LanePlace): Promise<() => void> {
    this.#lastTurn += 1;
    const id = this.#lastTurn;
    try {
      const granted = await this.#parent.ask({ kind: "passwordTurn", id, place }, turnWithinMs);
      if (granted !== true) throw new WorkQueueFull();
      return () => this.#parent.tell({ kind: "turnOver", id });
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      // If the parent goes on, it gives the turn to nobody.
      this.#parent.tell({ kind: "turnOver", id });
      return this.#ownTurn(place);
    }
  }

  demote(lane: string): void {
    this.#parent.tell({ kind: "demote", lane });
  }

  #ownTurn(place: LanePlace): Promise<() => void> {
    return new Promise((resolve, reject) => {
      this.#ownQueue.run(place, () => new Promise<void>((end) => resolve(end))).catch(reject);
    });
  }
}
