// The calls of one connection in order. A limited number is processed at a time, the others wait,
// and reading pauses while any of them waits. Each begun call is given back exactly once, when it
// ends or when the connection does. Pure.

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

  /** Whether a call in progress or waiting is of that kind. */
  some(isWanted: (call: Call) => boolean): boolean {
    for (const call of this.#underWay) if (isWanted(call)) return true;
    return this.#waiting.some(isWanted);
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

  /** From now on calls are processed one at a time. */
  oneByOne(): void {
    this.#atOnce = 1;
  }

  /** Returns whether the call was in progress until now. */
  finish(call: Call): boolean {
    if (!this.#underWay.delete(call)) return false;
    this.#beginWaiting();
    return true;
  }

  /** The connection is closed. Returns the calls that were in progress or waiting. */
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
