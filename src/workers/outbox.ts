// News for the other workers, gathered for some milliseconds: a busy account takes many requests in
// that time, and they become one line.
import type { SiblingNews } from "./siblings.ts";

const gatherMs = 5;
/** More different news are sent at once. */
const mostGathered = 1_000;

export class Outbox {
  readonly #send: (news: readonly SiblingNews[]) => void;
  readonly #gathered = new Map<string, SiblingNews>();
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (news: readonly SiblingNews[]) => void) {
    this.#send = send;
  }

  add(news: SiblingNews): void {
    const key = `${news.limiter} ${news.key}`;
    this.#gathered.set(key, { ...news, count: news.count + (this.#gathered.get(key)?.count ?? 0) });
    if (this.#gathered.size >= mostGathered) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), gatherMs);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#gathered.size === 0) return;
    this.#send([...this.#gathered.values()]);
    this.#gathered.clear();
  }
}
