// What the parent of workers and a worker say to each other over their channel: questions with an
// answer each, and news without. Both sides are the same program, so messages are not checked.

/** The other side is gone, or says nothing. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

export interface Side<Question, News> {
  /** Passes a message on; messages to a side that is gone are lost. */
  readonly send: (message: unknown) => void;
  /** Messages on their way to the other side, which grow when it does not read. */
  readonly unread: () => number;
  /** What it rejects with is told to who asked. */
  readonly answer: (question: Question) => Promise<unknown>;
  readonly hear: (news: News) => void;
}

type Message<Question, News> =
  | { readonly kind: "question"; readonly id: number; readonly question: Question }
  | { readonly kind: "answer"; readonly id: number; readonly value: unknown }
  | { readonly kind: "refusal"; readonly id: number; readonly reason: string }
  | { readonly kind: "news"; readonly news: News };

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout | undefined;
}

/** Beyond so many unread messages the other side stands still, and gets no hints. */
const mostUnread = 50;

/** One side of it. `Ours` is what this side asks and tells, `Theirs` what it is asked and told. */
export class Conversation<OurQuestion, OurNews, TheirQuestion, TheirNews> {
  readonly #side: Side<TheirQuestion, TheirNews>;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #isOver = false;

  constructor(side: Side<TheirQuestion, TheirNews>) {
    this.#side = side;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  tell(news: OurNews): void {
    if (!this.#isOver) this.#side.send({ kind: "news", news });
  }

  /** Tells what may be lost: nothing is kept in memory for a side that does not read. */
  hint(news: OurNews): void {
    if (this.#side.unread() < mostUnread) this.tell(news);
  }

  /**
   * The answer, which the caller knows the type of. Rejects with NoAnswer when the other side is
   * gone, or has said nothing for `withinMs` (absent: however long it takes).
   */
  ask(question: OurQuestion, withinMs?: number): Promise<unknown> {
    if (this.#isOver) return Promise.reject(new NoAnswer("the other process has ended"));
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const give = (): void => {
        this.#pending.delete(id);
        reject(new NoAnswer(`the other process did not answer within ${String(withinMs)} ms`));
      };
      const timer = withinMs === undefined ? undefined : setTimeout(give, withinMs);
      this.#pending.set(id, { resolve, reject, timer });
      this.#side.send({ kind: "question", id, question });
    });
  }

  /** To be called with each message that arrives. Nothing is heard of a side that is gone. */
  receive(received: unknown): void {
    if (this.#isOver) return;
    // Both sides are this class.
    const message = received as Message<TheirQuestion, TheirNews>;
    if (message.kind === "news") this.#side.hear(message.news);
    else if (message.kind === "question") void this.#reply(message.id, message.question);
    else if (message.kind === "answer") this.#settle(message.id)?.resolve(message.value);
    else this.#settle(message.id)?.reject(new Error(message.reason));
  }

  /** The other side is gone: nothing is answered any more. */
  end(): void {
    this.#isOver = true;
    for (const id of [...this.#pending.keys()]) {
      this.#settle(id)?.reject(new NoAnswer("the other process has ended"));
    }
  }

  async #reply(id: number, question: TheirQuestion): Promise<void> {
    try {
      const value = await this.#side.answer(question);
      if (!this.#isOver) this.#side.send({ kind: "answer", id, value });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!this.#isOver) this.#side.send({ kind: "refusal", id, reason });
    }
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    clearTimeout(pending?.timer);
    return pending;
  }
}
