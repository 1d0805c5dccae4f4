// The calls of one connection in their order: so many are worked on at once, the others wait, and reading pauses as long as one
// waits. What was begun is given back exactly once, by the end of the call or by the end of the connection. Pure.

export interface CallLineOptions<Call> {
  readonly atOnce: number;
  readonly begin: (call: Call) => void;
  readonly countWaiting: (change: number) => void;
  readonly pause: () => void;
  readonly resume: () => void;
}

export class CallLine<Call> {
  readonly #options: CallLineOptions<Call>;
  readonly #underWay = new Set<Call>();
  #waiting: Call[] = [];
  #atOnce: number;
  #isOver = false;

  constructor(options: CallLineOptions<Call>) {
    this.#options = options;
    this.#atOnce = options.atOnce;
  }

  get underWay(): ReadonlySet<Call> {
    return this.#underWay;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  arrive(call: Call): void {
    if (this.#isOver) return;
    if (this.#underWay.size < this.#atOnce && this.#waiting.length === 0) {
      this.#begin(call);
      return;
    }
    this.#waiting.push(call);
    if (this.#waiting.length === 1) this.#options.pause();
    this.#options.countWaiting(1);
  }

  /** From now on they are worked on one after the other. */
  oneByOne(): void {
    this.#atOnce = 1;
  }

  /** Answers whether the call was under way until now. */
  finish(call: Call): boolean {
    if (!this.#underWay.delete(call)) return false;
    this.#beginWaiting();
    return true;
  }

  /** The connection is gone: nothing is under way any more, and nothing waits. Answers what was under way or waited. */
  end(): readonly Call[] {
    this.#isOver = true;
    const given = [...this.#underWay, ...this.#waiting];
    this.#underWay.clear();
    if (this.#waiting.length > 0) this.#options.countWaiting(-this.#waiting.length);
    this.#waiting = [];
    return given;
  }

  #begin(call: Call): void {
    this.#underWay.add(call);
    this.#options.begin(call);
  }

  #beginWaiting(): void {
    if (this.#waiting.length === 0) return;
    while (this.#underWay.size < this.#atOnce) {
      const call = this.#waiting.shift();
      if (call === undefined) break;
      this.#options.countWaiting(-1);
      this.#begin(call);
    }
    if (this.#waiting.length === 0) this.#options.resume();
  }
}
