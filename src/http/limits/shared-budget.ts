// A limited resource that callers share: connections, octets of heads, octets of bodies. One
// holder, such as an address, may have at most half of the total. When the total is full, the
// largest holder loses its oldest losable claim. Pure: the caller decides what a loss means.
import { LargestFirst, type Sized } from "./largest-first.ts";

/** To whom something is charged. */
export interface Subject {
  readonly key: string;
  /** False for a trusted proxy: it stands for many callers, so it may hold more than half. */
  readonly isBounded: boolean;
}

interface Holder extends Sized {
  readonly subject: Subject;
  /** Claims that may be taken away, oldest first. */
  readonly losable: Set<BudgetClaim>;
  claims: number;
}

export class SharedBudget {
  readonly total: number;
  readonly #share: number;
  readonly #holders = new Map<string, Holder>();
  readonly #bySize = new LargestFirst<Holder>();
  #held = 0;

  /** `least`: what a holder may have in any case. */
  constructor(total: number, least = 0) {
    this.total = total;
    this.#share = Math.max(Math.floor(total / 2), least);
  }

  get held(): number {
    return this.#held;
  }

  get holders(): number {
    return this.#holders.size;
  }

  /**
   * An empty claim. `lose` is called at most once, when the claim is taken away; it is empty then.
   */
  claim(subject: Subject, lose: () => void): BudgetClaim {
    let holder = this.#holders.get(subject.key);
    if (holder === undefined) {
      holder = { subject, losable: new Set(), claims: 0, size: 0, place: -1 };
      this.#holders.set(subject.key, holder);
      this.#bySize.add(holder);
    }
    holder.claims += 1;
    return new BudgetClaim(this, holder, lose);
  }

  /** Whether one more fits without costing the same holder another claim. */
  hasRoom({ holder }: BudgetClaim): boolean {
    if (holder.subject.isBounded && holder.size >= this.#share) return false;
    return this.#held < this.total || this.#bySize.largest !== holder;
  }

  /** Only for claims of this budget. */
  change(holder: Holder, octets: number): void {
    holder.size += octets;
    this.#held += octets;
    this.#bySize.moved(holder);
  }

  /** Takes claims away until all limits hold. */
  settle(grown: BudgetClaim): void {
    const { holder } = grown;
    while (holder.subject.isBounded && holder.size > this.#share && this.#take(holder, grown));
    while (this.#held > this.total && this.#take(this.#bySize.largest ?? holder, grown));
  }

  /** If the holder has nothing to lose, the claim that grew is taken. */
  #take(holder: Holder, grown: BudgetClaim): boolean {
    const [oldest = grown] = holder.losable;
    return oldest.lose();
  }

  forget(holder: Holder): void {
    holder.claims -= 1;
    if (holder.claims > 0) return;
    this.#bySize.remove(holder);
    this.#holders.delete(holder.subject.key);
  }
}

/** The share of a budget that one connection or call holds. */
export class BudgetClaim {
  readonly holder: Holder;
  readonly #budget: SharedBudget;
  readonly #lose: () => void;
  #amount = 0;
  #isOpen = true;
  #isLosable = true;

  constructor(budget: SharedBudget, holder: Holder, lose: () => void) {
    this.#budget = budget;
    this.holder = holder;
    this.#lose = lose;
  }

  get amount(): number {
    return this.#amount;
  }

  /** Returns whether the claim still exists: its own growth may cost it. */
  set(amount: number): boolean {
    if (!this.#isOpen) return false;
    const more = amount - this.#amount;
    if (more === 0) return true;
    this.#amount = amount;
    this.#budget.change(this.holder, more);
    this.#list();
    if (more > 0) this.#budget.settle(this);
    return this.#isOpen;
  }

  add(amount: number): boolean {
    return this.set(this.#amount + amount);
  }

  /** Whether the claim may be taken away in favour of others. Default: true. */
  setLosable(isLosable: boolean): void {
    this.#isLosable = isLosable;
    this.#list();
  }

  /** Gives everything back. Idempotent. */
  release(): void {
    if (!this.#isOpen) return;
    this.set(0);
    this.#isOpen = false;
    this.#budget.forget(this.holder);
  }

  /** Counts as new, so that older claims are lost first. */
  refresh(): void {
    this.holder.losable.delete(this);
    this.#list();
  }

  /** Only for the budget. Returns whether there was anything to lose. */
  lose(): boolean {
    if (!this.#isOpen) return false;
    this.release();
    this.#lose();
    return true;
  }

  #list(): void {
    const { losable } = this.holder;
    if (this.#isOpen && this.#isLosable && this.#amount > 0) losable.add(this);
    else losable.delete(this);
  }
}
