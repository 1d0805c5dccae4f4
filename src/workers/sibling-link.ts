// What a worker has of its siblings, all by way of the parent.
import type { SiblingNews, Siblings } from "./siblings.ts";
import type { Conversation } from "./conversation.ts";
import type { ParentNews, ParentQuestion, WorkerNews, WorkerQuestion } from "./messages.ts";
import { Outbox } from "./outbox.ts";

/** For what the parent asks its other workers. */
const answerWithinMs = 5_000;
type Parent = Conversation<WorkerQuestion, WorkerNews, ParentQuestion, ParentNews>;

export class SiblingLink implements Siblings {
  readonly gatewayId: string;
  readonly workers: number;
  readonly #parent: Parent;
  readonly #outbox: Outbox;
  readonly #listeners: ((news: SiblingNews) => void)[] = [];

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
}
